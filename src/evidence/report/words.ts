import type { EvidenceDocument } from '../document.ts';

/** STATE_WORDS are how states are written: a sign beside the word, so that colour is never needed. */
export const STATE_WORDS = {
  met: '● met',
  partial: '◐ partial',
  gap: '○ gap',
  out_of_scope: '– out of scope',
} as const;

/** tonesOf gives the tone of a state in reports. */
export function toneOf(state: string): 'admitted' | 'same' | 'refused' {
  if (state === 'met') return 'admitted';
  return state === 'gap' ? 'refused' : 'same';
}

/** rank orders states by how soon one should look at them. */
export function rank(state: string): number {
  return ['gap', 'partial', 'met'].indexOf(state);
}

/** scopeText says what a package is about, in one line. */
export function scopeText({ period, generation: { request } }: EvidenceDocument): string {
  const { clusters, namespaces } = request;
  const where = [
    clusters.length === 0 ? 'all clusters' : `clusters ${clusters.join(', ')}`,
    ...(namespaces.length === 0 ? [] : [`namespaces ${namespaces.join(', ')}`]),
  ];
  return `${period.from} to ${period.to}, ${where.join(', ')}`;
}

/** countStates counts the states of attestations. */
export function countStates({ attestations }: EvidenceDocument): {
  met: number;
  partial: number;
  gap: number;
} {
  const count = (state: string): number => attestations.filter((one) => one.state === state).length;
  return { met: count('met'), partial: count('partial'), gap: count('gap') };
}
