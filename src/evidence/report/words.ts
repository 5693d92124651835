import { formatCount, type Bar } from '../../render/index.ts';
import type { EvidenceDocument } from '../document.ts';

/** STATE_WORDS are how states are written: a sign beside the word, so that colour is never needed. */
export const STATE_WORDS = {
  met: '● met',
  partial: '◐ partial',
  gap: '○ gap',
  out_of_scope: '– out of scope',
} as const;

/** FILLED is how much of a circle is filled beside a state on paper; there is none for what is out of scope. */
export const FILLED: Readonly<Record<string, 'all' | 'half' | 'none'>> = {
  met: 'all',
  partial: 'half',
  gap: 'none',
};

/** toneOf gives the tone of a state in reports. */
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

/** noteText is the note of a section that its source does not carry, as a sentence. */
export function noteText(note: string): string {
  return `${note.charAt(0).toUpperCase()}${note.slice(1)}.`;
}

/** remediationBars are what became of issues, as bars. */
export function remediationBars(issues: {
  readonly closed_fixed: number;
  readonly closed_triaged: number;
  readonly closed_image_retired: number;
  readonly fixed_inside_window: number;
  readonly open_at_end: number;
}): readonly Bar[] {
  return [
    {
      label: 'fixed',
      note: `${formatCount(issues.fixed_inside_window)} inside the declared window`,
      count: issues.closed_fixed,
      tone: 'admitted',
    },
    { label: 'triaged', note: 'closed, not fixed', count: issues.closed_triaged, tone: 'same' },
    { label: 'image retired', note: 'closed, not fixed', count: issues.closed_image_retired, tone: 'same' },
    { label: 'open at the end', note: '', count: issues.open_at_end, tone: 'refused' },
  ];
}

/** denialBars are the denials by gate, most first. */
export function denialBars(
  labels: readonly { readonly label: string; readonly rows: number }[],
): readonly Bar[] {
  return labels
    .toSorted((a, b) => b.rows - a.rows)
    .map(({ label, rows }) => ({ label, note: '', count: rows, tone: 'refused' }));
}

/** findingBars are the findings that stood, by severity. */
export function findingBars(
  levels: readonly { readonly severity: string; readonly stood: number }[],
): readonly Bar[] {
  return levels.map(({ severity, stood }) => ({
    label: severity,
    note: 'stood in the period',
    count: stood,
    tone: 'accent',
  }));
}
