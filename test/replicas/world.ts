import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '../../src/replicas/index.ts';
import { askReplicas } from '../../src/replicas/index.ts';
import { Reconciliation, type RunningPod } from '../../src/reconcile/index.ts';
import { podLedger } from '../../src/store/cluster/reconcile-ledger.ts';
import { raiseClusterFence } from '../../src/store/leadership/cluster-fence.ts';
import { sweepFacts, sweepLog } from '../../src/store/cluster/reconcile-sweeps.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { AT, BAD, CLEAN, container, podOf, policy, SAFE, uidOf } from '../reconcile/parts.ts';
import { finding, rowsOf, scanOf } from '../store/image-records.ts';
import { random } from '../supply-chain/verify-mutate.ts';
import { Life, Link, type Outage } from './life.ts';
import { VirtualTime } from './time.ts';

/** Plan is what a schedule varies beside chance. */
export interface Plan {
  readonly seed: number;
  readonly death: 'killed' | 'terminated';
  /** Whose database goes away and comes back. */
  readonly away: 'all' | 'one';
  /** `own`: the rule of before, by which a leader looks at its own spool alone. */
  readonly rule: 'all' | 'own';
}

/** Outcome is what a schedule came to. */
export interface Outcome {
  pods: number;
  sweeps: number;
  /** Sweeps that could not tell of every pod. */
  partial: number;
  falseUnreviewed: number;
  falseStops: number;
  /** Pods that nobody reviewed, and those of them that a sweep found. */
  missed: number;
  found: number;
  /** Refused ones among them, and those that were stopped. */
  toStop: number;
  stopped: number;
  /** Reviews that were answered and are not in the ledger exactly once at the end. */
  lost: number;
}

type Kind = 'admitted' | 'bypassed' | 'turned' | 'missed' | 'missed and refused';
const KINDS: readonly Kind[] = ['admitted', 'admitted', 'bypassed', 'turned', 'missed', 'missed and refused'];

interface Pod {
  readonly pod: RunningPod;
  readonly kind: Kind;
  /** Whether the API server had an answer: else nobody reviewed it, whatever the ledger says later. */
  readonly answered: boolean;
}

const HOSTS = ['ipo-0', 'ipo-1', 'ipo-2'] as const;
const SKEWS = [0, 0, 0, 300_000, -300_000, 80_000_000, -80_000_000];
const OUTAGES: readonly Outage[] = ['refuses', 'hangs', 'answers are lost'];
/** Milliseconds after which the webhook answers without its rows. */
const BUDGET = 3_000;

/** runSchedule plays one schedule of three replicas, and counts what it came to. */
export async function runSchedule(store: Store, plan: Plan): Promise<Outcome> {
  const world = new World(store, plan);
  try {
    await world.play();
    return await world.end();
  } finally {
    await world.close();
  }
}

