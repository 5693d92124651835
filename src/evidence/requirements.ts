import type { Attestation, State } from './attestations/attestation.ts';
import { ATTESTATIONS } from './attestations/index.ts';
import { FRAMEWORKS } from './frameworks/index.ts';
import type { Requirement } from './frameworks/framework.ts';
import type { FrameworkId } from './frameworks/ids.ts';

/** requirementsOf gives the frameworks with the states of their requirements. */
export function requirementsOf(frameworks: readonly FrameworkId[], attestations: readonly Attestation[]) {
  const byId = new Map(attestations.map((attestation) => [attestation.id, attestation]));
  return FRAMEWORKS.filter(({ id }) => frameworks.includes(id)).map(({ id, name, source, requirements }) => {
    const judged = requirements.map((requirement) => judge(requirement, byId));
    const count = (state: string): number => judged.filter((one) => one.state === state).length;
    return {
      id,
      name,
      version: source.version,
      date: source.date,
      summary: {
        met: count('met'),
        partial: count('partial'),
        gap: count('gap'),
        out_of_scope: count('out_of_scope'),
      },
      requirements: judged,
    };
  });
}

function judge(requirement: Requirement, byId: ReadonlyMap<string, Attestation>) {
  const { id, title, attestations, why } = requirement;
  const tests = attestations.flatMap((name) => {
    const found = byId.get(name);
    const rule = ATTESTATIONS.find((one) => one.id === name);
    if (found === undefined || rule === undefined) return [];
    const { population, passed, failed, state } = found;
    return [{ id: `${id}/${name}`, title: rule.asks, population, passed, failed, state }];
  });
  const state: State | 'out_of_scope' =
    tests.length === 0 ? 'out_of_scope' : worst(tests.map((one) => one.state));
  return { id, title, state, why, attestations: [...attestations], tests };
}

function worst(states: readonly State[]): State {
  if (states.includes('gap')) return 'gap';
  return states.every((state) => state === 'met') ? 'met' : 'partial';
}
