import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Count, Digest, Log } from '../base/index.ts';
import type { ColdImagePolicy, LedgerAppend } from '../ledger/index.ts';
import { Accounting, isProven } from './accounting.service.ts';
import { digestOf, isJudged, judgeRunning, type JudgeContext, type JudgedPod } from './judge-running.ts';
import { planStops, stopCandidates, workloadOf, type StopPlan } from './plan-stops.ts';
import { planSweep, type PlannedPod, type SweepPlan } from './plan-sweep.ts';
import type {
  PodEvents,
  PodLedger,
  PodRecord,
  PodStopper,
  PulledIndexes,
  RecordedFacts,
  Replacements,
  RunningPod,
  RunningPods,
  SweepAccount,
  SweepLog,
  SweepPolicies,
  TagDigests,
} from './ports.ts';
import { clusterFence, LeadershipError, type Leader } from '../leadership/index.ts';
import { asReviewed } from './pulled-images.ts';
import { knownReplacements } from './replacements.service.ts';
import { STOPS_REMEMBERED, type SweepRules } from './rules.ts';
import { seenWorkloads } from './seen.ts';
import { stopPods, type StopCounts } from './stop-pods.service.ts';

/** ReconciliationDeps are the parts that a reconciliation is made of. */
export interface ReconciliationDeps {
  readonly rules: SweepRules;
  readonly coldImagePolicy: ColdImagePolicy;
  readonly pods: RunningPods;
  /** `Service ns/name` or `Ingress ns/name` that leads to pods of these labels, or null. */
  readonly exposure: { of(namespace: string, labels: ReadonlyMap<string, string>): string | null };
  readonly policies: SweepPolicies;
  readonly facts: RecordedFacts;
  readonly indexes: PulledIndexes;
  readonly podLedger: PodLedger;
  readonly ledger: LedgerAppend;
  /** Asked after the pods were listed and before the ledger is read. */
  readonly account: SweepAccount;
  /** UTC milliseconds from which on the webhook is asked. */
  installedAt(): Promise<number>;
  readonly log: SweepLog;
  readonly replacements: Replacements;
  readonly stopper: PodStopper;
  readonly tags: TagDigests;
  /** The sentence by which the name of an image is refused now, or null. */
  readonly names: { refusal(name: string, at: number): string | null };
  /** Takes digests that run and were never scanned. */
  readonly scans: { want(digest: Digest): void };
  readonly events: PodEvents;
  readonly leader: Leader;
  readonly clock: Clock;
  readonly lines: Log;
  readonly count: Count;
}

/** SweepResult tells what a sweep did. */
export interface SweepResult extends StopCounts {
  /** Whether it saw every pod, so that what it did not see does not run. */
  readonly whole: boolean;
  readonly pods: number;
  /** Null where that could not be told yet, since replicas may hold rows. */
  readonly unreviewed: number | null;
  /** Skipped pods, since a replica may hold rows about them. */
  readonly unproven: number;
  readonly refused: number;
  /** Containers that break-glass allowed, and those that could not be judged. */
  readonly bypassed: number;
  readonly undecided: number;
  readonly rows: number;
}

/** Pods that are judged, or appended, before anything else gets its turn. */
const TURN = 64;
const NO_ROWS: PodRecord = { known: false, reviewed: false, bypassed: new Set() };

/** Reconciliation judges again what runs. */
export class Reconciliation {
  readonly #deps: ReconciliationDeps;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #accounting: Accounting;

  constructor(deps: ReconciliationDeps) {
    this.#deps = deps;
    this.#accounting = new Accounting(deps);
  }

  /**
   * One sweep, after the one that is under way: two at once would record what neither finds recorded. Null when another process leads.
   * Throws when it could not be done; what was appended stays.
   */
  run(signal: AbortSignal = new AbortController().signal): Promise<SweepResult | null> {
    const sweep = this.#turn.then(() => this.#run(signal));
    this.#turn = sweep.catch(() => undefined);
    return sweep;
  }

