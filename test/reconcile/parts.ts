import type { ImageFacts } from '../../src/facts/index.ts';
import { NO_FACTS } from '../../src/facts/index.ts';
import type { Severity } from '../../src/findings/index.ts';
import type { Policy } from '../../src/policy/index.ts';
import type {
  JudgeContext,
  PodRecord,
  PodSpec,
  RunningContainer,
  RunningPod,
} from '../../src/reconcile/index.ts';
import { policyOf, toSpec } from '../decision/arbitraries.ts';
import { digestOf, finding, scanOf } from '../store/image-records.ts';

/** AT is the present of these tests. */
export const AT = Date.UTC(2026, 10, 20, 6);
/** Digests of a clean image, and of one with a critical finding. */
export const CLEAN = digestOf(1);
export const BAD = digestOf(2);
export const OTHER = digestOf(3);

/** policy makes a policy that refuses critical findings. */
export function policy(spec: Readonly<Record<string, unknown>> = {}, name = 'shop'): Policy {
  return policyOf(toSpec({ enforcement: 'Enforce', ...spec }), name);
}

/** factsOf makes the recorded facts of a digest. */
export function factsOf(digest: string, severities: readonly Severity[]): ImageFacts {
  const findings = severities.map((severity, i) => finding(`CVE-2026-${1000 + i}`, severity));
  return { ...NO_FACTS, digest, names: [], scan: scanOf(findings) };
}

/** context makes what pods are judged by: a clean image, and a bad one. */
export function context(policies: readonly Policy[], more: Partial<JudgeContext> = {}): JudgeContext {
  return {
    policies,
    facts: new Map([
      [CLEAN, factsOf(CLEAN, ['LOW'])],
      [BAD, factsOf(BAD, ['CRITICAL'])],
      [OTHER, factsOf(OTHER, [])],
    ]),
    exposedBy: () => null,
    coldImagePolicy: 'AllowAndScan',
    at: AT,
    ...more,
  };
}

/** SAFE is the security context of a container that shows no signal. */
export const SAFE = { runAsNonRoot: true } as const;

/** specOf makes the spec of a pod with these containers, which show no signal. */
export function specOf(
  containers: readonly Pick<RunningContainer, 'name' | 'image'>[],
  more: Partial<PodSpec> = {},
): PodSpec {
  return {
    containers: containers.map(({ name, image }) => ({ name, image, securityContext: { ...SAFE } })),
    ...more,
  };
}

/** uidOf gives the n-th uid of a pod. */
export function uidOf(n: number): string {
  return `0a0a0a0a-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
}

/** container makes a main container. */
export function container(digest: string | null, more: Partial<RunningContainer> = {}): RunningContainer {
  return { name: 'web', role: 'main', image: 'ghcr.io/acme/web:1', digest, ...more };
}

/** podOf makes the n-th pod, of a Deployment. */
export function podOf(n: number, more: Partial<RunningPod> = {}): RunningPod {
  const containers = more.containers ?? [container(CLEAN)];
  return {
    namespace: 'shop',
    name: `web-${n}`,
    uid: uidOf(n),
    createdAt: AT - 60_000,
    deleting: false,
    finished: false,
    mirror: false,
    workload: 'deployment/web',
    controller: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d8', uid: 'rs-web' },
    labels: new Map([['app', 'web']]),
    breakGlassReason: null,
    spec: specOf(containers),
    containers,
    ...more,
  };
}

/** record makes what the ledger holds of a pod. */
export function record(known: boolean, bypassed: readonly string[] = []): PodRecord {
  return { known, reviewed: known, bypassed: new Set(bypassed) };
}
