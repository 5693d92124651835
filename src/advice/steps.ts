import { oneStepStricter, SIGNALS, type PolicySpec } from '../policy/index.ts';
import { FIELDS, type Seen } from './fields.ts';

/** Step is one field one step tighter: the next value of an ordered field, one entry less of a list of who may, one more of what must be there. */
export interface Step {
  readonly field: string;
  readonly value: string;
  readonly spec: PolicySpec;
}

const ORDERED = [
  ...['denyLatestTag', 'digestEnforcement', 'admissionTiming', 'severityThreshold', 'ignoreUnfixed'],
  ...['knownExploited', 'endOfLifeOS', 'workloadHardening'],
].map((name) => `spec.${name}`);

/** stepsOf gives every step from a spec. */
export function stepsOf(spec: PolicySpec, seen: Seen): Step[] {
  return [
    ...orderedSteps(spec, seen),
    ...fixableStep(spec, seen),
    ...listSteps(spec),
    ...trustSteps(spec, seen),
    ...contextSteps(spec),
  ];
}

function orderedSteps(spec: PolicySpec, seen: Seen): Step[] {
  return FIELDS.filter(({ path }) => ORDERED.includes(path)).flatMap(({ path, values }) => {
    const name = path.slice('spec.'.length) as keyof PolicySpec;
    const all = values(spec, seen);
    const at = all.findIndex((value) => value.spec[name] === spec[name]);
    const next = all[at + 1];
    return next === undefined ? [] : [{ field: path, value: next.name, spec: next.spec }];
  });
}

/** What has a fixed version is the first to ask for: the next severity, with what nobody can update left out. It is looser than the step without. */
function fixableStep(spec: PolicySpec, seen: Seen): Step[] {
  const next = orderedSteps(spec, seen).find(({ field }) => field === 'spec.severityThreshold');
  return next === undefined || spec.ignoreUnfixed || spec.severityThreshold !== 'NONE'
    ? []
    : [{ ...next, value: `${next.value} with ignoreUnfixed`, spec: { ...next.spec, ignoreUnfixed: true } }];
}

/** withoutEach gives a list without each of its entries in turn; the last one stays, since an empty list would allow any. */
export function withoutEach<T>(list: readonly T[]): { readonly gone: T; readonly left: T[] }[] {
  return list.length < 2 ? [] : list.map((gone, at) => ({ gone, left: list.filter((_, i) => i !== at) }));
}

function listSteps(spec: PolicySpec): Step[] {
  const { signature, attestations, provenance } = spec;
  return [
    ...withoutEach(spec.allowedRegistries).map(({ gone, left }) => ({
      field: 'spec.allowedRegistries',
      value: `without ${gone}`,
      spec: { ...spec, allowedRegistries: left },
    })),
    ...(signature.required ? withoutEach(signature.identities) : []).map(({ gone, left }) => ({
      field: 'spec.signature',
      value: `without ${gone.identity ?? ''}`,
      spec: { ...spec, signature: { ...signature, identities: left } },
    })),
    ...attestations.flatMap((one, i) =>
      withoutEach(one.identities).map(({ gone, left }) => ({
        field: 'spec.attestations',
        value: `${one.predicateType} without ${gone.identity ?? ''}`,
        spec: { ...spec, attestations: attestations.with(i, { ...one, identities: left }) },
      })),
    ),
    ...(provenance.minLevel > 0 ? withoutEach(provenance.trustedBuilders) : []).map(({ gone, left }) => ({
      field: 'spec.provenance',
      value: `without ${gone.id}`,
      spec: { ...spec, provenance: { ...provenance, trustedBuilders: left } },
    })),
  ];
}

function trustSteps(spec: PolicySpec, seen: Seen): Step[] {
  const steps: Step[] = [];
  if (spec.allowedRegistries.length === 0 && seen.registries.length > 0)
    steps.push({
      field: 'spec.allowedRegistries',
      value: 'the paths seen',
      spec: { ...spec, allowedRegistries: [...seen.registries] },
    });
  const { signature, provenance } = seen;
  if (!spec.signature.required && signature.keys.length + signature.identities.length > 0)
    steps.push({ field: 'spec.signature', value: 'required', spec: { ...spec, signature } });
  if (spec.provenance.minLevel === 0 && provenance.trustedBuilders.length > 0)
    steps.push({ field: 'spec.provenance', value: 'level 1', spec: { ...spec, provenance } });
  for (const one of seen.attestations) {
    if (spec.attestations.some(({ predicateType }) => predicateType === one.predicateType)) continue;
    steps.push({
      field: 'spec.attestations',
      value: one.predicateType,
      spec: { ...spec, attestations: [...spec.attestations, one] },
    });
  }
  return steps;
}

/** contextSteps gives the spec with one signal more that escalates; none where nothing is left to escalate. */
function contextSteps(spec: PolicySpec): Step[] {
  if (oneStepStricter(spec) === null) return [];
  const chosen = escalating(spec);
  return SIGNALS.filter((signal) => !chosen.includes(signal)).map((signal) => ({
    field: 'spec.deploymentContext',
    value: `Escalate ${signal}`,
    spec: withSignals(spec, [...chosen, signal]),
  }));
}

/** escalating gives the signals that escalate under a spec. */
export function escalating({ deploymentContext: { mode, signals } }: PolicySpec): readonly string[] {
  if (mode === 'Ignore') return [];
  return signals.length === 0 ? SIGNALS : signals;
}

/** withSignals makes these signals escalate; none is `Ignore`. */
export function withSignals(spec: PolicySpec, signals: readonly string[]): PolicySpec {
  const chosen = SIGNALS.filter((signal) => signals.includes(signal));
  const deploymentContext =
    chosen.length === 0
      ? { mode: 'Ignore' as const, signals: [] }
      : { mode: 'Escalate' as const, signals: chosen.length === SIGNALS.length ? [] : chosen };
  return { ...spec, deploymentContext };
}
