import type { Clock, Count, Log } from '../base/index.ts';
import type { Leader } from '../leadership/index.ts';
import { guardStop, NEVER_STOPPED, type StopAnswer } from './guard-stop.ts';
import { standingOf } from './same-pod.ts';
import type { StopPolicy } from './ports.ts';
import type {
  LivePod,
  LivePods,
  StopAttempt,
  StopCounts,
  StopEnd,
  StopEvent,
  StopLog,
  StopNotice,
  StopNotices,
  WithheldDraft,
} from './stop-ports.ts';

/** StopRules are the settings of stopping pods. */
export interface StopRules {
  /** The installation's `clusterName`; empty where it has none. */
  readonly cluster: string;
  /** The namespace that the operator stands in. */
  readonly ownNamespace: string;
  readonly allowEnforce: boolean;
  /** Pods that may be stopped within a minute, by sweeps too. */
  readonly maxStops: number;
}

/** PodStopsDeps are what pods are stopped with. */
export interface PodStopsDeps {
  readonly rules: StopRules;
  readonly pods: LivePods;
  readonly log: StopLog;
  readonly notices: StopNotices;
  /** How the image could be denied at admission instead; null where it cannot be told. Called once an hour for each workload. */
  draftOf(event: StopEvent): Promise<WithheldDraft | null>;
  readonly leader: Leader;
  readonly clock: Clock;
  readonly lines: Log;
  readonly count: Count;
}

/** Times that a pod is read again after it changed. */
const TRIES = 3;
/** `immediate` gives a pod one second to end. */
const IMMEDIATE_SECONDS = 1;

/** PodStops stops the pods of events, each only while it is the pod that the event was about. */
export class PodStops {
  readonly #deps: PodStopsDeps;

  constructor(deps: PodStopsDeps) {
    this.#deps = deps;
  }

  /**
   * Stops the pod of an event, or writes down why not. A stop that another process began and did not end is taken up where it stands,
   * unless a guard withholds it by now.
   * Rejects while the API server or the database is away: nothing is settled then, and it can be asked again.
   */
  async stop({ event, policy }: { readonly event: StopEvent; readonly policy: StopPolicy }): Promise<void> {
    const { rules, log, leader, clock } = this.#deps;
    if (!leader.isLeader()) return;
    const fence = leader.fence();
    const stopMode = policy.spec?.stopMode ?? 'immediate';
    const attempt = { at: clock.now(), cluster: rules.cluster, policy: policy.name, stopMode, event };
    const place = placeOf(event);
    const pod = place === null ? null : await this.#deps.pods.read(place.namespace, place.name);
    const standing = place === null ? null : standingOf(event, pod);
    const answer = (counts: StopCounts): StopAnswer => this.#answer(event, policy, pod, counts);
    const draft = standing === null ? await this.#draftFor(attempt, answer) : null;
    const begun = await log.begin(fence, attempt, standing, answer, draft);
    if (begun.kind === 'done') return;
    if (begun.kind === 'settled') {
      this.#count(begun.outcome);
      if (begun.outcome === 'withheld') this.#tell(attempt, 'withheld', begun.why, pod);
      return;
    }
    if (place === null) return;
    const settled = begun.kind === 'resumed' ? endOf(event, pod, answer(NO_STOPS)) : null;
    const end = settled ?? (await this.#remove(attempt, place, pod));
    if (end === null) return;
    await log.end(begun.id, event.id, end.outcome, end.fault);
    this.#count(end.outcome);
    const isStopped = end.outcome === 'stopped';
    this.#tell(attempt, isStopped ? 'stopped' : 'failed', end.fault ?? UNSTOPPED[end.outcome] ?? null, pod);
  }

  #answer(
    { at, receivedAt, namespace, podUid }: StopEvent,
    { spec }: StopPolicy,
    pod: LivePod | null,
    counts: StopCounts,
  ): StopAnswer {
    const { rules, clock } = this.#deps;
    const { allowEnforce, ownNamespace, maxStops } = rules;
    if (spec === null) return { kind: 'withheld', loop: false, why: 'its policy is no longer in effect' };
    return guardStop({
      enforcement: spec.enforcement,
      namespace,
      podUid,
      mirror: pod?.mirror === true,
      allowEnforce,
      ownNamespace,
      maxStops,
      age: clock.now() - (receivedAt ?? at),
      ...counts,
    });
  }

