import { judgeFinding, type ClusterSweeps, type OpenFinding } from './judge.ts';
import type { EndReason } from './issue.ts';
import type { TrackingRow } from './row.ts';

/** PlannedEnd is a finding that ended, with its own reason. */
export interface PlannedEnd {
  readonly row: TrackingRow;
  readonly reason: EndReason;
}

/** PlannedIssue is what a sweep does to one issue. */
export interface PlannedIssue {
  readonly issue: IssueName;
  /** At least one. */
  readonly ended: readonly PlannedEnd[];
  /** Findings of the issue that have not ended; the issue is closed when none is left. */
  readonly remaining: number;
}

/** IssueName tells issues apart: by marker, or by channel and key where a release before markers opened it. */
export type IssueName =
  | { readonly marker: string }
  | { readonly marker: null; readonly channelId: string; readonly key: string };

/** SweepPlan is what a sweep does about some open findings. */
export interface SweepPlan {
  readonly issues: readonly PlannedIssue[];
  /** Findings that ended before an issue was opened: nothing has to be told to anyone. */
  readonly unfiled: readonly PlannedEnd[];
  /** Rows whose sentence on what is withheld is another from now on. */
  readonly withheld: readonly { readonly id: number; readonly sentence: string | null }[];
  /** Rows with an error though nothing has to be written for their finding, which has not ended. */
  readonly settled: readonly number[];
}

/**
 * planSweep plans a sweep over open findings. "The unit of closing is the issue. Each finding on it is judged on its own with its own
 * reason." All open findings of an issue must be given together. A claim whose create is under way is not touched: whether there is an
 * issue to close is not known yet.
 */
export function planSweep(findings: readonly OpenFinding[], clusters: ClusterSweeps, at: number): SweepPlan {
  const issues = new Map<string, { issue: IssueName; ended: PlannedEnd[]; remaining: number }>();
  const unfiled: PlannedEnd[] = [];
  const withheld: { id: number; sentence: string | null }[] = [];
  const settled: number[] = [];
  for (const finding of findings) {
    const { row } = finding;
    const verdict = judgeFinding(finding, clusters, at);
    const sentence = verdict.ended === null ? verdict.withheld : null;
    if (verdict.ended === null && sentence !== row.withheld) withheld.push({ id: row.id, sentence });
    if (row.issue === null) {
      if (verdict.ended !== null && row.attemptId === null) unfiled.push({ row, reason: verdict.ended });
      continue;
    }
    const issue = issueName(row, row.issue.key);
    const name = JSON.stringify(issue);
    const planned = issues.get(name) ?? { issue, ended: [], remaining: 0 };
    issues.set(name, planned);
    if (verdict.ended === null) {
      planned.remaining += 1;
      if (row.lastError !== null) settled.push(row.id);
    } else planned.ended.push({ row, reason: verdict.ended });
  }
  const ending = [...issues.values()].filter(({ ended }) => ended.length > 0);
  return { issues: ending, unfiled, withheld, settled };
}

function issueName({ marker, channelId }: TrackingRow, key: string): IssueName {
  return marker === null ? { marker, channelId, key } : { marker };
}