class World {
  readonly #store: Store;
  readonly #plan: Plan;
  /** Schedules share a database as clusters do. */
  readonly #cluster: string;
  readonly #random: () => number;
  readonly #time = new VirtualTime(AT);
  readonly #folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'ipo-replicas-'));
  readonly #notes = new Map<string, number>();
  readonly #links = HOSTS.map(() => new Link());
  readonly #skews: number[];
  readonly #lives: (Life | null)[] = [null, null, null];
  readonly #all: Life[] = [];
  readonly #pods = new Map<string, Pod>();
  readonly #present = new Set<string>();
  readonly #stopped = new Set<string>();
  #leader: { readonly life: Life; readonly fence: number; readonly service: Reconciliation } | null = null;
  #out: Outcome = {
    ...{ pods: 0, sweeps: 0, partial: 0, falseUnreviewed: 0, falseStops: 0 },
    ...{ missed: 0, found: 0, toStop: 0, stopped: 0, lost: 0 },
  };

  constructor(store: Store, plan: Plan) {
    this.#store = store;
    this.#plan = plan;
    this.#cluster = `eu-${plan.seed}`;
    this.#random = random(plan.seed);
    this.#skews = HOSTS.map(() => this.#pick(SKEWS));
  }

  async play(): Promise<void> {
    await this.#scanned(CLEAN, 0);
    await this.#scanned(BAD, 1);
    await raiseClusterFence(this.#store, this.#cluster, 'install', AT - 200_000_000);
    for (const i of HOSTS.keys()) await this.#start(i);
    for (let step = 0; step < 24; step += 1) await this.#step();
  }

  async #step(): Promise<void> {
    const chance = this.#random();
    if (chance < 0.35) await this.#create(this.#pick(KINDS));
    else if (chance < 0.55) await this.#outage();
    else if (chance < 0.7) await this.#die(this.#below(3));
    else if (chance < 0.78) await this.#start(this.#below(3));
    else if (chance < 0.93) await this.#sweep();
    else await this.#time.pass(this.#random() * 90_000);
    // The spool takes a moment to be put back: whoever leads must not be quicker.
    if (this.#random() < 0.5) await this.#time.pass(this.#random() * 4_000);
  }

  /** Everybody comes back; then nothing may be left open. */
  async end(): Promise<Outcome> {
    this.#restore();
    await this.#time.pass(1_000);
    for (const i of HOSTS.keys()) await this.#start(i);
    await this.#time.pass(30_000);
    await this.#sweep();
    await this.#sweep();
    const out = this.#out;
    const unreviewed = await this.#uids('unreviewed');
    const reviewed = await this.#uids('review');
    for (const [uid, { kind, answered }] of this.#pods) {
      out.pods += 1;
      if (kind.startsWith('missed')) {
        out.missed += 1;
        if (unreviewed.includes(uid)) out.found += 1;
        if (kind === 'missed and refused') out.toStop += 1;
        if (kind === 'missed and refused' && this.#stopped.has(uid)) out.stopped += 1;
      } else if (answered) {
        if (reviewed.filter((one) => one === uid).length !== 1) out.lost += 1;
        if (unreviewed.includes(uid)) out.falseUnreviewed += 1;
      }
    }
    return out;
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((life) => life.bury()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #create(kind: Kind): Promise<void> {
    const n = this.#plan.seed * 1000 + this.#pods.size;
    const digest = kind === 'admitted' || kind === 'missed' ? CLEAN : BAD;
    const containers = [container(digest)];
    const pod = podOf(n, {
      containers,
      namespace: `shop-${n}`,
      // Whole seconds of the API server's clock, taken before it asks.
      createdAt: Math.floor(this.#time.now / 1000) * 1000,
      breakGlassReason: kind === 'bypassed' ? 'incident 7' : null,
    });
    const answered = !kind.startsWith('missed') && (await this.#review(pod, kind));
    // One whose review nobody could take was not reviewed; which it was is of no matter here.
    this.#pods.set(pod.uid, { pod, kind, answered });
    this.#present.add(pod.uid);
  }

  /** Asks a replica as the API server does. False when it had no answer that was recorded. */
  async #review(pod: RunningPod, kind: Kind): Promise<boolean> {
    const able = this.#lives.filter((one) => one !== null && !one.dead && !one.leaving);
    const cut = able.filter((one) => one?.reachesDatabase === false);
    const life = this.#pick(cut.length > 0 && this.#random() < 0.7 ? cut : able);
    if (!life) return false;
    const state: { answer: boolean | null } = { answer: null };
    const row = {
      ...{
        at: life.clock.now(),
        kind: 'review',
        cluster: this.#cluster,
        namespace: pod.namespace,
        pod: pod.name,
      },
      ...{ pod_uid: pod.uid, container: 'web', image: 'ghcr.io/acme/web:1', allowed: true, reason: '' },
      ...{ digest: kind === 'admitted' ? CLEAN : BAD, break_glass: kind === 'bypassed' },
    } as const;
    life.appender.append({ uid: pod.uid, rows: [row] }).then(
      () => (state.answer ??= !life.dead),
      () => (state.answer ??= false),
    );
    await this.#time.settle();
    // A process may be killed in the middle of it.
    if (this.#plan.death === 'killed' && this.#random() < 0.05) life.kill();
    for (let waited = 0; waited < BUDGET && state.answer === null && !life.dead; waited += 250)
      await this.#time.pass(250);
    return state.answer ?? false;
  }

  async #start(i: number): Promise<void> {
    const before = this.#lives[i];
    if (before !== null && !before?.dead) return;
    const [link, host] = [this.#links[i] as Link, HOSTS[i] as string];
    if (link.outage !== null) return; // the service does not start without its database
    const life = await Life.start({
      ...{
        store: this.#store,
        cluster: this.#cluster,
        notes: this.#notes,
        directory: join(this.#folder, host),
        host,
        link,
      },
      ...{ time: this.#time, skew: this.#skews[i] as number },
    });
    this.#all.push(life);
    this.#lives[i] = life;
  }

  async #die(i: number): Promise<void> {
    const life = this.#lives[i];
    if (!life || life.dead) return;
    if (this.#plan.death === 'killed') life.kill();
    else await life.terminate();
  }

  /** A database goes away, pods come, somebody may die of it, and perhaps it comes back at once. */
  async #outage(): Promise<void> {
    const outage = this.#pick(OUTAGES);
    const one = this.#below(3);
    for (const [i, link] of this.#links.entries())
      if (this.#plan.away === 'all' || i === one) link.down(outage);
    for (let pods = this.#below(4); pods > 0; pods -= 1) await this.#create(this.#pick(KINDS));
    if (this.#random() < 0.4) await this.#die(this.#random() < 0.5 ? one : this.#below(3));
    if (this.#random() < 0.6) this.#restore();
    if (this.#random() < 0.6) await this.#sweep();
  }

  #restore(): void {
    for (const link of this.#links) link.up();
  }

  /** A sweep of whoever leads: another one now and then, so that nothing is remembered. */
  async #sweep(): Promise<void> {
    const able = this.#lives.filter(
      (life) => life !== null && !life.dead && !life.leaving && life.reachesDatabase,
    );
    if (able.length === 0) return;
    if (this.#leader === null || !able.includes(this.#leader.life) || this.#random() < 0.3) {
      const life = this.#pick(able) as Life;
      const fence = await raiseClusterFence(this.#store, this.#cluster, 'leader', this.#time.now);
      this.#leader = { life, fence, service: this.#service(life, fence) };
    }
    const result = await this.#leader.service.run().catch(() => null);
    if (result === null) return;
    this.#out.sweeps += 1;
    if (result.unreviewed === null) this.#out.partial += 1;
  }

  #service(life: Life, fence: number): Reconciliation {
    const store = this.#store;
    const replicas = life.replicas();
    const wait = (ms: number): Promise<void> => this.#time.pass(ms);
    let tokens = 0;
    const all = (mine: number, signal: AbortSignal): Promise<Account> =>
      askReplicas(
        {
          ...{
            cluster: this.#cluster,
            store: replicas,
            notes: life.notes(),
            own: () => life.report.tick(),
            wait,
          },
          ...{ newToken: () => `${mine}-${(tokens += 1)}`, clock: life.clock },
        },
        mine,
        signal,
      );
    // As it was: nothing is said while rows wait here, and pods with a row are judged all the same.
    const own = async (): Promise<Account> => ({ whole: !life.appender.delayed, since: AT, holders: [] });
    return new Reconciliation({
      rules: {
        cluster: this.#cluster,
        ownNamespace: 'ipo',
        leftOut: [],
        selected: () => true,
        allowEnforce: true,
        maxStops: 10,
      },
      coldImagePolicy: 'AllowAndScan',
      pods: {
        list: async () => {
          const pods = [...this.#present].map((uid) => (this.#pods.get(uid) as Pod).pod);
          return { complete: true, pods };
        },
      },
      exposure: { of: () => null },
      policies: async () => [policy({ runtimeReconciliation: 'enforce' })],
      facts: sweepFacts(store),
      indexes: { of: async () => [] },
      podLedger: podLedger(store),
      ledger: life.appender,
      account: this.#plan.rule === 'own' ? own : all,
      installedAt: async () => AT - 200_000_000,
      log: sweepLog(store),
      replacements: {
        of: async () => ({
          labels: new Map(),
          spec: { containers: [{ name: 'web', image: 'ghcr.io/acme/web:2', securityContext: { ...SAFE } }] },
        }),
      },
      stopper: {
        stop: async ({ uid }) => {
          const { kind, answered } = this.#pods.get(uid) as Pod;
          // Enforcement may stop what a review admitted and a policy refuses now, if it knows of the review.
          const known = kind === 'turned' && (await this.#uids('review')).includes(uid);
          if (answered && !known) this.#out.falseStops += 1;
          this.#stopped.add(uid);
          this.#present.delete(uid);
          return 'stopped';
        },
      },
      tags: { digestOf: async () => CLEAN },
      names: { refusal: () => null },
      scans: { want: () => {} },
      events: { happened: () => {} },
      leader: { isLeader: () => !life.dead, fence: () => fence },
      clock: life.clock,
      lines: life.log,
      count: { add: () => {} },
    });
  }

  async #uids(kind: string): Promise<string[]> {
    const rows = await rowsOf(
      this.#store,
      `select r.pod from ledger_rows r join ledger_shapes s on s.id = r.shape where s.kind = '${kind}'
         and s.cluster = '${this.#cluster}'`,
    );
    return rows.map(({ pod }) => uidOf(Number(String(pod).slice('web-'.length))));
  }

  async #scanned(digest: string, critical: number): Promise<void> {
    const findings = critical === 0 ? [] : [finding('CVE-2026-1000', 'CRITICAL')];
    const scan = scanOf(findings, { scannedAt: new Date(AT).toISOString() });
    await this.#store.write(async (transaction) => {
      await recordScan(transaction, { digest, names: [], source: null, at: AT, scan });
    });
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n);
  }

  #pick<T>(all: readonly T[]): T {
    return all[this.#below(all.length)] as T;
  }
}
