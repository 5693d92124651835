/**
 * Kinds of cells: a text (null where there is none), a time (UTC milliseconds), a flag, a count, and a list of texts
 * without spaces.
 */
type Cell = {
  text: string | null;
  time: number | null;
  flag: boolean | null;
  count: number | null;
  list: readonly string[];
};
export type CellKind = keyof Cell;

/** Columns are the columns of a table in their order, each with the kind of its cells. */
export type Columns = Readonly<Record<string, CellKind>>;

/** RecordOf is a line of a table as a program sees it. */
export type RecordOf<C extends Columns> = { readonly [K in keyof C]: Cell[C[K]] };

/** ISSUES are what trackers were given. */
const ISSUES = {
  id: 'count',
  kind: 'text',
  cve: 'text',
  rule: 'text',
  digest: 'text',
  image: 'text',
  severity: 'text',
  tracker: 'text',
  issue: 'text',
  url: 'text',
  clusters: 'list',
  opened_at: 'time',
  closed_at: 'time',
  state: 'text',
  reason: 'text',
  hours_open: 'count',
  window_hours: 'count',
  inside_window: 'flag',
  returned_at: 'time',
  superseded_by: 'text',
  successor_has_cve: 'flag',
} as const;

/** FINDINGS are the times during which a CVE stood in an image. */
const FINDINGS = {
  digest: 'text',
  image: 'text',
  cve: 'text',
  severity: 'text',
  worst: 'text',
  package: 'text',
  fixed_version: 'text',
  first_seen_at: 'time',
  older: 'flag',
  fixable_at: 'time',
  exploited_at: 'time',
  exploited_until: 'time',
  exploited_while_running_at: 'time',
  ran: 'flag',
  ended_at: 'time',
  ended: 'text',
  superseded_by: 'text',
  successor_has_cve: 'flag',
} as const;

/** TRIAGE are decisions that a finding is accepted. */
const TRIAGE = {
  id: 'count',
  digest: 'text',
  image: 'text',
  cve: 'text',
  severity: 'text',
  reason: 'text',
  decided_by: 'text',
  decided_at: 'time',
  until: 'time',
  ended_at: 'time',
} as const;

/** BYPASSES are images that were admitted by break-glass. */
const BYPASSES = {
  row: 'count',
  time: 'time',
  review: 'text',
  cluster: 'text',
  namespace: 'text',
  pod: 'text',
  container: 'text',
  image: 'text',
  digest: 'text',
  requester: 'text',
  reason: 'text',
  policy: 'text',
  policy_revision: 'text',
  allowed_groups: 'list',
  judged_again_at: 'time',
  triaged_at: 'time',
} as const;

/** PODS are pods that were admitted after a review, and those that a sweep found without one. */
const PODS = {
  first_row: 'count',
  last_row: 'count',
  time: 'time',
  review: 'text',
  cluster: 'text',
  namespace: 'text',
  pod: 'text',
  pod_uid: 'text',
  images: 'count',
  decision: 'text',
  enforced: 'flag',
} as const;

/** IMAGES are times during which an image ran in a cluster. */
const IMAGES = {
  digest: 'text',
  image: 'text',
  cluster: 'text',
  first_seen_at: 'time',
  last_seen_at: 'time',
  ended_at: 'time',
  scanned_at: 'time',
} as const;

export type IssueRecord = RecordOf<typeof ISSUES>;
export type FindingRecord = RecordOf<typeof FINDINGS>;
export type TriageRecord = RecordOf<typeof TRIAGE>;
export type BypassRecord = RecordOf<typeof BYPASSES>;
export type PodRecord = RecordOf<typeof PODS>;
export type ImageRecord = RecordOf<typeof IMAGES>;

/** POPULATIONS are the tables that an auditor samples from, by the name of their population. */
export const POPULATIONS = {
  issues: { file: 'issues.csv', columns: ISSUES },
  vulnerabilities: { file: 'vulnerabilities.csv', columns: FINDINGS },
  triage: { file: 'triage.csv', columns: TRIAGE },
  'break-glass': { file: 'break-glass.csv', columns: BYPASSES },
  pods: { file: 'pods.csv', columns: PODS },
  images: { file: 'images.csv', columns: IMAGES },
} as const;

export type PopulationName = keyof typeof POPULATIONS;
