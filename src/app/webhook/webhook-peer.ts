import type { DigestLookup, PolicySnapshot, ReviewEvents } from '../../admission/index.ts';
import type { IngressRoute, ServiceRoute } from '../../pods/index.ts';
import type { ServingCertificate } from '../../api/index.ts';
import type { Log } from '../../base/index.ts';
import type { Timers } from '../../ledger/index.ts';
import type { ReplicaStanding, SpoolNotes } from '../../replicas/index.ts';
import { StateTeller } from '../processes/kept-state.ts';
import type { Link } from '../processes/link.ts';
import { Peer } from '../processes/peer.ts';
import { endsWithin } from '../running/timers.ts';
import { TOPICS, type ServiceActs, type WebhookActs, type WebhookStatus } from './acts.ts';
import { putCounts, type CountingMetrics } from './count-relay.ts';
import { ReviewTraffic } from './review-traffic.ts';

/** WatchedCluster is what the service's part watches, and the webhook's decides by. */
export interface WatchedCluster {
  readonly policies: PolicySnapshot;
  readonly reviewEvents: ReviewEvents;
  readonly spoolNotes: Pick<SpoolNotes, 'write'>;
  readonly reads: {
    readonly kept: {
      changes(): number;
      services(): ReadonlyMap<string, ServiceRoute> | null;
      ingresses(): ReadonlyMap<string, IngressRoute> | null;
      nodes(): ReadonlyMap<string, string | null> | null;
    };
    states(): readonly { readonly kind: string; readonly staleSince: number | null }[];
  };
}

/** WebhookPeerDeps are what the webhook's part asks of the service's. */
export interface WebhookPeerDeps {
  readonly link: Link;
  /** Null outside a cluster. */
  readonly cluster: WatchedCluster | null;
  /** Null where registries are not asked what tags stand for. */
  readonly tags: DigestLookup | null;
  requestScans(digests: readonly string[], at: number): Promise<{ readonly unknown: readonly string[] }>;
  collect(digests: readonly string[]): Promise<{ readonly unknown: readonly string[] }>;
  runningNames(): Promise<readonly string[]>;
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: CountingMetrics;
}

/** How often what the cluster's watches changed is told, and how often the webhook's part is asked how it stands. Milliseconds. */
const TELL_EVERY = 100;
const ASK_EVERY = 1_000;
/** How long the webhook's part has for an answer that is asked for now. */
const ANSWER_MS = 2_000;

/** WebhookPeer is the webhook's part as the service's part deals with it: told what it decides by, and asked how it stands. */
export class WebhookPeer {
  readonly #deps: WebhookPeerDeps;
  readonly #peer: Peer<ServiceActs, WebhookActs>;
  readonly #state: StateTeller;
  #status: WebhookStatus | null = null;
  /** Whether reviews come, as of the last second. */
  readonly traffic = new ReviewTraffic();
  /** The counts of this life of it that came last. */
  #came: number | null = null;
  #looking: Promise<WebhookStatus | null> | null = null;
  #replicas: readonly ReplicaStanding[] = [];
  #certificate = new Map<string, unknown>();
  #callers = new Map<string, unknown>();
  #stale = '';
  #changes = -1;
  #told: ReturnType<PolicySnapshot['current']> = null;
  readonly #cancel = new Map<number, () => void>();
  #closed = false;
  readonly #gone = new Set<() => void>();

