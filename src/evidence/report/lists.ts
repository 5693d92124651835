import { parseTime } from '../../base/index.ts';
import { formatCount } from '../../render/index.ts';
import type { EvidenceDocument } from '../document.ts';

/** ReportList is a table of both reports: what a person reads of a list that may be long. */
export interface ReportList {
  readonly columns: readonly ListColumn[];
  readonly rows: readonly (readonly ListCell[])[];
  /** What was cut, and where the rest is; null where nothing was. */
  readonly cut: string | null;
}

/** ListColumn is a column of it; `share` is its part of the width on paper. */
export interface ListColumn {
  readonly heading: string;
  readonly share: number;
  /** What stands in it, where that is not a text that may break anywhere. */
  readonly of?: 'numbers' | 'times' | 'persons';
}

/** ListCell is a text, with a quieter one below it. */
export type ListCell = string | { readonly text: string; readonly below: string };

/** Section is a part of a package whose source carries it. */
export type Section<K extends keyof EvidenceDocument> = Exclude<
  EvidenceDocument[K],
  { readonly note: string }
>;
type Policy = EvidenceDocument['policies'][number];

/** Stays of a revision that are named. */
const MOST_STAYS = 4;

/** policyList lists the revisions of policies that governed in the period, at most so many. */
export function policyList({ policies, period }: EvidenceDocument, most: number): ReportList {
  return {
    columns: [
      { heading: 'Policy', share: 2.4 },
      { heading: 'Revision', share: 1.7 },
      { heading: 'Enforcement', share: 1.2 },
      { heading: 'In effect', share: 4.2 },
    ],
    rows: policies
      .slice(0, most)
      .map((policy) => [
        { text: policy.name, below: scopeOf(policy) },
        policy.revision.slice(0, 16),
        policy.enforcement,
        staysOf(policy, period),
      ]),
    cut: cutText(most, policies.length, 'revisions', 'evidence.json lists all'),
  };
}

function scopeOf({ target_namespaces: targets, critical_window: window }: Policy): string {
  const where = targets.length === 0 ? 'all namespaces' : targets.join(', ');
  return window === null ? where : `${where}; critical findings within ${window}`;
}

/** The times of the period in which a revision was in effect. One of which none is recorded governed by the rows that name it. */
function staysOf({ in_force: stays }: Policy, period: EvidenceDocument['period']): string {
  const [from, to] = [parseTime(period.from), parseTime(period.to)];
  const within = (stays ?? []).filter(
    (stay) => parseTime(stay.from) <= to && (stay.to === null || parseTime(stay.to) > from),
  );
  if (within.length === 0) return 'named by rows';
  const shown = within
    .slice(0, MOST_STAYS)
    .map((stay) => (stay.to === null ? `since ${stay.from}` : `${stay.from} to ${stay.to}`));
  const more = within.length - shown.length;
  return [...shown, ...(more > 0 ? [`${formatCount(more)} more`] : [])].join('; ');
}

/** triageList lists the oldest triage decisions. */
export function triageList({ items, total }: Section<'triage'>, most: number): ReportList {
  return {
    columns: [
      { heading: 'Finding', share: 1.7 },
      { heading: 'Image', share: 2.2 },
      { heading: 'Decided', share: 2.8, of: 'times' },
      { heading: 'By', share: 2.5, of: 'persons' },
      { heading: 'Reason', share: 2.3 },
    ],
    rows: items
      .slice(0, most)
      .map((one) => [
        { text: one.cve ?? '–', below: one.severity ?? 'UNKNOWN' },
        one.image ?? one.digest ?? '–',
        { text: one.decided_at ?? '–', below: endOf(one) },
        one.decided_by ?? '–',
        one.reason ?? '–',
      ]),
    cut: cutText(most, total, 'decisions', 'triage.csv has all'),
  };
}

function endOf({ until, ended_at: ended }: Section<'triage'>['items'][number]): string {
  if (ended !== null) return `ended ${ended}`;
  return until === null ? 'without an end' : `until ${until}`;
}

/** muteList lists the oldest times during which a channel was muted. */
export function muteList({ items, total }: Section<'mutes'>, most: number): ReportList {
  return {
    columns: [
      { heading: 'Channel', share: 2 },
      { heading: 'From', share: 2.4, of: 'times' },
      { heading: 'Until', share: 2.4, of: 'times' },
      { heading: 'By', share: 2.6, of: 'persons' },
      { heading: 'Reason', share: 2.6 },
    ],
    rows: items
      .slice(0, most)
      .map((mute) => [
        mute.name ?? mute.channel,
        mute.muted_at,
        mute.ended_at ?? mute.until,
        mute.muted_by ?? '–',
        mute.reason,
      ]),
    cut: cutText(most, total, 'mutes', `evidence.json lists ${formatCount(items.length)}`),
  };
}

