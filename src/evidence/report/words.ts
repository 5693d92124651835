import { counted, formatCount, formatShare, type Bar } from '../../render/index.ts';
import type { EvidenceDocument } from '../document.ts';
import type { Section } from './lists.ts';

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

/** IssueCounts are the counts of what became of issues. */
export interface IssueCounts {
  readonly opened: number;
  readonly open_at_end: number;
  readonly closed_fixed: number;
  readonly closed_triaged: number;
  readonly closed_image_retired: number;
  readonly retired_replaced: number;
  readonly returned: number;
  readonly fixed_inside_window: number;
}

/** remediationText are what became of issues, in sentences. */
export function remediationText(issues: IssueCounts): string {
  const again =
    issues.returned === 0
      ? 'None was found again since.'
      : `${formatCount(issues.returned)} of the closed ones ${issues.returned === 1 ? 'was' : 'were'} found again since.`;
  return [
    `${counted(issues.opened, 'issue')} for critical findings opened; ${formatCount(issues.open_at_end)} open at the end;`,
    `closed: ${formatCount(issues.closed_fixed)} fixed, ${formatCount(issues.closed_triaged)} triaged, ${formatCount(issues.closed_image_retired)} image retired.`,
    `${formatCount(issues.fixed_inside_window)} fixed inside the declared window.`,
    `Retired and replaced by an image without the CVE: ${formatCount(issues.retired_replaced)}.`,
    again,
  ].join(' ');
}

/** remediationBars are what became of issues, as bars. */
export function remediationBars(issues: IssueCounts): readonly Bar[] {
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

/** triageText says in a sentence what was decided. */
export function triageText({ total, active_at_end: active }: Section<'triage'>): string {
  if (total === 0) return 'No triage decision stood in the period.';
  return `${counted(total, 'decision')} to accept a finding stood in the period; ${formatCount(active)} in effect at its end.`;
}

/** triageBars are the triage decisions by severity. */
export function triageBars(levels: Section<'triage'>['by_severity']): readonly Bar[] {
  return levels.map(({ severity, decisions }) => ({
    label: severity,
    note: '',
    count: decisions,
    tone: 'accent',
  }));
}

/** RuntimeFigures are the numbers of the runtime section, and what is said beside them. */
export interface RuntimeFigures {
  readonly events: number;
  readonly joined: number;
  readonly joinedNote: string;
  readonly heartbeats: string;
  readonly stopped: number;
  readonly stopsNote: string;
}

/** runtimeFigures counts what came of the events of the detector. */
export function runtimeFigures(
  { events, joined, stops }: Section<'runtime'>,
  { days }: EvidenceDocument['coverage'],
): RuntimeFigures {
  const none = joined['none'] ?? 0;
  const attempts = Object.values(stops).reduce((sum, count) => sum + count, 0);
  const stopped = stops['stopped'] ?? 0;
  const beats = days?.reduce((sum, day) => sum + day.detector_heartbeats, 0) ?? null;
  return {
    events,
    joined: events - none,
    joinedNote: events === 0 ? 'there were no events' : `${formatShare(events - none, events)} of events`,
    heartbeats: beats === null ? 'heartbeats are not recorded' : counted(beats, 'heartbeat'),
    stopped,
    stopsNote: attempts === 0 ? 'nothing was to be stopped' : countsText(stops),
  };
}

function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${formatCount(count)} ${name}`)
    .join(', ');
}

/** effectBars are the runtime events by effect, most first. */
export function effectBars(effects: Section<'runtime'>['by_effect']): readonly Bar[] {
  return Object.entries(effects)
    .toSorted(([, a], [, b]) => b - a)
    .map(([label, count]) => ({ label, note: '', count, tone: 'accent' }));
}

/** muteText says in a sentence how often channels were muted. */
export function muteText({ total }: Section<'mutes'>): string {
  if (total === 0) return 'No channel was muted in the period.';
  return `${counted(total, 'time')} a channel was muted: it was told afterwards what had happened.`;
}

/** findingsText says in a sentence what stood in the period. */
export function findingsText({
  total,
  known_exploited_while_running: exploited,
}: Section<'vulnerabilities'>): string {
  return `${counted(total, 'finding')} stood in the period; ${formatCount(exploited)} known to be exploited while the image ran.`;
}

/** rowsText says how many rows a package has, and which of them are not counted. */
export function rowsText({ rows }: EvidenceDocument['coverage']): string {
  const { ledger, package: all, left_out_by_request: left } = rows;
  const inLedger = ledger === null ? '' : `, ${formatCount(ledger)} in the ledger`;
  const others = left === 0 ? '' : `; ${formatCount(left)} of other clusters or namespaces are not counted`;
  return `${counted(all, 'row')} in this package${inLedger}${others}.`;
}

/** breakGlassText says in a sentence who bypassed policies. */
export function breakGlassText({
  images,
  people,
  without_reason: reason,
  without_person: person,
}: EvidenceDocument['break_glass']): string {
  return `${counted(images, 'image')} admitted by ${counted(people, 'person', 'people')}; ${formatCount(reason)} without a reason, ${formatCount(person)} without a person. break-glass.csv lists each.`;
}
