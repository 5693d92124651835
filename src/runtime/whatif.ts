import { actingPolicy, RuntimeDecider, type Decided } from './decide.ts';
import { guardStop, STOP_PERIOD, WORKLOAD_PERIOD } from './guard-stop.ts';
import type { RuntimePolicy, RuntimeRule } from './schema.ts';

/** RecordedEvent is an event as it was stored and decided, or as a file has it. */
export interface RecordedEvent extends Decided {
  readonly id: number;
  /** What was written down of what came of it; null of a file. */
  readonly recorded: string | null;
  readonly image: string | null;
  readonly pod: string | null;
  readonly podUid: string | null;
  readonly workload: string | null;
}

/** RuntimeDraft is what is tried: rules in their order, and runtime policies. */
export interface RuntimeDraft {
  readonly rules: readonly RuntimeRule[];
  readonly policies: readonly RuntimePolicy[];
}

/** ReplayLimits are those of stopping pods. */
export interface ReplayLimits {
  readonly maxStops: number;
  readonly ownNamespace: string | null;
}

/** WorkloadTally is what a draft would have done to a workload. */
export interface WorkloadTally {
  namespace: string | null;
  workload: string | null;
  image: string | null;
  digest: string | null;
  events: number;
  alerts: number;
  issues: number;
  stops: number;
  withheld: number;
}

/** RuntimeSample is one thing that the draft would have done. */
export interface RuntimeSample {
  readonly id: number;
  readonly time: number;
  readonly kind: 'alert' | 'stop' | 'withheld';
  readonly by: string;
  readonly rule: string;
  readonly priority: string;
  readonly namespace: string | null;
  readonly workload: string | null;
  readonly pod: string | null;
  readonly image: string | null;
  readonly why: string | null;
}

/** RuntimeWhatIf is the answer of a replay. Its keys are those of the API. */
export interface RuntimeWhatIf {
  readonly evaluated: number;
  readonly tests_skipped: number;
  readonly joined: number;
  readonly from: number | null;
  readonly to: number | null;
  readonly effects: Readonly<Record<'allow' | 'record' | 'notify', number>>;
  readonly alerts: number;
  readonly issues: number;
  readonly stops: number;
  readonly stops_withheld: number;
  readonly withheld_by_reason: Readonly<Record<string, number>>;
  /** As it was decided when the events came; null for a file of events. */
  readonly recorded: Readonly<{
    allow: number;
    record: number;
    notify: number;
    alerts: number;
    stops: number;
  }> | null;
  readonly by_rule: readonly {
    readonly rule: string | null;
    readonly action: string;
    readonly events: number;
    readonly alerts: number;
  }[];
  readonly by_workload: readonly WorkloadTally[];
  readonly by_workload_total: number;
  readonly samples: readonly RuntimeSample[];
  readonly notes: readonly string[];
}

const MAX_SAMPLES = 200;
const MAX_WORKLOADS = 500;

/** RuntimeReplay decides recorded events under a draft, in the order in which they are given to it. It writes nothing and stops nothing. */
export class RuntimeReplay {
  readonly #decider: RuntimeDecider;
  readonly #draft: RuntimeDraft;
  readonly #limits: ReplayLimits;
  readonly #workloads = new Map<string, WorkloadTally>();
  readonly #rules = new Map<string, { events: number; alerts: number }>();
  readonly #effects = { allow: 0, record: 0, notify: 0 };
  readonly #recorded = { allow: 0, record: 0, notify: 0, alerts: 0, stops: 0 };
  readonly #withheld = new Map<string, number>();
  readonly #issues = new Set<string>();
  readonly #stopped = new Set<string>();
  readonly #stops: number[] = [];
  readonly #workloadStops = new Map<string, number[]>();
  readonly #samples: RuntimeSample[] = [];
  readonly #fromFile: boolean;
  #evaluated = 0;
  #tests = 0;
  #joined = 0;
  #alerts = 0;
  #withheldStops = 0;
  #from: number | null = null;
  #to: number | null = null;

  constructor(draft: RuntimeDraft, limits: ReplayLimits, fromFile: boolean) {
    this.#draft = draft;
    this.#limits = limits;
    this.#fromFile = fromFile;
    this.#decider = new RuntimeDecider(draft.rules, draft.policies);
  }

  /** How far before the period events have to be given to `remember`, in milliseconds. */
  get memory(): number {
    return this.#decider.memory;
  }

  /** Takes an event of before the period: it fills windows and throttles, and counts nowhere. */
  remember(event: RecordedEvent): void {
    this.#decider.decide(event.subject);
  }

  take(event: RecordedEvent): void {
    const { subject } = event;
    if (subject.kind === 'test') {
      this.#tests += 1;
      return;
    }
    this.#evaluated += 1;
    if (event.subject.digest !== null) this.#joined += 1;
    this.#from = Math.min(this.#from ?? subject.at, subject.at);
    this.#to = Math.max(this.#to ?? subject.at, subject.at);
    this.#noteRecorded(event);
    const decision = this.#decider.decide(subject);
    this.#effects[decision.effect] += 1;
    const rule = this.#ruleOf(decision.rule);
    rule.events += 1;
    const workload = this.#workloadOf(event);
    workload.events += 1;
    if (decision.alert) {
      rule.alerts += 1;
      this.#alerts += 1;
      workload.alerts += 1;
      this.#sample(event, 'alert', decision.rule ?? '', null);
      const issue = `${subject.digest} ${subject.rule}`;
      if (subject.digest !== null && !this.#issues.has(issue)) {
        this.#issues.add(issue);
        workload.issues += 1;
      }
    }
    const policy = actingPolicy(decision.stops);
    if (policy !== null) this.#stop(event, policy, workload);
  }

