import { SIGNALS, THRESHOLDS, type PolicySpec } from '../../src/policy/index.ts';
import { publicPem } from '../../fixtures/decisions/keys.ts';

/** Tightening makes a spec stricter in one way, or gives null where it is as strict as it can be in that way. */
export interface Tightening {
  readonly name: string;
  readonly apply: (spec: PolicySpec) => PolicySpec | null;
}

const STEPS = ['ignore', 'warn', 'block'] as const;
const next = (value: (typeof STEPS)[number]) => STEPS[STEPS.indexOf(value) + 1];
const rest = <T>(list: readonly T[]): T[] => list.slice(1);

/** The same list with the first entry that names no issuer bound to one. */
function bindIssuer<
  T extends {
    readonly issuer?: string | undefined;
    readonly issuerRegExp?: string | undefined;
    readonly key?: string | undefined;
  },
>(list: readonly T[]): T[] | null {
  const at = list.findIndex(({ issuer, key }) => issuer === undefined && key === undefined);
  return at === -1
    ? null
    : list.map((entry, i) =>
        i === at ? { ...entry, issuerRegExp: undefined, issuer: 'https://issuer.acme.example' } : entry,
      );
}

/** TIGHTENINGS are ways to make a policy stricter, at least one for each gate and for each way around a gate. */
export const TIGHTENINGS: readonly Tightening[] = [
  {
    name: 'asks for one registry',
    apply: (s) => (s.allowedRegistries.length > 0 ? null : { ...s, allowedRegistries: ['ghcr.io'] }),
  },
  {
    name: 'drops a registry',
    apply: (s) =>
      s.allowedRegistries.length < 2 ? null : { ...s, allowedRegistries: rest(s.allowedRegistries) },
  },
  {
    name: 'narrows every registry',
    apply: (s) =>
      s.allowedRegistries.length === 0
        ? null
        : { ...s, allowedRegistries: s.allowedRegistries.map((entry) => `${entry}/web`) },
  },
  { name: 'denies latest', apply: (s) => (s.denyLatestTag ? null : { ...s, denyLatestTag: true }) },
  {
    name: 'requires a digest',
    apply: (s) => (s.digestEnforcement === 'require' ? null : { ...s, digestEnforcement: 'require' }),
  },
  {
    name: 'waits for the scan',
    apply: (s) =>
      s.admissionTiming === 'DenyUntilScanned' ? null : { ...s, admissionTiming: 'DenyUntilScanned' },
  },
  {
    name: 'requires a signature',
    apply: (s) =>
      s.signature.required
        ? null
        : { ...s, signature: { required: true, keys: [publicPem('p256')], identities: [] } },
  },
  {
    name: 'drops a signing key',
    apply: (s) =>
      s.signature.keys.length === 0 || s.signature.identities.length === 0
        ? null
        : { ...s, signature: { ...s.signature, keys: rest(s.signature.keys) } },
  },
  {
    name: 'binds a signer to an issuer',
    apply: (s) => {
      const identities = bindIssuer(s.signature.identities);
      return identities && { ...s, signature: { ...s.signature, identities } };
    },
  },
  {
    name: 'requires one more attestation',
    apply: (s) => ({
      ...s,
      attestations: [
        ...s.attestations,
        { predicateType: 'https://spdx.dev/Document', keys: [publicPem('p256')], identities: [] },
      ],
    }),
  },
  {
    name: 'drops a key of an attestation',
    apply: (s) => {
      const [first, ...others] = s.attestations;
      if (first === undefined || first.keys.length === 0 || first.identities.length === 0) return null;
      return { ...s, attestations: [{ ...first, keys: rest(first.keys) }, ...others] };
    },
  },
  {
    name: 'takes the next threshold',
    apply: (s) => {
      const strictness = ['NONE', ...THRESHOLDS.filter((level) => level !== 'NONE')] as const;
      const severityThreshold = strictness[strictness.indexOf(s.severityThreshold) + 1];
      return severityThreshold === undefined ? null : { ...s, severityThreshold };
    },
  },
  {
    name: 'counts unfixed findings',
    apply: (s) => (s.ignoreUnfixed ? { ...s, ignoreUnfixed: false } : null),
  },
  {
    name: 'takes known exploited more seriously',
    apply: (s) => {
      const knownExploited = next(s.knownExploited);
      return knownExploited === undefined ? null : { ...s, knownExploited };
    },
  },
  {
    name: 'takes the end of life more seriously',
    apply: (s) => {
      const endOfLifeOS = next(s.endOfLifeOS);
      return endOfLifeOS === undefined ? null : { ...s, endOfLifeOS };
    },
  },
  {
    name: 'ignores statements',
    apply: (s) => (s.vex.mode === 'ignore' ? null : { ...s, vex: { ...s.vex, mode: 'ignore' } }),
  },
  {
    name: 'trusts one producer less',
    apply: (s) =>
      s.vex.trustedIssuers.length === 0
        ? null
        : { ...s, vex: { ...s.vex, trustedIssuers: rest(s.vex.trustedIssuers) } },
  },
  {
    name: 'binds a producer to an issuer',
    apply: (s) => {
      const trustedIssuers = bindIssuer(s.vex.trustedIssuers);
      return trustedIssuers && { ...s, vex: { ...s.vex, trustedIssuers } };
    },
  },
  {
    name: 'raises the level of provenance',
    apply: (s) =>
      s.provenance.minLevel === 3
        ? null
        : { ...s, provenance: { ...s.provenance, minLevel: s.provenance.minLevel + 1 } },
  },
  {
    name: 'trusts one builder less',
    apply: (s) =>
      s.provenance.trustedBuilders.length === 0
        ? null
        : { ...s, provenance: { ...s.provenance, trustedBuilders: rest(s.provenance.trustedBuilders) } },
  },
  {
    name: 'credits builders with less',
    apply: (s) => ({
      ...s,
      provenance: {
        ...s.provenance,
        trustedBuilders: s.provenance.trustedBuilders.map((by) => ({
          ...by,
          level: Math.max(0, by.level - 1),
        })),
      },
    }),
  },
  {
    name: 'binds a builder to an issuer',
    apply: (s) => {
      const trustedBuilders = bindIssuer(s.provenance.trustedBuilders);
      return trustedBuilders && { ...s, provenance: { ...s.provenance, trustedBuilders } };
    },
  },
  {
    name: 'escalates',
    apply: (s) =>
      s.deploymentContext.mode === 'Escalate'
        ? null
        : { ...s, deploymentContext: { ...s.deploymentContext, mode: 'Escalate' } },
  },
  {
    name: 'escalates on one more signal',
    apply: (s) => {
      const { signals } = s.deploymentContext;
      const more = SIGNALS.find((signal) => !signals.includes(signal));
      if (signals.length === 0 || more === undefined) return null;
      return { ...s, deploymentContext: { ...s.deploymentContext, signals: [...signals, more] } };
    },
  },
  {
    name: 'escalates on every signal',
    apply: (s) =>
      s.deploymentContext.signals.length === 0
        ? null
        : { ...s, deploymentContext: { ...s.deploymentContext, signals: [] } },
  },
  {
    name: 'allows no bypass',
    apply: (s) => (s.breakGlass.allowed ? { ...s, breakGlass: { ...s.breakGlass, allowed: false } } : null),
  },
  {
    name: 'lets fewer groups bypass',
    apply: (s) =>
      s.breakGlass.groups.length === 0
        ? null
        : { ...s, breakGlass: { ...s.breakGlass, groups: rest(s.breakGlass.groups) } },
  },
];
