import { byCodeUnit } from '../base/index.ts';
import { oneStepStricter, SIGNALS, type PolicySpec } from '../policy/index.ts';
import { FIELDS, seenIn, type Seen } from './fields.ts';
import { stagesOf, type Stage } from './plan.ts';
import { imageKey } from './population.service.ts';
import { ALLOW_ALL, costOf, type Population } from './population.ts';
import { escalating, stepsOf, withoutEach, withSignals, type Step } from './steps.ts';

/** Suggestion is the tightest policy that denies at most so many recorded admissions, with what each field rests on. */
export interface Suggestion {
  readonly name: string;
  readonly spec: PolicySpec;
  /** Admissions that may be denied, and those that are. */
  readonly tolerated: number;
  readonly cost: number;
  readonly population: Pick<Population, 'rows' | 'images' | 'workloads' | 'asOf' | 'days' | 'notes'>;
  /** Images of which no scan is known: what scans are asked for denies none of them yet. */
  readonly unscanned: number;
  /** Paths that the allow-list leaves out. */
  readonly droppedRegistries: readonly string[];
  /** Every step tighter, with what it would cost in all. */
  readonly steps: readonly (Step & { readonly cost: number })[];
  readonly stages: readonly Stage[];
}

/** suggest finds the policy. What decides no image (namespaces, windows, bypass, statements) is that of the base. Pure: the order of rows makes no difference. */
export function suggest(
  population: Population,
  options: { readonly name: string; readonly tolerated: number; readonly base: PolicySpec | null },
): Suggestion {
  const { name, tolerated } = options;
  const start = startFrom(options.base);
  const seen = seenIn(population.groups, start);
  const fits = (spec: PolicySpec): boolean => costOf(population, spec) <= tolerated;
  let spec = start;
  for (const { path, values } of FIELDS) {
    if (path === 'spec.attestations') spec = withAttestations(spec, seen, fits);
    else if (path === 'spec.deploymentContext') spec = withContext(spec, fits);
    else {
      for (const value of values(spec, seen).slice(1)) {
        if (!fits(value.spec)) break;
        spec = value.spec;
      }
      spec = withFewerEntries(spec, path, fits);
    }
  }
  const kept = new Set(spec.allowedRegistries);
  const steps = stepsOf(spec, seen).map((step) => ({ ...step, cost: costOf(population, step.spec) }));
  const { rows, images, workloads, asOf, days, notes } = population;
  return {
    name,
    spec,
    tolerated,
    cost: costOf(population, spec),
    steps,
    population: { rows, images, workloads, asOf, days, notes },
    unscanned: unscannedOf(population.groups),
    droppedRegistries: kept.size === 0 ? [] : seen.registries.filter((entry) => !kept.has(entry)),
    stages: stagesOf(population, spec, steps),
  };
}

function startFrom(base: PolicySpec | null): PolicySpec {
  if (base === null) return { ...ALLOW_ALL, enforcement: 'Enforce' };
  const { targetNamespaces, enforcement, vex, sla, breakGlass, runtimeReconciliation } = base;
  const { keys } = base.signature;
  return {
    ...ALLOW_ALL,
    targetNamespaces,
    enforcement,
    vex,
    sla,
    breakGlass,
    runtimeReconciliation,
    signature: { ...ALLOW_ALL.signature, keys },
  };
}

/** Leaves out entries that nothing needs, or fewer admissions than are tolerated, in an order that depends on them by itself. */
function withFewerEntries(spec: PolicySpec, path: string, fits: (spec: PolicySpec) => boolean): PolicySpec {
  let best = spec;
  const shorten = <T>(
    list: (from: PolicySpec) => readonly T[],
    put: (to: PolicySpec, left: T[]) => PolicySpec,
  ): void => {
    for (let found = true; found;) {
      const shorter = withoutEach(list(best))
        .map(({ left }) => put(best, left))
        .find(fits);
      found = shorter !== undefined;
      best = shorter ?? best;
    }
  };
  if (path === 'spec.allowedRegistries')
    shorten(
      ({ allowedRegistries }) => allowedRegistries,
      (to, left) => ({ ...to, allowedRegistries: left }),
    );
  if (path === 'spec.signature' && spec.signature.required)
    shorten(
      ({ signature }) => signature.identities,
      (to, left) => ({ ...to, signature: { ...to.signature, identities: left } }),
    );
  if (path === 'spec.provenance' && spec.provenance.minLevel > 0)
    shorten(
      ({ provenance }) => provenance.trustedBuilders,
      (to, left) => ({ ...to, provenance: { ...to.provenance, trustedBuilders: left } }),
    );
  return best;
}

function withAttestations(
  spec: PolicySpec,
  { attestations }: Seen,
  fits: (spec: PolicySpec) => boolean,
): PolicySpec {
  let best = spec;
  for (const one of attestations.toSorted((a, b) => byCodeUnit(a.predicateType, b.predicateType))) {
    let added = { ...best, attestations: [...best.attestations, one] };
    if (!fits(added)) continue;
    for (let found = true; found;) {
      const last = added.attestations.at(-1) as typeof one;
      const before = added.attestations.slice(0, -1);
      const shorter = withoutEach(last.identities)
        .map(({ left }) => ({ ...added, attestations: [...before, { ...last, identities: left }] }))
        .find(fits);
      found = shorter !== undefined;
      added = shorter ?? added;
    }
    best = added;
  }
  return best;
}

function withContext(spec: PolicySpec, fits: (spec: PolicySpec) => boolean): PolicySpec {
  if (oneStepStricter(spec) === null) return spec;
  let best = spec;
  for (const signal of SIGNALS) {
    const more = withSignals(best, [...escalating(best), signal]);
    if (fits(more)) best = more;
  }
  return best;
}

function unscannedOf(groups: Population['groups']): number {
  const unscanned = groups.filter(
    ({ subject }) => subject !== null && (subject.facts.scan?.findings ?? null) === null,
  );
  return new Set(unscanned.map(imageKey)).size;
}