  result(): RuntimeWhatIf {
    const actions = new Map(this.#draft.rules.map(({ name, action }) => [name, action]));
    const acted = ({ alerts, stops, withheld }: WorkloadTally): number =>
      stops * 1e6 + withheld * 1e3 + alerts;
    const workloads = [...this.#workloads.values()].toSorted(
      (a, b) => acted(b) - acted(a) || b.events - a.events,
    );
    return {
      evaluated: this.#evaluated,
      tests_skipped: this.#tests,
      joined: this.#joined,
      from: this.#from,
      to: this.#to,
      effects: { ...this.#effects },
      alerts: this.#alerts,
      issues: this.#issues.size,
      stops: this.#stopped.size,
      stops_withheld: this.#withheldStops,
      withheld_by_reason: Object.fromEntries(this.#withheld),
      recorded: this.#fromFile ? null : { ...this.#recorded },
      by_rule: [...this.#rules]
        .map(([name, counts]) => ({
          rule: name === '' ? null : name,
          action: actions.get(name) ?? 'record',
          ...counts,
        }))
        .toSorted((a, b) => b.events - a.events),
      by_workload: workloads.slice(0, MAX_WORKLOADS),
      by_workload_total: workloads.length,
      samples: this.#samples.toReversed(),
      notes: this.#notes(),
    };
  }

  /** A stop is written over what the rule did: by then it notified where it alerted. */
  #noteRecorded({ recorded, alerted }: RecordedEvent): void {
    if (alerted) this.#recorded.alerts += 1;
    if (recorded === 'stop') this.#recorded.stops += 1;
    const notified = recorded === 'notify' || recorded === 'issue' || (recorded === 'stop' && alerted);
    if (notified) this.#recorded.notify += 1;
    else if (recorded === 'allow') this.#recorded.allow += 1;
    else this.#recorded.record += 1;
  }

  #ruleOf(name: string | null): { events: number; alerts: number } {
    const key = name ?? '';
    const there = this.#rules.get(key) ?? { events: 0, alerts: 0 };
    this.#rules.set(key, there);
    return there;
  }

  #workloadOf({ subject, workload, image, pod }: RecordedEvent): WorkloadTally {
    const named = workload ?? pod ?? (subject.host === '' ? null : `host ${subject.host}`);
    const key = `${subject.namespace ?? ''}\0${named ?? ''}\0${subject.digest ?? image ?? ''}`;
    let there = this.#workloads.get(key);
    if (there === undefined) {
      there = {
        namespace: subject.namespace,
        workload: named,
        image,
        digest: subject.digest,
        events: 0,
        alerts: 0,
        issues: 0,
        stops: 0,
        withheld: 0,
      };
      this.#workloads.set(key, there);
    }
    return there;
  }

  /** A draft is replayed as if it enforced. A pod is stopped once: what it did afterwards would not have happened. */
  #stop(event: RecordedEvent, policy: RuntimePolicy, tally: WorkloadTally): void {
    const { subject, podUid, pod, workload } = event;
    const own = podUid ?? (this.#fromFile && pod !== null ? `${subject.namespace}/${pod}` : null);
    if (own !== null && this.#stopped.has(own)) return;
    const name = `${subject.namespace}/${workload ?? pod}`;
    const recent = (times: readonly number[], period: number): number =>
      times.filter((at) => at > subject.at - period).length;
    const ofWorkload = this.#workloadStops.get(name) ?? [];
    const answer = guardStop({
      enforcement: 'Enforce',
      namespace: subject.namespace,
      podUid: own,
      mirror: false,
      allowEnforce: true,
      ownNamespace: this.#limits.ownNamespace,
      age: 0,
      stops: recent(this.#stops.slice(-this.#limits.maxStops), STOP_PERIOD),
      maxStops: this.#limits.maxStops,
      workloadStops: recent(ofWorkload.slice(-16), WORKLOAD_PERIOD),
    });
    if (answer.kind === 'withheld') {
      tally.withheld += 1;
      this.#withheldStops += 1;
      this.#withheld.set(answer.why, (this.#withheld.get(answer.why) ?? 0) + 1);
      this.#sample(event, 'withheld', policy.name, answer.why);
      return;
    }
    if (own !== null) this.#stopped.add(own);
    this.#stops.push(subject.at);
    this.#workloadStops.set(name, [...ofWorkload, subject.at]);
    tally.stops += 1;
    this.#sample(event, 'stop', policy.name, null);
  }

  #sample(event: RecordedEvent, kind: RuntimeSample['kind'], by: string, why: string | null): void {
    const { subject, id, workload, pod, image } = event;
    const { at: time, rule, priority, namespace } = subject;
    this.#samples.push({ id, time, kind, by, rule, priority, namespace, workload, pod, image, why });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
  }

  #notes(): string[] {
    const notes: string[] = [];
    if (this.#draft.policies.some(({ spec }) => spec.enforcement === 'Audit'))
      notes.push('a policy under Audit is replayed as if it enforced');
    if (this.#fromFile)
      notes.push(
        'events of a file are not matched to running images, so every event counts as lastVerdict none and signed false; stops are counted for the pod that the event names',
      );
    if (this.#evaluated > this.#joined)
      notes.push(
        `${this.#evaluated - this.#joined} of ${this.#evaluated} events have no digest; they stop nothing and file no issue`,
      );
    if (this.#draft.policies.length > 0 && !this.#fromFile)
      notes.push('recorded events do not show which pods are static; the service never stops static pods');
    return notes;
  }
}
