import type { TrackerKind } from '../channels/index.ts';
import type { EndReason, IssueRef } from './issue.ts';

/** RowKind is what a row is about: a critical finding, or alerts of one rule of the runtime detector on one image. */
export type RowKind = 'finding' | 'runtime';

/**
 * TrackingRow is one row of the tracking history: "one row exists per (image digest, CVE)"; of runtime alerts, at most one open row per
 * (image digest, rule). Times are UTC milliseconds.
 */
export interface TrackingRow {
  readonly id: number;
  readonly kind: RowKind;
  readonly digest: string;
  /** The CVE; of a row of runtime alerts the rule of the detector, which has its place. */
  readonly cve: string;
  /** Counts how often the finding was filed again: after a triage decision that expired, or by a person who reopened it. */
  readonly generation: number;
  /** The channel that filed it. It stays on the row if the channel is deleted. */
  readonly channelId: string;
  readonly channelKind: TrackerKind;
  /** The channel that closes it since it adopted the row, or null. */
  readonly closedVia: string | null;
  /** The newest name of the image when it was filed, or null when it had none. */
  readonly image: string | null;
  /** Clusters in which the image was seen, in order. */
  readonly clusters: readonly string[];
  /** Of a row of runtime alerts the priority of the newest. */
  readonly severity: string | null;
  /** Null while the row is claimed and no issue is known. */
  readonly issue: IssueRef | null;
  /** Whether the issue is the summary of a channel's first run. */
  readonly summary: boolean;
  /** How the issue is recognised, the same on all rows of one issue; null on rows of releases before markers. */
  readonly marker: string | null;
  readonly state: 'open' | 'closed';
  /** Null while it is open. */
  readonly reason: EndReason | null;
  /** What the provider last refused or failed at, or null. */
  readonly lastError: string | null;
  /** Creates that were tried. */
  readonly attempts: number;
  /** The create whose outcome is not known, or null. */
  readonly attemptId: string | null;
  /** When the last create was tried, or null. */
  readonly attemptAt: number | null;
  readonly claimedAt: number;
  /** When the issue was opened; null before. */
  readonly openedAt: number | null;
  readonly closedAt: number | null;
  /** The comment was posted and the issue was left open, since the channel has no `doneTransitionId`. */
  readonly issueLeftOpen: boolean;
  /** When the finding was seen again after the row had been closed as `fixed` or `image_retired`, or null. */
  readonly returnedAt: number | null;
  /** On `image_retired`: the digest that the same workload runs now, and whether it has the CVE (null: not known). */
  readonly supersededBy: string | null;
  readonly successorHasCve: boolean | null;
  /** Why the row is not closed although the finding seems to have ended, in one sentence; null when nothing is withheld. */
  readonly withheld: string | null;
  /** When the last event of the rule came from the image; null on rows of findings. */
  readonly lastEventAt: number | null;
}

/** EndedFinding is a finding that ended, as the closing comment tells it. */
export interface EndedFinding {
  readonly row: TrackingRow;
  readonly reason: EndReason;
  readonly supersededBy: string | null;
  readonly successorHasCve: boolean | null;
}

/** closingChannel gives the id of the channel that closes a row. */
export function closingChannel({
  closedVia,
  channelId,
}: Pick<TrackingRow, 'closedVia' | 'channelId'>): string {
  return closedVia ?? channelId;
}
