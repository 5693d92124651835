import { after } from 'node:test';
import { parseTrivyReport } from '../../src/adapters/trivy/index.ts';
import { Secret, type Log } from '../../src/base/index.ts';
import type { ChannelEvent, TrackerChannel } from '../../src/channels/index.ts';
import { importReports } from '../../src/scan/index.ts';
import { runText, type Cell } from '../../src/store/sql/dialect.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { recordScan, scanStore } from '../../src/store/scans/scans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { raiseFence } from '../../src/store/leadership/fence.ts';
import { filingStore } from '../../src/store/tracking/filing.ts';
import { trackingHistory } from '../../src/store/tracking/history.ts';
import { runningImages } from '../../src/store/history/tracking-running.ts';
import { continuationStore } from '../../src/store/tracking/continuations.ts';
import { sweepStore } from '../../src/store/tracking/sweep.ts';
import {
  Breaker,
  Filing,
  openMarkers,
  SteadyClock,
  Sweep,
  type Block,
  type ClosingPlan,
  type IssueTracker,
  type TrackerParts,
  type TrackingRow,
} from '../../src/trackers/index.ts';
import type { TestEngine } from '../store/engines.ts';
import { digestOf, finding, scanOf } from '../store/image-records.ts';
import { FakeTracker, type Flavour } from './fake-tracker.ts';
import { VirtualClock } from './virtual-clock.ts';

/** BEGIN is the wall clock at the beginning of a world. */
export const BEGIN = Date.UTC(2026, 10, 21, 9);

const TABLES = [
  'finding_history',
  'scan_history',
  'run_history',
  'cluster_days',
  ...[
    'tracking',
    'tracking_issues',
    'tracking_summaries',
    'tracking_continuations',
    'channels',
    'findings',
    'scans',
    'triage',
    'cve_totals',
    'cve_packages',
  ],
  ...['running_images', 'clusters', 'reconcile_sweeps', 'runtime_events'],
];

/** worldsOf opens worlds one after another in one store of an engine. Call it inside a suite. */
export function worldsOf(engine: TestEngine): () => Promise<World> {
  let store: Promise<Store> | null = null;
  after(async () => (await store)?.close());
  return async () => {
    store ??= engine.migrated().then((url) => openStore({ url }));
    return World.open(await store);
  };
}

/** Hook is called around every call to a store or to a tracker: the boundaries that a process can die at. */
export type Hook = (step: string, place: 'before' | 'after') => void;

interface ChannelOptions {
  readonly flavour?: Flavour;
  readonly dailyCap?: number;
  readonly firstRunSummary?: boolean;
  readonly enabled?: boolean;
  readonly subscriptions?: readonly ChannelEvent[];
}

/** Told is a line of the log. */
export interface Told {
  readonly level: string;
  readonly message: string;
  readonly keys: Readonly<Record<string, unknown>>;
}

/** One process: what dies in a crash. */
export interface Process {
  readonly parts: TrackerParts;
  readonly filing: Filing;
  readonly sweep: Sweep;
}

/** said is a paragraph of a text. */
export function said(value: string): Block {
  return { kind: 'paragraph', content: [{ kind: 'text', text: value }] };
}

function titleOf(row: TrackingRow | undefined): string {
  return row?.kind === 'runtime' ? `RUNTIME: ${row.cve} in ${row.image}` : `${row?.cve}`;
}

/** World is a store, trackers, a clock, and a process that files and closes. */
export class World {
  readonly store: Store;
  readonly clock = new VirtualClock(BEGIN);
  readonly fakes = new Map<string, FakeTracker>();
  readonly counts = new Map<string, number>();
  readonly log: Told[] = [];
  /** Closing plans that texts were made of. */
  readonly plans: ClosingPlan[] = [];
  /** Channels whose credential does not open. */
  readonly unreadable = new Set<string>();
  hook: Hook = () => {};
  /** What each issue begins with, before its findings. */
  begins: () => readonly Block[] = () => [];
  /** What continues each summary. */
  more: () => readonly (readonly Block[])[] = () => [];
  /** Called before another process takes the place of one that died. */
  revive: () => void = () => {};
  leads = true;
  process!: Process;
  #channels: TrackerChannel[] = [];
  #ids = 0;
  #scanned = 0;

  private constructor(store: Store) {
    this.store = store;
  }

  /** Opens a world in a store, whatever another left there. */
  static async open(store: Store): Promise<World> {
    await store.write(async (transaction) => {
      for (const table of TABLES) await runText(transaction, `delete from ${table}`, []);
      await runText(transaction, `delete from settings where key like 'trackers.%'`, []);
    });
    const world = new World(store);
    await world.start();
    return world;
  }

  /** Starts a process that leads; whatever ran before has lost its place. */
  async start(): Promise<Process> {
    const fence = await raiseFence(this.store, 'test', this.clock.now());
    this.process = this.makeProcess(fence, () => this.leads);
    return this.process;
  }

