import { DAY_MS, type Clock, type Count } from '../base/index.ts';
import { actingPolicy, RuntimeDecider, type RuntimeDecision } from './decide.ts';
import type { DecisionStore, EventDecision, KnownImage } from './decide-ports.ts';
import { toFields } from './event.ts';
import { joinEvent, type Joined, type PodsNow } from './join.ts';
import { parseLossless } from './lossless.ts';
import type { Subject } from './match.ts';
import type {
  PodStopper,
  RuntimePolicySource,
  RuntimeRuleStore,
  StoredEvent,
  StoredRule,
  WantedStop,
} from './ports.ts';
import { parsePriority } from './priority.ts';
import type { RuntimePolicy } from './schema.ts';

/** DecideEventsDeps are what events are decided with. */
export interface DecideEventsDeps {
  /** Name of the cluster; empty for none. */
  readonly cluster: string;
  readonly store: DecisionStore;
  readonly rules: Pick<RuntimeRuleStore, 'list'>;
  readonly policies: RuntimePolicySource;
  /** What runs now, or ran a moment ago; `digests` are those that the events name. */
  pods(digests: readonly string[]): Promise<PodsNow>;
  /** Null where no pod can be stopped. */
  readonly stopper: PodStopper | null;
  /** Null where nobody else can lead. */
  fence(): number | null;
  readonly clock: Clock;
  readonly count: Count;
}

/** Events that are decided by the same rules and the same pods. */
const BATCH = 500;
/** Those that one transaction writes: reviews wait for its end. */
const WRITTEN = 25;
/** An event may come so much later than its own time says, and still counts by that. */
const LATE_MS = DAY_MS;

/**
 * DecideEvents decides stored events in the order of their ids: the leader's job. Windows and throttles are in memory, and are made again of
 * what was decided whenever the rules changed or another process has decided since.
 */
export class DecideEvents {
  readonly #deps: DecideEventsDeps;
  #decider: { readonly key: string; readonly decider: RuntimeDecider; upTo: number } | null = null;
  #fence: number | null | undefined = undefined;
  #stops: WantedStop[] = [];

  constructor(deps: DecideEventsDeps) {
    this.#deps = deps;
  }

  /** Decides what waits. Throws what the ports throw; the next run goes on from there. */
  async run(signal: AbortSignal): Promise<void> {
    const { cluster, store } = this.#deps;
    try {
      for (;;) {
        const events = await store.undecided(cluster, BATCH);
        if (events.length === 0 || signal.aborted) return;
        await this.#decide(events);
        if (events.length < BATCH) return;
        await new Promise((next) => setImmediate(next));
      }
    } catch (error) {
      // What was decided in memory is not written.
      this.#decider = null;
      throw error;
    }
  }

  /** Stops the pods that are to be stopped, one after another. At a takeover that is what the leader before left too. */
  async stop(signal: AbortSignal): Promise<void> {
    const { cluster, store, policies, stopper, fence } = this.#deps;
    if (stopper === null) return;
    if (fence() !== this.#fence) {
      const named = new Map((await policies.inEffect()).map((policy) => [policy.name, policy]));
      const led = fence();
      const left = await store.pending(cluster);
      const ids = new Set(left.map(({ id }) => id));
      const taken = left.map((event) => {
        const name = event.policy ?? '';
        return { event, policy: named.get(name) ?? { name, spec: null } };
      });
      // What was decided while they were read is behind them.
      this.#stops = [...taken, ...this.#stops.filter(({ event }) => !ids.has(event.id))];
      this.#fence = led;
    }
    while (!signal.aborted) {
      const [next] = this.#stops;
      if (next === undefined) return;
      await stopper.stop(next);
      this.#stops.shift();
    }
  }

