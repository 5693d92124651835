import { formatTime } from '../base/index.ts';
import { toPlainText, type ChannelPlan, type IssuePreview, type TrackingRow } from '../trackers/index.ts';
import type { PlanBody, PreviewBody, TrackingBody } from './contract/tracking.ts';

/** toTracking is a row of the history as the API answers it. */
export function toTracking(row: TrackingRow): TrackingBody {
  const {
    id,
    digest,
    image,
    cve,
    severity,
    generation,
    state,
    reason,
    clusters,
    summary,
    attempts,
    withheld,
  } = row;
  return {
    id,
    digest,
    image,
    cve,
    severity,
    generation,
    state,
    reason,
    channel_id: row.channelId,
    channel_kind: row.channelKind,
    closed_via: row.closedVia,
    clusters: [...clusters],
    issue: row.issue === null ? null : { key: row.issue.key, url: row.issue.url },
    summary,
    claimed_at: formatTime(row.claimedAt),
    opened_at: toTime(row.openedAt),
    closed_at: toTime(row.closedAt),
    issue_left_open: row.issueLeftOpen,
    returned_at: toTime(row.returnedAt),
    superseded_by: row.supersededBy,
    successor_has_cve: row.successorHasCve,
    withheld,
    attempts,
    last_error: row.lastError,
  };
}

/** toPreview is the issue that a channel would open, as the API answers it. */
export function toPreview(preview: IssuePreview | null): PreviewBody {
  if (preview === null) return { issue: null };
  const { target, by, refused, summary, findings, title, labels, body } = preview;
  const text = toPlainText(body);
  return { issue: { target, routed_by: by, refused, summary, findings, title, labels: [...labels], text } };
}

/** toPlan is what a channel would file, as the API answers it. */
export function toPlan({ issuesInAll, firstRun, cap, ...plan }: ChannelPlan): PlanBody {
  return { ...plan, issues_in_all: issuesInAll, first_run: firstRun, daily_cap: cap };
}

function toTime(at: number | null): string | null {
  return at === null ? null : formatTime(at);
}