  constructor(deps: WebhookPeerDeps) {
    this.#deps = deps;
    const none = { digest: null, why: 'without --registry no registry is asked' } as const;
    this.#peer = new Peer<ServiceActs, WebhookActs>(deps.link, {
      log: deps.log,
      there: () => this.#tellAll(),
      gone: () => this.#left(),
      acts: {
        events: async (events) => {
          for (const event of events) deps.cluster?.reviewEvents.happened(event);
          return null;
        },
        digestOf: async (reference, signal) => deps.tags?.digestOf(reference, signal) ?? none,
        requestScans: ({ digests, at }) => deps.requestScans(digests, at),
        collect: ({ digests }) => deps.collect(digests),
        note: async ({ name, since }) => {
          await deps.cluster?.spoolNotes.write(name, since);
          return null;
        },
        runningNames: () => deps.runningNames(),
      },
    });
    this.#state = new StateTeller((piece) => this.#peer.tell('state', piece));
    deps.metrics.collect(async () => void (await this.look()));
  }

  /** Begins to tell and to ask. */
  start(): void {
    this.#peer.open();
    if (this.#deps.cluster !== null) this.#again(TELL_EVERY, async () => this.sync());
    this.#again(ASK_EVERY, async () => void (await this.look()));
  }

  /** How it stood when it was asked last; null while it is away. */
  get status(): WebhookStatus | null {
    return this.#status;
  }

  /** The replicas of the cluster as it saw them last; what it saw before it went away stands. */
  get seen(): readonly ReplicaStanding[] {
    return this.#replicas;
  }

  /** Asks how it stands, and takes over what it counted. The last answer where there is none in time; null while it is away. */
  async look(): Promise<WebhookStatus | null> {
    if (!this.#peer.isThere) return null;
    // One at a time: of two that meet, one would be given again what the other is about to take over.
    return (this.#looking ??= this.#look().finally(() => (this.#looking = null)));
  }

  async #look(): Promise<WebhookStatus | null> {
    try {
      const { status, counts } = await this.#peer.ask('status', { came: this.#came }, { ms: ANSWER_MS });
      this.#came = counts.number;
      putCounts(this.#deps.metrics, counts);
      this.#status = status;
      this.traffic.saw(status.reviews);
      this.#replicas = status.replicas;
    } catch {
      // It is away, or busy: the next round asks again.
    }
    return this.#status;
  }

  /** By whom it is called. */
  readonly callers = {
    takePaths: (ends: readonly string[]): void => this.#setCallers('paths', ends),
    trust: (authority: string): void => this.#setCallers('authority', authority),
  };

  /** Takes another certificate for connections from now on. */
  replaceCertificate({ cert, key }: ServingCertificate): void {
    this.#certificate = new Map([['serving', { cert, key }]]);
    this.#state.set(TOPICS.certificate, this.#certificate);
  }

  /** Tells what changed in the cluster since it was told last. */
  sync(): void {
    const { cluster } = this.#deps;
    if (cluster === null || !this.#peer.isThere) return;
    const policies = cluster.policies.current();
    if (policies !== null && policies !== this.#told) {
      this.#told = policies;
      this.#state.set(TOPICS.policies, new Map(policies.map((policy) => [policy.name, policy])));
    }
    const { kept } = cluster.reads;
    const changes = kept.changes();
    if (changes !== this.#changes) {
      this.#changes = changes;
      for (const topic of ['services', 'ingresses', 'nodes'] as const) {
        const entries = kept[topic]();
        if (entries !== null) this.#state.set(topic, entries);
      }
    }
    const routes = cluster.reads
      .states()
      .flatMap(({ kind, staleSince }) =>
        (kind === 'services' || kind === 'ingresses') && staleSince !== null ? [staleSince] : [],
      );
    const stale = [cluster.policies.staleSince(), routes.length === 0 ? null : Math.min(...routes)] as const;
    if (stale.join() === this.#stale) return;
    this.#stale = stale.join();
    this.#state.set(TOPICS.stale, new Map(Object.entries({ policies: stale[0], exposure: stale[1] })));
  }

  /** To be called once a write has been committed: the next review here is decided by it. Rejects where that is not so. */
  async inEffect(): Promise<void> {
    this.sync();
    await this.#peer.ask('inEffect', null, { ms: ANSWER_MS });
  }

  /** Lets this replica answer the question of a sweep. One that is away is silent, which is not an answer. */
  async tick(): Promise<void> {
    await this.#peer.ask('tick', null).catch(() => null);
  }

  /** The replicas of the cluster as the database has them now. */
  async replicas(): Promise<ReplicaStanding[]> {
    return this.#peer.ask('look', null);
  }

  /** Waits until it has ended, this many milliseconds at most. */
  async ended(ms: number): Promise<void> {
    if (!this.#peer.isThere) return;
    await endsWithin(new Promise<void>((resolve) => this.#gone.add(resolve)), ms);
  }

  close(): void {
    this.#closed = true;
    for (const cancel of this.#cancel.values()) cancel();
  }

  #setCallers(key: string, value: unknown): void {
    this.#callers = new Map([...this.#callers, [key, value]]);
    this.#state.set(TOPICS.callers, this.#callers);
  }

  /** A new life of it knows nothing. */
  #tellAll(): void {
    this.#state.forget();
    this.#came = null;
    this.#told = null;
    this.#changes = -1;
    this.#stale = '';
    if (this.#certificate.size > 0) this.#state.set(TOPICS.certificate, this.#certificate);
    if (this.#callers.size > 0) this.#state.set(TOPICS.callers, this.#callers);
    this.sync();
    void this.look();
  }

  #left(): void {
    this.#status = null;
    this.#deps.metrics.set('svc_admission_reviews_in_flight', 0);
    for (const resolve of this.#gone) resolve();
    this.#gone.clear();
  }

  #again(every: number, act: () => Promise<void>): void {
    const plan = (): void => {
      if (this.#closed) return;
      this.#cancel.set(
        every,
        this.#deps.timers.after(every, () => {
          act()
            .catch((error: unknown) =>
              this.#deps.log.error('the webhook was not told what changed', { error }),
            )
            .finally(plan);
        }),
      );
    };
    plan();
  }
}