  async #decide(events: readonly StoredEvent[]): Promise<void> {
    const { cluster, store, fence, clock, count } = this.#deps;
    const rules = (await this.#deps.rules.list()).filter(({ fault }) => fault === null);
    const policies = await this.#deps.policies.inEffect();
    const held = await this.#deciderOf(rules, policies);
    const subjects = events.map((event) => ({ event, fields: fieldsOf(event) }));
    const named = subjects.flatMap(({ fields }) => fields.get('container.image.digest') ?? []);
    const pods = await this.#deps.pods(named);
    const joined = subjects.map(({ event, fields }) => ({
      event,
      fields,
      joined: joinEvent({ fields }, pods),
    }));
    const images = await store.images([...new Set(joined.flatMap(({ joined: { digest } }) => digest ?? []))]);
    for (let at = 0; at < joined.length; at += WRITTEN) {
      const asked: WantedStop[] = [];
      const decisions = joined.slice(at, at + WRITTEN).map((one): EventDecision => {
        const image = images.get(one.joined.digest ?? '') ?? UNKNOWN;
        const decision = held.decider.decide(subjectOf(one, image));
        const policy = this.#acting(decision);
        const event = { ...one.event, ...placed(one.joined, image) };
        if (policy?.effect === 'pending') asked.push({ event, policy: policy.policy });
        const { rule, effect, alert: alerted } = decision;
        return {
          event: one.event,
          joined: one.joined,
          image,
          rule,
          effect,
          alerted,
          policy: policy === null ? null : { name: policy.policy.name, effect: policy.effect },
        };
      });
      const notified = await store.write(fence(), cluster, clock.now(), decisions);
      held.upTo = decisions.at(-1)?.event.id ?? held.upTo;
      this.#stops.push(...asked);
      for (const { rule, effect } of decisions)
        if (rule !== null) count.add('svc_runtime_rule_matches_total', { rule, action: effect });
      if (notified.size > 0) count.add('svc_runtime_alerts_notified_total', {}, notified.size);
    }
  }

  #acting({ stops }: RuntimeDecision): {
    readonly policy: RuntimePolicy;
    readonly effect: 'pending' | 'would_stop' | 'withheld';
  } | null {
    const policy = actingPolicy(stops);
    if (policy === null) return null;
    if (policy.spec.enforcement === 'Audit') return { policy, effect: 'would_stop' };
    return { policy, effect: this.#deps.stopper === null ? 'withheld' : 'pending' };
  }

  async #deciderOf(rules: readonly StoredRule[], policies: readonly RuntimePolicy[]) {
    const { cluster, store, clock } = this.#deps;
    const key = JSON.stringify([rules.map(({ version }) => version), policies, rules.map(({ id }) => id)]);
    const upTo = await store.decidedUpTo(cluster);
    if (this.#decider?.key === key && this.#decider.upTo === upTo) return this.#decider;
    const decider = new RuntimeDecider(
      rules.map(({ rule }) => rule),
      policies,
    );
    if (decider.memory > 0) {
      const all = policies.some(({ spec }) => spec.window !== undefined && spec.window.count > 1);
      const since = clock.now() - decider.memory - LATE_MS;
      for await (const page of store.decided(cluster, since, all))
        for (const one of page) decider.resume(one);
    }
    return (this.#decider = { key, decider, upTo });
  }
}

const UNKNOWN: KnownImage = { name: null, lastVerdict: 'none', signed: false };

function fieldsOf({ fields }: StoredEvent): ReadonlyMap<string, string | null> {
  return toFields(fields === null ? {} : (parseLossless(fields) as Readonly<Record<string, unknown>>));
}

function subjectOf(
  {
    event,
    fields,
    joined,
  }: { readonly event: StoredEvent; readonly fields: Subject['fields']; readonly joined: Joined },
  { lastVerdict, signed }: KnownImage,
): Subject {
  const { kind, at, rule, tags } = event;
  return {
    kind,
    at,
    rule,
    tags,
    fields,
    lastVerdict,
    signed,
    priority: parsePriority(event.priority) ?? 'Debug',
    source: event.source ?? '',
    host: event.host ?? '',
    digest: joined.digest,
    namespace: joined.namespace,
  };
}

function placed(
  { digest, image, namespace, pod, podUid, workload, container, basis }: Joined,
  known: KnownImage,
) {
  return { digest, image: image ?? known.name, namespace, pod, podUid, workload, container, basis };
}