  makeProcess(fence: number, leads: () => boolean): Process {
    const filing = this.#hooked(filingStore(this.store));
    const sweeps = this.#hooked(sweepStore(this.store));
    const parts: TrackerParts = {
      filing,
      sweeps,
      continuations: this.#hooked(continuationStore(this.store)),
      running: runningImages(this.store),
      channels: {
        list: async () => {
          const items = await this.#states();
          return { items, total: items.length };
        },
      },
      credentials: {
        open: async ({ id }) => (this.unreadable.has(id) ? 'unreadable' : new Secret('t0ken')),
      },
      factory: {
        open: (channel, _credential, guard) => this.#hooked<IssueTracker>(this.fake(channel.id).open(guard)),
      },
      writer: {
        open: async (channel, rows, summary) => ({
          target: channel.kind === 'jira' ? 'SHOP' : 'team/shop',
          by: 'default',
          title: summary ? `${rows.length} findings` : titleOf(rows[0]),
          body: [...this.begins(), ...rows.map(({ cve }) => said(cve))],
          labels: channel.settings.labels,
          more: summary ? this.more() : [],
        }),
        targets: async (channel) => [channel.kind === 'jira' ? 'SHOP' : 'team/shop'],
        close: async (_channel, plan) => {
          this.plans.push(plan);
          return plan.ended.map(({ row, reason }) => said(`${row.cve} ${reason}`));
        },
      },
      markers: openMarkers(Buffer.alloc(32, 7), 'world'),
      leader: { isLeader: leads, fence: () => fence },
      clock: this.clock,
      steady: new SteadyClock(filing, this.clock),
      breaker: new Breaker(),
      newId: () => `id-${++this.#ids}`,
      log: this.#log(),
      count: {
        add: (name, labels = {}, by = 1) => {
          const key = [name, ...Object.values(labels)].join(' ');
          this.counts.set(key, (this.counts.get(key) ?? 0) + by);
        },
      },
    };
    return { parts, filing: new Filing(parts), sweep: new Sweep(parts) };
  }