/** runtimeRuleList lists runtime rules, and the runtime policies below them. */
export function runtimeRuleList({ rules, policies }: Section<'runtime'>, most: number): ReportList {
  const all: readonly (readonly ListCell[])[] = [
    ...rules
      .slice(0, most)
      .map(({ name, enabled, action, effect, events }) => [
        { text: name, below: enabled ? 'rule' : 'rule, disabled' },
        action,
        effect ?? '–',
        formatCount(events),
      ]),
    ...policies
      .slice(0, most)
      .map(({ name, enabled }) => [
        { text: name, below: enabled ? 'runtime policy' : 'runtime policy, disabled' },
        '–',
        '–',
        '–',
      ]),
  ];
  return {
    columns: [
      { heading: 'Rule or policy', share: 4 },
      { heading: 'Action', share: 1.5 },
      { heading: 'Strongest effect', share: 1.5 },
      { heading: 'Events', share: 1, of: 'numbers' },
    ],
    rows: all.slice(0, most),
    cut: cutText(most, rules.length + policies.length, 'rules and policies', 'evidence.json lists all'),
  };
}

/** decisionList lists the newest decisions on runtime events. */
export function decisionList(section: Section<'runtime'>, most: number): ReportList {
  const { decisions, decisions_total: total } = section;
  return {
    columns: [
      { heading: 'Time', share: 2.4, of: 'times' },
      { heading: 'Event', share: 2.2 },
      { heading: 'Effect', share: 2.2 },
      { heading: 'Pod', share: 2.5 },
      { heading: 'Image', share: 2.4 },
    ],
    rows: decisions
      .slice(0, most)
      .map((one) => [
        textOf(one['at']),
        { text: textOf(one['rule']), below: textOf(one['priority']) },
        { text: textOf(one['effect']), below: byOf(one) },
        { text: textOf(one['pod']), below: [one['cluster'], one['namespace']].map(textOf).join(' / ') },
        textOf(one['image'] ?? one['digest']),
      ]),
    cut: cutText(most, total, 'decisions', `evidence.json lists the newest ${formatCount(decisions.length)}`),
  };
}

/** What decided; and what came of a runtime policy that asked for a stop, which is named where it did not decide. */
function byOf({ matched, policy, policy_effect: effect }: Readonly<Record<string, unknown>>): string {
  const by = matched === null || matched === undefined ? '' : `by ${textOf(matched)}`;
  if (effect === null || effect === undefined) return by;
  const name = effect === 'stop' || policy === undefined ? '' : ` ${textOf(policy)}`;
  return `${by} (policy${name}: ${textOf(effect)})`.trim();
}

/** The schema leaves open what stands in a decision. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** clusterList lists the clusters that are known, with since when nothing came from those that sent nothing. */
export function clusterList(
  clusters: NonNullable<EvidenceDocument['coverage']['clusters']>,
  most: number,
): ReportList {
  return {
    columns: [
      { heading: 'Cluster', share: 3 },
      { heading: 'Last row', share: 2, of: 'times' },
      { heading: 'Sent nothing since', share: 2, of: 'times' },
    ],
    rows: clusters
      .slice(0, most)
      .map((one) => [clusterName(one.name), one.last_row_at ?? '–', one.sent_nothing_since ?? '–']),
    cut: cutText(most, clusters.length, 'clusters', 'evidence.json lists all'),
  };
}

/** answeringList lists the minutes of the period in which a replica of a cluster answered. */
export function answeringList(
  answering: NonNullable<EvidenceDocument['coverage']['answering']>,
  most: number,
): ReportList {
  return {
    columns: [
      { heading: 'Cluster', share: 3 },
      { heading: 'Minutes answered', share: 1, of: 'numbers' },
      { heading: 'Not answered', share: 1, of: 'numbers' },
      { heading: 'Unknown', share: 1, of: 'numbers' },
    ],
    rows: answering
      .slice(0, most)
      .map((one) => [
        clusterName(one.cluster),
        formatCount(one.answered),
        formatCount(one.not_answered),
        formatCount(one.unknown),
      ]),
    cut: cutText(most, answering.length, 'clusters', 'evidence.json lists all'),
  };
}

function clusterName(name: string): string {
  return name === '' ? 'without a name' : name;
}

/** namespaceList lists the admissions by namespace. */
export function namespaceList({ by_namespace: all }: Section<'admissions'>, most: number): ReportList {
  const named = all.map(({ namespace, ...counts }) => ({ ...counts, name: namespace }));
  return countList(named, 'Namespace', 'namespaces', most);
}

/** policyCountList lists the admissions by the policy that decided them. */
export function policyCountList({ by_policy: all }: Section<'admissions'>, most: number): ReportList {
  const named = all.map(({ policy, ...counts }) => ({ ...counts, name: policy ?? 'no policy' }));
  return countList(named, 'Decided by', 'policies', most);
}

function countList(
  all: readonly { readonly name: string; readonly admitted: number; readonly denied: number }[],
  heading: string,
  what: string,
  most: number,
): ReportList {
  return {
    columns: [
      { heading, share: 4 },
      { heading: 'Admitted', share: 1, of: 'numbers' },
      { heading: 'Denied', share: 1, of: 'numbers' },
    ],
    rows: all
      .slice(0, most)
      .map(({ name, admitted, denied }) => [name, formatCount(admitted), formatCount(denied)]),
    cut: cutText(most, all.length, what, 'evidence.json lists all'),
  };
}

/** cutText says what was cut of a list, and where the rest is; null where nothing was. */
export function cutText(most: number, total: number, what: string, rest: string): string | null {
  if (total <= most) return null;
  return `${formatCount(most)} of ${formatCount(total)} ${what} are listed here; ${formatCount(total - most)} were cut: ${rest}.`;
}