  async #run(signal: AbortSignal): Promise<SweepResult | null> {
    signal.throwIfAborted();
    const { leader, pods: source, rules, count, lines } = this.#deps;
    if (!leader.isLeader()) return null;
    const fence = leader.fence();
    const startedAt = this.#deps.clock.now();
    const { complete, pods: listed } = await source.list();
    const pods = await asReviewed(listed, this.#deps.indexes);
    const context = await this.#contextOf(pods, startedAt);
    const account = await this.#accounting.ask(fence, signal);
    const records = await this.#deps.podLedger.find(
      pods.map((pod) => ({
        uid: pod.uid,
        createdAt: pod.createdAt,
        whole: pod.breakGlassReason !== null && isJudged(pod),
      })),
    );
    const proven = pods.filter((pod) => isProven(pod, records.get(pod.uid), account));
    const judged = await this.#judge(proven, records, context);
    const candidates = complete ? stopCandidates(judged, rules) : [];
    const stops = await this.#planStops(candidates, pods, context, signal);
    const verdicts = await this.#deps.podLedger.verdicts(firstOf(pods, startedAt));
    const plan = planSweep({
      rules,
      startedAt,
      judged,
      verdicts,
      installedAt: await this.#deps.installedAt(),
      others: pods.filter((pod) => !isJudged(pod)),
      records: account.whole ? records : null,
      withheld: stops.withheld,
    });
    this.#mustLead(signal);
    const { unreviewed, refused, notices } = plan;
    const begun = { cluster: rules.cluster, startedAt, pods: pods.length, unreviewed, refused, notices };
    const id = await this.#deps.log.begin(fence, begun);
    const seen = seenWorkloads(pods);
    let rows: number;
    let stopped: Pick<StopCounts, 'stopped' | 'notStopped' | 'overLimit'>;
    try {
      rows = await this.#append(plan, fence, signal);
      this.#wantScans(judged, context);
      stopped = await stopPods(this.#deps, fence, stops.stop, signal);
      this.#mustLead(signal);
    } catch (error) {
      await this.#breakOff(fence, id, error);
      throw error;
    }
    const fault = complete ? null : 'the list of pods was not complete';
    const { cluster } = rules;
    const at = this.#deps.clock.now();
    await this.#deps.log.end(fence, id, { cluster, at, running: seen, fault, accounted: account.whole });
    if (complete) this.#deps.podLedger.keep(new Set(pods.map(({ uid }) => uid)));

    const { withheld, putOff } = stops;
    const sum = (of: (judged: JudgedPod) => number): number => judged.reduce((all, one) => all + of(one), 0);
    const result: SweepResult = {
      ...stopped,
      withheld: withheld.size,
      putOff,
      whole: complete,
      pods: pods.length,
      unreviewed: account.whole ? unreviewed : null,
      unproven: pods.length - proven.length,
      refused,
      bypassed: sum((one) => one.bypassed),
      undecided: sum((one) => one.undecided),
      rows,
    };
    count.add('svc_reconcile_sweeps_total', { outcome: complete ? 'whole' : 'partial' });
    lines.info('running pods judged again', { ...result });
    return result;
  }

