import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseImageFacts, type ImageFacts } from '../../src/facts/index.ts';
import { CASES } from './cases.ts';
import {
  CVES,
  DIGESTS,
  flag,
  IDENTITIES,
  IMAGES,
  ISSUERS,
  mostly,
  NOW,
  PREDICATES,
  SEVERITIES,
} from './pools.ts';

const defined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as T;
const proof = (name: string): Readonly<Record<string, unknown>> => {
  const { payload, signature, payload_type } = JSON.parse(
    readFileSync(join(CASES, 'proofs', `${name}.json`), 'utf8'),
  ) as Readonly<Record<string, unknown>>;
  return defined({ payload, signature, payload_type });
};
const proofs = (...names: string[]): fc.Arbitrary<Readonly<Record<string, unknown>>> =>
  fc.constantFrom(...names.map(proof));
const keyless = fc.record({
  identity: fc.constantFrom(...IDENTITIES),
  issuer: fc.option(fc.constantFrom(...ISSUERS)),
});

const finding = fc.record({
  cve: fc.constantFrom(...CVES),
  severity: fc.constantFrom(...SEVERITIES),
  package: fc.constantFrom('openssl', 'libssl3', 'log4j-core'),
  installed: fc.constant('1.2.2'),
  fixed: fc.option(fc.constant('1.2.3')),
  known_exploited: fc.constantFrom(true, false, false, false, null),
  triaged_until: fc.option(
    fc.constantFrom(NOW - 1, NOW, NOW + 1000, NOW + 86_400_000).map((ms) => new Date(ms).toISOString()),
    { freq: 2 },
  ),
});

/** arbitraryVexStatements gives statements of producers, in the form of the export. */
export function arbitraryVexStatements(): fc.Arbitrary<readonly Readonly<Record<string, unknown>>[]> {
  const named = fc.record({
    cve: fc.constantFrom(...CVES),
    status: fc.constantFrom('not_affected', 'fixed', 'affected'),
  });
  const signed = fc.oneof(keyless, proofs('vex-p256', 'vex-raw-ed25519', 'vex-stranger', 'vex-other-digest'));
  return fc.array(
    fc.tuple(named, signed).map(([about, by]) => ({ ...about, ...by })),
    { maxLength: 3 },
  );
}

/** arbitraryFactsDocument gives recorded facts in the form of the export, about one of the digests. */
export function arbitraryFactsDocument(): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  return fc.record({
    digest: fc.constantFrom(...DIGESTS),
    names: fc.constant([IMAGES[0]]),
    scan: mostly(
      fc.record({
        scanned_at: fc.constant('2026-11-19T02:00:00Z'),
        scanner: fc.constant({ name: 'trivy', version: '0.69.1', db_updated_at: null }),
        os: fc.option(fc.record({ family: fc.constant('debian'), name: fc.constant('10.13'), eosl: flag })),
        findings: mostly(fc.array(finding, { maxLength: 4 })),
      }),
    ),
    signatures: mostly(
      fc.array(
        fc.oneof(
          keyless,
          proofs('signature-p256', 'signature-ed25519', 'signature-stranger', 'signature-other-digest'),
        ),
        { maxLength: 2 },
      ),
    ),
    attestations: mostly(
      fc.array(
        fc
          .tuple(
            fc.constantFrom(...PREDICATES),
            fc.oneof(keyless, proofs('spdx-p256', 'cyclonedx-p256', 'spdx-stranger')),
          )
          .map(([predicate_type, by]) => ({ predicate_type, ...by })),
        { maxLength: 2 },
      ),
    ),
    provenance: mostly(
      fc.array(
        fc.oneof(
          fc.record({
            builder_id: fc.constantFrom(...IDENTITIES),
            signer: fc.option(fc.constantFrom(...IDENTITIES)),
            issuer: fc.option(fc.constantFrom(...ISSUERS)),
          }),
          fc
            .tuple(
              fc.constantFrom(...IDENTITIES),
              proofs('provenance-p256', 'provenance-v02-ed25519', 'provenance-stranger'),
            )
            .map(([builder_id, by]) => ({ builder_id, ...by })),
        ),
        { maxLength: 2 },
      ),
    ),
    vex: mostly(arbitraryVexStatements()),
  });
}

/** arbitraryImageFacts gives recorded facts as decisions read them. */
export function arbitraryImageFacts(): fc.Arbitrary<ImageFacts> {
  return arbitraryFactsDocument().map(parseImageFacts);
}
