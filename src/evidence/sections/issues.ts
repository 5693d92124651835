import { formatTime } from '../../base/index.ts';
import { windowAt, type CriticalWindow } from '../critical-window.ts';
import type { Period } from '../period.ts';
import type { IssueRecord } from '../records.ts';

/** MAX_ISSUES are written into the document; the table has all. */
export const MAX_ISSUES = 5000;
const HOUR = 3_600_000;
const time = (at: number | null): string | null => (at === null ? null : formatTime(at));

/**
 * inWindow completes an issue by the window that was declared when it was opened. Hours open count to the end, or to now; never below zero,
 * whatever clocks did.
 */
export function inWindow(issue: IssueRecord, windows: readonly CriticalWindow[], now: number): IssueRecord {
  const { opened_at: opened, closed_at: closed, kind, reason } = issue;
  const window = kind === 'finding' && opened !== null ? windowAt(windows, opened) : null;
  const open = opened === null ? null : Math.max(0, (closed ?? now) - opened);
  const inside = window === null || open === null || reason !== 'fixed' ? null : open <= window;
  return {
    ...issue,
    hours_open: open === null ? null : rounded(open / HOUR),
    window_hours: window === null ? null : rounded(window / HOUR),
    inside_window: inside,
  };
}

function rounded(hours: number): number {
  return Math.round(hours * 100) / 100;
}

/** IssueTally counts what trackers were given for critical findings. */
export class IssueTally {
  readonly #period: Period;
  readonly #rows: object[] = [];
  total = 0;
  #counts = {
    opened: 0,
    open_at_end: 0,
    closed_fixed: 0,
    closed_triaged: 0,
    closed_image_retired: 0,
    /** Of these, replaced by an image without the CVE. That does not count as a fix either. */
    retired_replaced: 0,
    /** Closed, and found again since. */
    returned: 0,
    fixed_inside_window: 0,
  };
  #runtime = 0;

  constructor(period: Period) {
    this.#period = period;
  }

  take(issue: IssueRecord): void {
    this.total += 1;
    if (this.#rows.length < MAX_ISSUES)
      this.#rows.push({
        ...issue,
        opened_at: time(issue.opened_at),
        closed_at: time(issue.closed_at),
        returned_at: time(issue.returned_at),
      });
    if (issue.kind !== 'finding') {
      this.#runtime += 1;
      return;
    }
    const { from, to } = this.#period;
    const counts = this.#counts;
    const { opened_at: opened, closed_at: closed, reason } = issue;
    if (opened !== null && opened >= from && opened <= to) counts.opened += 1;
    if (closed === null || closed > to) counts.open_at_end += 1;
    else if (closed >= from) {
      if (reason === 'fixed') counts.closed_fixed += 1;
      if (reason === 'triaged') counts.closed_triaged += 1;
      if (reason === 'image_retired') {
        counts.closed_image_retired += 1;
        if (issue.successor_has_cve === false) counts.retired_replaced += 1;
      }
      if (issue.returned_at !== null) counts.returned += 1;
      if (issue.inside_window === true) counts.fixed_inside_window += 1;
    }
  }

  section(windowHours: number | null) {
    return {
      file: 'issues.csv',
      total: this.total,
      ...this.#counts,
      runtime: this.#runtime,
      critical_window_hours: windowHours,
      rows: this.#rows,
    };
  }
}
