import { formatTime } from '../../base/index.ts';
import type { Period } from '../period.ts';
import type { TriageRecord } from '../records.ts';

const MAX_ITEMS = 1000;
const time = (at: number | null): string | null => (at === null ? null : formatTime(at));

/** triageSection lists decisions that a finding is accepted. */
export function triageSection(decisions: readonly TriageRecord[], { to }: Period) {
  const bySeverity = Map.groupBy(decisions, ({ severity }) => severity ?? 'UNKNOWN');
  const levels = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'UNKNOWN'];
  return {
    file: 'triage.csv',
    total: decisions.length,
    active_at_end: decisions.filter(
      ({ ended_at: ended, until }) => (ended ?? Infinity) > to && (until ?? 0) > to,
    ).length,
    by_severity: levels.map((severity) => ({ severity, decisions: bySeverity.get(severity)?.length ?? 0 })),
    items: decisions.slice(0, MAX_ITEMS).map((decision) => ({
      ...decision,
      decided_at: time(decision.decided_at),
      until: time(decision.until),
      ended_at: time(decision.ended_at),
    })),
  };
}
