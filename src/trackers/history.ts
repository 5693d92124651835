import { byCodeUnit } from '../base/index.ts';
import type { CloseReason, EndReason } from './issue.ts';
import { judgeRemediation, type Remediation } from './remediation.ts';
import type { TrackingRow } from './row.ts';

/** HistoryQuestion says what is asked of the history; times in UTC milliseconds, both ends belong to the period. */
export interface HistoryQuestion {
  readonly from: number;
  readonly to: number;
  /** The present of the answer: what was closed after it counts as open. */
  readonly asOf: number;
  /** The declared window of critical findings in milliseconds, or null when no window is declared. */
  readonly window: number | null;
  /** Whether a tracker is connected. */
  readonly connected: boolean;
}

/** HistoryEntry is one tracked finding: CVE, image, issue URL, opened, closed, reason, hours open. */
export interface HistoryEntry {
  readonly cve: string;
  readonly digest: string;
  readonly image: string | null;
  readonly issueUrl: string;
  readonly opened: number;
  readonly closed: number | null;
  readonly reason: EndReason | null;
  /** To the hundredth; of an open one until the present of the answer. */
  readonly hoursOpen: number;
  readonly issueLeftOpen: boolean;
  readonly returned: number | null;
  readonly supersededBy: string | null;
  readonly successorHasCve: boolean | null;
}

/** History is what came of the critical findings that were raised in a period. */
export interface History {
  readonly opened: number;
  readonly stillOpen: number;
  /** The three reasons are counted separately. */
  readonly closed: Readonly<Record<CloseReason, number>>;
  /** Fixes inside the declared window, and late ones; null when no window is declared. */
  readonly fixedInside: number | null;
  readonly fixedLate: number | null;
  /** Findings that are open for longer than the window. */
  readonly openPastWindow: number | null;
  /** Retired and replaced by an image without the CVE: no fix, and a line of its own. */
  readonly retiredReplaced: number;
  /** Closed findings that were seen again. */
  readonly returned: number;
  readonly remediation: Remediation;
  /** In the order in which they were raised. */
  readonly entries: readonly HistoryEntry[];
}

const HOUR = 60 * 60_000;

/** summariseHistory answers from rows of the tracking history, in any order; those raised outside the period are left out. */
export function summariseHistory(rows: readonly TrackingRow[], question: HistoryQuestion): History {
  const { from, to, asOf, window, connected } = question;
  const entries = rows
    .flatMap((row) => toEntry(row, asOf))
    .filter(({ opened }) => opened >= from && opened <= to && opened <= asOf)
    .toSorted((a, b) => a.opened - b.opened || byCodeUnit(a.cve, b.cve) || byCodeUnit(a.digest, b.digest));
  const closedAs = (reason: CloseReason): HistoryEntry[] =>
    entries.filter((entry) => entry.reason === reason);
  const fixed = closedAs('fixed');
  const open = entries.filter(({ closed }) => closed === null);
  const within = (entry: HistoryEntry): boolean => window !== null && openFor(entry, asOf) <= window;
  const fixedInside = fixed.filter(within).length;
  return {
    opened: entries.length,
    stillOpen: open.length,
    closed: {
      fixed: fixed.length,
      triaged: closedAs('triaged').length,
      image_retired: closedAs('image_retired').length,
    },
    fixedInside: window === null ? null : fixedInside,
    fixedLate: window === null ? null : fixed.length - fixedInside,
    openPastWindow: window === null ? null : open.filter((entry) => !within(entry)).length,
    retiredReplaced: closedAs('image_retired').filter(({ successorHasCve }) => successorHasCve === false)
      .length,
    returned: entries.filter(({ returned }) => returned !== null).length,
    remediation: judgeRemediation({
      window,
      connected,
      raised: entries.length,
      fixed: fixed.length,
      inside: fixedInside,
    }),
    entries,
  };
}

/** A row for which no issue was opened yet raised nothing, and a runtime alert is not a finding. */
function toEntry(row: TrackingRow, asOf: number): HistoryEntry[] {
  const { openedAt, issue } = row;
  if (openedAt === null || issue === null || row.kind === 'runtime') return [];
  const isClosed = row.state === 'closed' && row.closedAt !== null && row.closedAt <= asOf;
  const returned = row.returnedAt !== null && row.returnedAt <= asOf ? row.returnedAt : null;
  const times = { opened: openedAt, closed: isClosed ? row.closedAt : null };
  return [
    {
      cve: row.cve,
      digest: row.digest,
      image: row.image,
      issueUrl: issue.url,
      ...times,
      reason: isClosed ? row.reason : null,
      hoursOpen: Math.round((openFor(times, asOf) / HOUR) * 100) / 100,
      issueLeftOpen: isClosed && row.issueLeftOpen,
      returned,
      supersededBy: isClosed ? row.supersededBy : null,
      successorHasCve: isClosed ? row.successorHasCve : null,
    },
  ];
}

/** Never below zero, whatever clocks did. */
function openFor({ opened, closed }: { opened: number; closed: number | null }, asOf: number): number {
  return Math.max(0, (closed ?? asOf) - opened);
}