  /** The draft costs a replay, so it is only asked for where the stop is about to be withheld for what its workload does. */
  async #draftFor(
    attempt: StopAttempt,
    answer: (counts: StopCounts) => StopAnswer,
  ): Promise<WithheldDraft | null> {
    const { log, draftOf, lines } = this.#deps;
    const likely = answer(await log.counts(attempt));
    if (likely.kind !== 'withheld' || isForeign(attempt.event, this.#deps.rules)) return null;
    try {
      return await draftOf(attempt.event);
    } catch (error) {
      lines.warn('no draft could be made of a policy that denies an image', { error });
      return null;
    }
  }

  /** Null where another process leads by now: it takes the stop up. */
  async #remove({ stopMode, event }: StopAttempt, place: Place, first: LivePod | null): Promise<End | null> {
    const { pods, leader, lines } = this.#deps;
    let pod = first;
    try {
      for (let tries = 0; tries <= TRIES; tries += 1) {
        if (tries > 0) pod = await pods.read(place.namespace, place.name);
        const standing = standingOf(event, pod);
        if (standing !== null || pod === null) return { outcome: standing ?? 'gone', fault: null };
        if (!leader.isLeader()) return null;
        const outcome = await pods.remove(place, pod, stopMode === 'immediate' ? IMMEDIATE_SECONDS : null);
        if (outcome !== 'changed') return { outcome, fault: null };
      }
      return { outcome: 'failed', fault: 'it changed each time that it was read' };
    } catch (error) {
      const { namespace, name } = place;
      lines.warn('a pod could not be stopped', { namespace, pod: name, error });
      return { outcome: 'failed', fault: error instanceof Error ? error.message : String(error) };
    }
  }

  #count(outcome: string): void {
    this.#deps.count.add('svc_runtime_stops_total', { outcome });
  }

  #tell(
    { event, policy }: StopAttempt,
    kind: StopNotice['kind'],
    why: string | null,
    pod: LivePod | null,
  ): void {
    const { namespace, pod: name, podUid, rule } = event;
    if (namespace === null || name === null || podUid === null) return;
    const asked = `runtime policy ${policy} asks to stop pod ${name} after an event of "${rule}"`;
    const message = kind === 'stopped' ? `Stopped: ${asked}` : `Not stopped: ${asked}; ${why ?? ''}`;
    this.#deps.notices.happened({ kind, namespace, pod: name, podUid, owner: pod?.owner ?? null, message });
  }
}

/** Why a pod was not stopped that the API server was asked to delete. */
const UNSTOPPED: Readonly<Partial<Record<StopEnd, string>>> = {
  gone: 'it was gone by then',
  changed: 'it was another pod by then',
  refused: 'the API server denied it',
};

interface End {
  readonly outcome: StopEnd;
  readonly fault: string | null;
}

const NO_STOPS: StopCounts = { stops: 0, workloadStops: 0 };

/** endOf is the end of a stop that another process began, or null where it is to be gone on with. Limits counted it when it began. */
function endOf({ podUid }: StopEvent, pod: LivePod | null, answer: StopAnswer): End | null {
  const begun = 'the process ended before the answer';
  // Only the process that began it can have asked for that.
  if (pod === null || pod.uid !== podUid || pod.deleting)
    return { outcome: 'stopped', fault: `${begun}; the pod is gone` };
  if (answer.kind === 'stop') return null;
  const why = answer.kind === 'withheld' ? answer.why : 'its policy audits by now';
  return { outcome: 'failed', fault: `${begun}; ${why}` };
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** Null where the pod of an event is not known. */
function placeOf({ namespace, pod, podUid, digest }: StopEvent): Place | null {
  if (namespace === null || pod === null || podUid === null || digest === null) return null;
  return { namespace, name: pod };
}

/** Namespaces of which no policy of a user keeps images out. */
function isForeign({ namespace }: StopEvent, { ownNamespace }: StopRules): boolean {
  return namespace === null || namespace === ownNamespace || NEVER_STOPPED.includes(namespace);
}
