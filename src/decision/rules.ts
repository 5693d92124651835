import type { Signer } from '../facts/index.ts';
import { normaliseRegistry } from '../image/index.ts';
import { severityRank } from '../findings/index.ts';
import { oneStepStricter, SIGNALS, type Policy, type PolicySpec, type Signal } from '../policy/index.ts';

/** Rules is a policy prepared for judging: everything that does not depend on the image, worked out once. */
export interface Rules {
  readonly spec: PolicySpec;
  /** Lowest severity rank that is refused; Infinity never refuses. */
  readonly refuseFrom: number;
  readonly allowedRegistries: readonly string[];
  /** The signals that escalate, in the order of the service; empty when the context is ignored. */
  readonly escalating: readonly Signal[];
  /** Whether statements of producers can take findings out at all. */
  readonly appliesVex: boolean;
  /** The trusted builders, each with who must have signed its provenance. */
  readonly builders: readonly Builder[];
  /** Whether a builder is credited with at least the required level. */
  readonly isAnyCredited: boolean;
  /** The same policy one step stricter for the gates that escalate. */
  readonly stricter: Rules | null;
}

/** Builder is a trusted builder. */
export interface Builder {
  readonly id: string;
  readonly level: number;
  /** One key or one keyless signer. An unset signer must equal the builder id; an unset issuer accepts any. */
  readonly by: Signer;
}

const prepared = new WeakMap<Policy, Rules>();

/** rulesOf prepares a policy, once per policy object. */
export function rulesOf(policy: Policy): Rules {
  let rules = prepared.get(policy);
  if (rules === undefined) {
    rules = prepare(policy.spec, true);
    prepared.set(policy, rules);
  }
  return rules;
}

function prepare(spec: PolicySpec, escalates: boolean): Rules {
  const { deploymentContext, provenance, vex } = spec;
  const selected: readonly Signal[] =
    deploymentContext.signals.length === 0 ? SIGNALS : deploymentContext.signals;
  const escalating =
    escalates && deploymentContext.mode === 'Escalate'
      ? SIGNALS.filter((signal) => selected.includes(signal))
      : [];
  return {
    spec,
    refuseFrom: severityRank(spec.severityThreshold) ?? Infinity,
    allowedRegistries: spec.allowedRegistries.map(normaliseRegistry),
    escalating,
    appliesVex: vex.mode === 'apply' && vex.trustedIssuers.length > 0,
    builders: provenance.trustedBuilders.map(toBuilder),
    isAnyCredited: provenance.trustedBuilders.some(({ level }) => level >= provenance.minLevel),
    stricter: escalating.length > 0 ? prepare(oneStepStricter(spec) ?? spec, false) : null,
  };
}

function toBuilder(trusted: PolicySpec['provenance']['trustedBuilders'][number]): Builder {
  const { id, level, signer, key, identityRegExp, issuer, issuerRegExp } = trusted;
  const identity = identityRegExp === undefined && key === undefined ? (signer ?? id) : undefined;
  return { id, level, by: { key, identity, identityRegExp, issuer, issuerRegExp } };
}
