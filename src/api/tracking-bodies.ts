import { formatDuration, formatTime } from '../base/index.ts';
import {
  toPlainText,
  type ChannelPlan,
  type History,
  type HistoryQuestion,
  type IssuePreview,
  type TrackingRow,
} from '../trackers/index.ts';
import type { PlanBody, PreviewBody, SummaryBody, TrackingBody } from './contract/tracking.ts';

/** toTracking is a row of the history as the API answers it. */
export function toTracking(row: TrackingRow): TrackingBody {
  const {
    id,
    kind,
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
    kind,
    digest,
    image,
    cve: kind === 'finding' ? cve : null,
    rule: kind === 'runtime' ? cve : null,
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
    last_event_at: toTime(row.lastEventAt),
    attempts,
    last_error: row.lastError,
  };
}

/** toSummary is a summary of the history as the API answers it. */
export function toSummary(
  history: History,
  { from, to, asOf, window, connected }: HistoryQuestion,
): SummaryBody {
  return {
    from: formatTime(from),
    to: formatTime(to),
    as_of: formatTime(asOf),
    window: window === null ? null : formatDuration(window),
    connected,
    opened: history.opened,
    still_open: history.stillOpen,
    closed: { ...history.closed },
    fixed_inside: history.fixedInside,
    fixed_late: history.fixedLate,
    open_past_window: history.openPastWindow,
    retired_replaced: history.retiredReplaced,
    returned: history.returned,
    remediation: { ...history.remediation },
  };
}

/** toPreview is the issue that a channel would open, as the API answers it. */
export function toPreview(preview: IssuePreview | null): PreviewBody {
  if (preview === null) return { issue: null };
  const { target, by, refused, summary, findings, title, labels, body, more } = preview;
  const text = toPlainText(body);
  const comments = more.map(toPlainText);
  const told = { summary, findings, title, labels: [...labels], text, comments };
  return { issue: { target, routed_by: by, refused, ...told } };
}

/** toPlan is what a channel would file, as the API answers it. */
export function toPlan({ issuesInAll, alertIssues, firstRun, cap, ...plan }: ChannelPlan): PlanBody {
  return {
    ...plan,
    alert_issues: alertIssues,
    issues_in_all: issuesInAll,
    first_run: firstRun,
    daily_cap: cap,
  };
}

function toTime(at: number | null): string | null {
  return at === null ? null : formatTime(at);
}
