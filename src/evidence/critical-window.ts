import { parseDuration } from '../base/index.ts';
import type { Governing } from './governing.ts';
import type { Period } from './period.ts';

/** CriticalWindow is the window for critical findings that a revision declares, and when it was in effect. */
export interface CriticalWindow {
  readonly ms: number;
  readonly from: number;
  readonly until: number;
}

/**
 * criticalWindows gives the windows that policies declared in a period. A revision without recorded times counts for the whole period while
 * it is in effect, or where its rows stand in the period.
 */
export function criticalWindows(governing: Governing, period: Period): CriticalWindow[] {
  return governing.revisions.flatMap(({ policy, recorded }) => {
    const critical = policy.spec.sla?.critical;
    const ms = critical === undefined ? null : parseDuration(critical);
    if (ms === null) return [];
    const stays = recorded.inForce ?? [{ from: -Infinity, until: null }];
    return stays.flatMap(({ from, until }) =>
      from <= period.to && (until === null || until > period.from)
        ? [{ ms, from, until: until ?? Infinity }]
        : [],
    );
  });
}

/** windowAt is the shortest window that was declared at a time; where none was, the shortest of all. Null where there is none. */
export function windowAt(windows: readonly CriticalWindow[], at: number): number | null {
  const then = windows.filter(({ from, until }) => from <= at && at < until);
  const all = (then.length > 0 ? then : windows).map(({ ms }) => ms);
  return all.length === 0 ? null : Math.min(...all);
}
