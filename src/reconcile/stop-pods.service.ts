import type { Clock, Count, Log } from '../base/index.ts';
import type { StopCandidate } from './plan-stops.ts';
import type { PodEvents, PodStopper, StopOutcome, SweepLog } from './ports.ts';
import type { Leader } from '../leadership/index.ts';
import type { SweepRules } from './rules.ts';

/** StopDeps are what pods are stopped with. */
export interface StopDeps {
  readonly rules: SweepRules;
  readonly log: SweepLog;
  readonly stopper: PodStopper;
  readonly events: PodEvents;
  readonly leader: Leader;
  readonly clock: Clock;
  readonly lines: Log;
  readonly count: Count;
}

/** StopCounts tell what became of the pods that enforcement concerns. */
export interface StopCounts {
  readonly stopped: number;
  /** Attempts that did not stop a pod. */
  readonly notStopped: number;
  /** Left running, since their replacement might not be admitted. */
  readonly withheld: number;
  /** Left for the next sweep, so that a workload does not lose all its pods at once. */
  readonly putOff: number;
  /** Left since as many pods of the cluster as may be were stopped within a minute. */
  readonly overLimit: number;
}

/**
 * stopPods stops pods one after another. Each attempt is recorded and audited under the fence before the API server is asked, so
 * that a process which no longer leads asks for nothing.
 */
export async function stopPods(
  { rules, log, stopper, events, leader, clock, lines, count }: StopDeps,
  fence: number,
  candidates: readonly StopCandidate[],
  signal: AbortSignal,
): Promise<Pick<StopCounts, 'stopped' | 'notStopped' | 'overLimit'>> {
  let stopped = 0;
  let overLimit = 0;
  for (const [i, { judged, policy, digest }] of candidates.entries()) {
    if (signal.aborted || !leader.isLeader()) break;
    const { namespace, name: pod, uid: podUid } = judged.pod;
    const { cluster, maxStops } = rules;
    const attempt = { at: clock.now(), cluster, policy: policy.name, namespace, pod, podUid, digest };
    const id = await log.stopBegun(fence, attempt, maxStops);
    if (id === null) {
      overLimit = candidates.length - i;
      break;
    }
    if (!leader.isLeader()) break; // it is recorded as failed
    let outcome: StopOutcome | 'failed' = 'failed';
    let fault: string | null = null;
    try {
      outcome = await stopper.stop(judged.pod);
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
      lines.warn('a pod could not be stopped', { namespace, pod, error });
    }
    await log.stopEnded(id, outcome, fault);
    count.add('svc_reconcile_stops_total', { outcome });
    if (outcome !== 'stopped') continue;
    stopped += 1;
    const message = `Stopped: policy ${policy.name} denies what it runs, and its replacement is allowed`;
    events.happened({ kind: 'stopped', namespace, pod, podUid, message });
  }
  return { stopped, notStopped: candidates.length - stopped - overLimit, overLimit };
}
