import { oneStepStricter, SIGNALS, type PolicySpec } from '../policy/index.ts';
import type { Group } from './population.ts';
import { registriesOf } from './registries.ts';
import { attestationsOf, buildersOf, signersOf } from './seen.ts';

/** Seen is what a population shows of what lists can hold. */
export interface Seen {
  readonly registries: readonly string[];
  readonly signature: PolicySpec['signature'];
  readonly attestations: PolicySpec['attestations'];
  readonly provenance: PolicySpec['provenance'];
}

/** seenIn looks what the groups that were allowed show. `base` may bring keys, of which signatures tell nothing. */
export function seenIn(groups: readonly Group[], base: PolicySpec): Seen {
  const allowed = groups.filter((group) => group.allowed);
  const { keys } = base.signature;
  return {
    registries: registriesOf(allowed),
    signature: { required: true, keys, identities: signersOf(allowed) },
    attestations: attestationsOf(allowed),
    provenance: { minLevel: 1, trustedBuilders: buildersOf(allowed) },
  };
}

/** Value is one value that a field could take, from loose to tight. */
export interface Value {
  /** As a person reads it. */
  readonly name: string;
  readonly spec: PolicySpec;
}

/** AdvisedField is a field of the policy that decides images, with its values on a spec. */
export interface AdvisedField {
  readonly path: string;
  values(spec: PolicySpec, seen: Seen): readonly Value[];
}

const ladder = <K extends keyof PolicySpec>(
  name: K,
  steps: readonly (PolicySpec[K] & (string | boolean))[],
): AdvisedField => ({
  path: `spec.${name}`,
  values: (spec) => steps.map((step) => ({ name: String(step), spec: { ...spec, [name]: step } })),
});

const listOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'} seen`;

/** FIELDS are the fields that a matrix tries and a suggestion sets, in the order in which they are set; values go from loose to tight. */
export const FIELDS: readonly AdvisedField[] = [
  {
    path: 'spec.allowedRegistries',
    values: (spec, { registries }) => [
      { name: 'any', spec: { ...spec, allowedRegistries: [] } },
      ...(registries.length === 0
        ? []
        : [
            {
              name: listOf(registries.length, 'path'),
              spec: { ...spec, allowedRegistries: [...registries] },
            },
          ]),
    ],
  },
  ladder('denyLatestTag', [false, true]),
  ladder('digestEnforcement', ['ignore', 'warn', 'require']),
  ladder('admissionTiming', ['AllowAndScan', 'DenyUntilScanned']),
  {
    path: 'spec.signature',
    values: (spec, { signature }) => [
      { name: 'not required', spec: { ...spec, signature: { ...spec.signature, required: false } } },
      ...(signature.keys.length + signature.identities.length === 0
        ? []
        : [
            {
              name: listOf(signature.keys.length + signature.identities.length, 'signer'),
              spec: { ...spec, signature },
            },
          ]),
    ],
  },
  {
    path: 'spec.attestations',
    values: (spec, { attestations }) => [
      { name: 'none', spec: { ...spec, attestations: [] } },
      ...attestations.map((one) => ({ name: one.predicateType, spec: { ...spec, attestations: [one] } })),
    ],
  },
  ladder('severityThreshold', ['NONE', 'CRITICAL', 'HIGH', 'MEDIUM', 'LOW']),
  ladder('ignoreUnfixed', [true, false]),
  ladder('knownExploited', ['ignore', 'warn', 'block']),
  ladder('endOfLifeOS', ['ignore', 'warn', 'block']),
  {
    path: 'spec.provenance',
    values: (spec, { provenance }) => [
      { name: 'level 0', spec: { ...spec, provenance: { ...spec.provenance, minLevel: 0 } } },
      ...(provenance.trustedBuilders.length === 0
        ? []
        : [
            {
              name: `level 1, ${listOf(provenance.trustedBuilders.length, 'builder')}`,
              spec: { ...spec, provenance },
            },
          ]),
    ],
  },
  {
    path: 'spec.deploymentContext',
    values: (spec) => [
      { name: 'Ignore', spec: { ...spec, deploymentContext: { mode: 'Ignore', signals: [] } } },
      // Under a spec without a step left, escalating is the same.
      ...(oneStepStricter(spec) === null
        ? []
        : [
            {
              name: 'Escalate',
              spec: { ...spec, deploymentContext: { mode: 'Escalate' as const, signals: [...SIGNALS] } },
            },
          ]),
    ],
  },
  ladder('workloadHardening', ['ignore', 'warn', 'block']),
];