  async #contextOf(pods: readonly RunningPod[], at: number): Promise<JudgeContext> {
    const { policies, facts, exposure, coldImagePolicy } = this.#deps;
    const digests = new Set<string>();
    for (const pod of pods) {
      if (!isJudged(pod)) continue;
      for (const container of pod.containers) {
        const digest = digestOf(container);
        if (digest !== null) digests.add(digest);
      }
    }
    return {
      policies: await policies(),
      facts: await facts.load([...digests]),
      exposedBy: (namespace, labels) => exposure.of(namespace, labels),
      coldImagePolicy,
      at,
    };
  }

  async #judge(
    pods: readonly RunningPod[],
    records: ReadonlyMap<string, PodRecord>,
    context: JudgeContext,
  ): Promise<JudgedPod[]> {
    const judged: JudgedPod[] = [];
    for (const [i, pod] of pods.entries()) {
      if (i % TURN === TURN - 1) await nextTurn();
      if (isJudged(pod)) judged.push(judgeRunning(pod, records.get(pod.uid) ?? NO_ROWS, context));
    }
    return judged;
  }

  async #planStops(
    candidates: Parameters<typeof planStops>[0],
    pods: readonly RunningPod[],
    context: JudgeContext,
    signal: AbortSignal,
  ): Promise<StopPlan> {
    if (candidates.length === 0) return { stop: [], withheld: new Map(), putOff: 0 };
    const { log, rules, names, facts } = this.#deps;
    const replacements = await knownReplacements(
      candidates.map(({ judged }) => judged.pod),
      { ...this.#deps, context },
      signal,
    );
    const digests = [...replacements.values()].flatMap((one) =>
      (one?.images ?? []).flatMap(({ digest }) => digest ?? []),
    );
    const more = await facts.load([...new Set(digests)]);
    const running = new Map<string, number>();
    for (const pod of pods) {
      if (isJudged(pod)) running.set(workloadOf(pod), (running.get(workloadOf(pod)) ?? 0) + 1);
    }
    const whole = { ...context, facts: new Map([...context.facts, ...more]) };
    const quota = (name: string): string | null => names.refusal(name, context.at);
    const earlier = await log.stops(rules.cluster, context.at - STOPS_REMEMBERED);
    return planStops(candidates, replacements, earlier, running, quota, whole);
  }

  /** Appends the rows of each pod whole, and reports them once they are durable. */
  async #append({ pods }: SweepPlan, value: number, signal: AbortSignal): Promise<number> {
    let rows = 0;
    const fence = clusterFence(this.#deps.rules.cluster, value);
    for (let from = 0; from < pods.length; from += TURN) {
      this.#mustLead(signal);
      const at = this.#deps.clock.now();
      const some = pods.slice(from, from + TURN);
      await Promise.all(
        some.map((planned) => {
          const entry = { uid: null, fence, rows: planned.rows.map((row) => ({ ...row, at })) };
          return this.#deps.ledger.append(entry);
        }),
      );
      for (const planned of some) this.#tell(planned);
      rows += some.reduce((all, planned) => all + planned.rows.length, 0);
    }
    return rows;
  }

  #tell({ pod, unreviewed, refusal, withheld }: PlannedPod): void {
    const { events, count } = this.#deps;
    const about = { namespace: pod.namespace, pod: pod.name, podUid: pod.uid };
    if (unreviewed) {
      count.add('svc_reconcile_unreviewed_total');
      const message = 'The pod was created without a review: the webhook was not asked or did not answer';
      events.happened({ ...about, kind: 'unreviewed', message });
    }
    if (refusal === null) return;
    count.add('svc_reconcile_refused_total');
    events.happened({ ...about, kind: withheld === null ? 'refused' : 'withheld', message: refusal });
  }

  #wantScans(judged: readonly JudgedPod[], { facts }: JudgeContext): void {
    const wanted = new Set<Digest>();
    for (const { images } of judged) {
      for (const { digest } of images) if (digest !== null && !facts.get(digest)?.scan) wanted.add(digest);
    }
    for (const digest of wanted) this.#deps.scans.want(digest);
  }

  /** Says on the sweep why it is not whole; where that cannot be written either, it stays without an end. */
  async #breakOff(fence: number, id: number, error: unknown): Promise<void> {
    const { log, leader, clock, count, rules } = this.#deps;
    const { cluster } = rules;
    count.add('svc_reconcile_sweeps_total', { outcome: 'failed' });
    if (!leader.isLeader()) return;
    const fault = error instanceof Error ? error.message : String(error);
    await log
      .end(fence, id, { cluster, at: clock.now(), running: [], fault, accounted: false })
      .catch(() => {});
  }

  #mustLead(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (!this.#deps.leader.isLeader())
      throw new LeadershipError('lost', 'another process leads now; the sweep was broken off');
  }
}

/** When the oldest pod was made. */
function firstOf(pods: readonly RunningPod[], now: number): number {
  return pods.reduce((first, { createdAt }) => Math.min(first, createdAt), now);
}
