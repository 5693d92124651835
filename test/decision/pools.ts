import fc from 'fast-check';
import { publicPem } from '../../fixtures/decisions/keys.ts';

/**
 * Everything is drawn from small pools, so that policies, facts and rows often meet: a registry that an image is in,
 * a signer that signed it, a CVE that a statement is about.
 */

/** NOW is a time at which triage decisions of the pool run, end or have ended. */
export const NOW = Date.UTC(2026, 10, 20, 6);

/** DIGESTS are the images that facts are about; the proofs of the cases are about the first. */
export const DIGESTS = [
  'sha256:e068054ea02edda3dd4cdf4e57dd679f85558afc8cc92a99a07135221f736b7b',
  'sha256:8f80f4378dd0c05528fdbd2563c1f37ed311e0538016f95956af05985be72e1e',
  `sha256:${'3'.repeat(64)}`,
] as const;

/** IMAGES are references as written: every registry of the pool, with and without tags and digests. */
export const IMAGES = [
  'ghcr.io/acme/web:1.4.2',
  'ghcr.io/acme/web:latest',
  'ghcr.io/acme/web',
  `ghcr.io/acme/web@${DIGESTS[0]}`,
  `ghcr.io/acme/web:latest@${DIGESTS[1]}`,
  'nginx:1.27',
  'nginx',
  'quay.io/team/tool:2',
] as const;

/** REGISTRIES are entries of allow-lists. */
export const REGISTRIES = [
  'ghcr.io',
  'ghcr.io/acme',
  'ghcr.io/acme/web',
  'docker.io/library',
  'quay.io',
] as const;

/** NAMESPACES are where pods run. */
export const NAMESPACES = ['shop', 'payments', 'ci'] as const;

export const IDENTITIES = ['release@acme.example', 'https://build.acme.example/slsa'] as const;
export const ISSUERS = ['https://issuer.acme.example', 'https://issuer.other.example'] as const;
export const IDENTITY_PATTERNS = [
  '.*',
  '[a-z]+@acme\\.example',
  'https://build\\.acme\\.example/.*',
] as const;
/** Both hold the first issuer, to which tightening binds. */
export const ISSUER_PATTERNS = ['https://issuer\\..*', 'https://issuer\\.acme\\.example'] as const;
export const CVES = ['CVE-2021-44228', 'CVE-2024-3094', 'CVE-2022-0778', 'CVE-2023-4911'] as const;
export const PREDICATES = ['https://spdx.dev/Document', 'https://cyclonedx.org/bom'] as const;
export const GROUPS = ['sre-oncall', 'platform'] as const;
export const KEYS = [publicPem('p256'), publicPem('ed25519')] as const;
export const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'UNKNOWN'] as const;

/** flag, some, mostly and seldom are the usual choices. */
export const flag = fc.boolean();
export const some = <T>(pool: readonly T[], max = 2): fc.Arbitrary<T[]> =>
  fc.subarray([...pool], { maxLength: max });
/** Null once in six times. */
export const mostly = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 6 });
/** Null five times in six. */
export const seldom = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