  #hooked<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name);
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]) => {
          this.hook(String(name), 'before');
          try {
            return await Reflect.apply(value, object, given);
          } finally {
            this.hook(String(name), 'after');
          }
        };
      },
    });
  }

  #log(): Log {
    const at =
      (level: string) =>
      (message: string, keys: Readonly<Record<string, unknown>> = {}): void => {
        this.log.push({ level, message, keys });
      };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }

  /** Makes a tracker channel, behind those that are there. */
  async channel(id: string, options: ChannelOptions = {}): Promise<FakeTracker> {
    const { flavour = 'github', dailyCap = 20, firstRunSummary = true, enabled = true } = options;
    const { subscriptions = ['critical_finding'] } = options;
    const kind = flavour === 'github' || flavour === 'gitlab' ? flavour : 'jira';
    const place = this.#channels.length + 1;
    await this.run(
      `insert into channels (id, kind, name, enabled, settings, subscriptions, created_at, place, version, updated_at)
       values (?, ?, ?, ?, '{}', '[]', ?, ?, 1, ?)`,
      [id, kind, id, enabled ? 1 : 0, BEGIN, place, BEGIN],
    );
    const common = {
      apiBaseUrl: `https://${id}.example/api`,
      labels: ['security'],
      dailyCap,
      firstRunSummary,
    };
    const made = {
      ...{ id, name: id, enabled, subscriptions, createdAt: BEGIN, place, version: '1', updatedAt: BEGIN },
      ...{ updatedBy: null, fault: null, firstRunAt: null, notBefore: null, capWarnedAt: null },
      ...{ lastError: null, lastErrorAt: null, kind },
      settings:
        kind === 'github'
          ? { ...common, defaultRepo: 'team/shop', allowedTargets: [] }
          : kind === 'gitlab'
            ? { ...common, defaultProject: 'team/shop', allowedTargets: [] }
            : { ...common, email: null, projectKey: 'SHOP', issueType: 'Task', doneTransitionId: '31' },
    };
    this.#channels.push(made as TrackerChannel);
    const fake = new FakeTracker(flavour, this.clock);
    this.fakes.set(id, fake);
    return fake;
  }

  async setChannel(id: string, change: { enabled?: boolean; dailyCap?: number }): Promise<void> {
    this.#channels = this.#channels.map((channel) => {
      if (channel.id !== id) return channel;
      const { enabled = channel.enabled, dailyCap = channel.settings.dailyCap } = change;
      return { ...channel, enabled, settings: { ...channel.settings, dailyCap } } as TrackerChannel;
    });
    if (change.enabled !== undefined)
      await this.run('update channels set enabled = ? where id = ?', [change.enabled ? 1 : 0, id]);
  }

  async deleteChannel(id: string): Promise<void> {
    this.#channels = this.#channels.filter((channel) => channel.id !== id);
    await this.run('delete from channels where id = ?', [id]);
  }

  /** The channels with what using them left behind. */
  async #states(): Promise<readonly TrackerChannel[]> {
    const rows = await runText<Record<string, number | string | null>>(
      this.store.read,
      'select id, first_run_at, not_before, cap_warned_at, last_error, last_error_at, paused_since, resume_asked_at, resume_error from channels',
      [],
    );
    const byId = new Map(rows.map((row) => [row['id'], row]));
    return this.#channels.map((channel) => {
      const row = byId.get(channel.id);
      return {
        ...channel,
        firstRunAt: row?.['first_run_at'] ?? null,
        notBefore: row?.['not_before'] ?? null,
        capWarnedAt: row?.['cap_warned_at'] ?? null,
        lastError: row?.['last_error'] ?? null,
        lastErrorAt: row?.['last_error_at'] ?? null,
        ...(row !== undefined &&
          row['paused_since'] !== null && {
            paused: {
              since: row['paused_since'],
              askedAt: row['resume_asked_at'],
              error: row['resume_error'],
            },
          }),
      } as TrackerChannel;
    });
  }

  async channelState(id: string): Promise<TrackerChannel> {
    const found = (await this.#states()).find((channel) => channel.id === id);
    if (found === undefined) throw new Error(`no channel ${id}`);
    return found;
  }

  fake(id = 'main'): FakeTracker {
    const fake = this.fakes.get(id);
    if (fake === undefined) throw new Error(`no channel ${id}`);
    return fake;
  }

  /** Records a scan of the n-th image with critical findings. */
  async scan(
    image: number,
    cves: readonly string[],
    more: {
      scanner?: string;
      db?: string | null;
      severity?: 'CRITICAL' | 'HIGH';
      exploited?: readonly string[];
      source?: string | null;
    } = {},
  ): Promise<void> {
    const {
      scanner = 'trivy',
      db = '2026-01-01T00:00:00Z',
      severity = 'CRITICAL',
      exploited = [],
      source = null,
    } = more;
    const at = this.clock.now();
    // Later than every scan before it, whatever the clock was set to.
    const scannedAt = new Date(Date.UTC(2026, 10, 21) + 1000 * ++this.#scanned).toISOString();
    const findings = cves.map((cve) => finding(cve, severity, { knownExploited: exploited.includes(cve) }));
    await this.store.write((transaction) =>
      recordScan(transaction, {
        digest: digestOf(image),
        names: [`docker.io/team/app${image}:1`],
        source,
        scan: scanOf(findings, { scannedAt, scanner: { name: scanner, version: '1', dbUpdatedAt: db } }),
        at,
      }),
    );
  }

  /** Records a clean report of the n-th image as an import does, made now; `more` stands in it. */
  async import(image: number, more: object): Promise<void> {
    const CreatedAt = new Date(Date.UTC(2026, 10, 21) + 1000 * ++this.#scanned).toISOString();
    const RepoDigests = [`docker.io/team/app${image}@${digestOf(image)}`];
    const report = {
      SchemaVersion: 2,
      CreatedAt,
      ArtifactType: 'container_image',
      Metadata: { RepoDigests },
    };
    const clean = { Results: [{ Class: 'os-pkgs' }], ...more };
    await importReports(
      [parseTrivyReport(JSON.stringify({ ...report, ...clean }), 'report.json')],
      {},
      {
        scans: scanStore(this.store),
        clock: this.clock,
        together: (act) => this.store.write(act),
        recorded: async () => {},
      },
    );
  }

  async triage(image: number, cve: string, until: number, endedAt: number | null = null): Promise<void> {
    await this.run(
      `insert into triage (digest, cve, reason, triaged_by, created_at, "until", ended_at) values (?, ?, 'accepted', 'ada', ?, ?, ?)`,
      [digestOf(image), cve, this.clock.now(), until, endedAt],
    );
  }

  /** Notes that a workload was seen running an image. */
  async seen(
    image: number,
    seenAt: number,
    more: { cluster?: string; workload?: string; since?: number } = {},
  ): Promise<void> {
    const { cluster = 'prod', workload = 'deployment/shop', since = BEGIN } = more;
    await this.run(
      `insert into running_images (digest, cluster, namespace, workload, first_seen_at, last_seen_at) values (?, ?, 'shop', ?, ?, ?)
       on conflict (digest, cluster, namespace, workload) do update set last_seen_at = excluded.last_seen_at`,
      [digestOf(image), cluster, workload, since, seenAt],
    );
  }

  async swept(cluster: string, finishedAt: number | null): Promise<void> {
    await this.run('insert into reconcile_sweeps (cluster, started_at, finished_at) values (?, ?, ?)', [
      cluster,
      (finishedAt ?? this.clock.now()) - 1000,
      finishedAt,
    ]);
  }

  async run(statement: string, cells: readonly Cell[]): Promise<void> {
    await this.store.write(async (transaction) => {
      await runText(transaction, statement, cells);
    });
  }

  /** Rows of the history, oldest first. */
  async rows(): Promise<readonly TrackingRow[]> {
    const { items } = await trackingHistory(this.store).list({}, { limit: null, offset: 0 });
    return items.toSorted((a, b) => a.id - b.id);
  }

  async row(): Promise<TrackingRow> {
    const [row, ...more] = await this.rows();
    if (row === undefined || more.length > 0) throw new Error(`${more.length} rows more than one`);
    return row;
  }

  count(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  async file(): Promise<void> {
    await this.process.filing.run();
  }

  async sweep(): Promise<void> {
    await this.process.sweep.run();
  }
}
