import { Appender, type LedgerAppend } from '../../src/ledger/index.ts';
import type { Policy } from '../../src/policy/index.ts';
import {
  Reconciliation,
  type PodEvent,
  type ReconciliationDeps,
  type Replacement,
  type RunningPod,
  type StopOutcome,
  type SweepResult,
} from '../../src/reconcile/index.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { pulledIndexes } from '../../src/store/scans/pulled-indexes.ts';
import { podLedger } from '../../src/store/cluster/reconcile-ledger.ts';
import { sweepFacts, sweepLog } from '../../src/store/cluster/reconcile-sweeps.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { raiseClusterFence } from '../../src/store/leadership/cluster-fence.ts';
import type { Account } from '../../src/replicas/index.ts';
import type { NewScan } from '../../src/scan/index.ts';
import type { Severity } from '../../src/findings/index.ts';
import { listen } from '../ledger/parts.ts';
import { finding, rowsOf, scanOf } from '../store/image-records.ts';
import { AT } from './parts.ts';

const TIMERS = { after: () => () => {} };

/** Counted is a counter that is remembered, by name and labels. */
export class Counted {
  readonly all = new Map<string, number>();

  add(name: string, labels: Readonly<Record<string, string>> = {}, by = 1): void {
    const key = [name, ...Object.values(labels)].join(' ');
    this.all.set(key, (this.all.get(key) ?? 0) + by);
  }
}

/** SweepHarness is a reconciliation over a real store, with a cluster that a test writes down. */
export class SweepHarness {
  readonly store: Store;
  readonly log = listen();
  readonly counted = new Counted();
  readonly events: PodEvent[] = [];
  readonly stopped: string[] = [];
  readonly wanted: string[] = [];
  readonly ledger: Appender;
  pods: RunningPod[] = [];
  complete = true;
  policies: Policy[] = [];
  account: Account = { whole: true, since: null, holders: [] };
  leads = true;
  now = AT;
  installedAt = AT - 3_600_000;
  stopOutcome: StopOutcome | Error = 'stopped';
  /** What would replace a pod, and what tags stand for. */
  replacement: (pod: RunningPod) => Replacement | null = () => null;
  tags: Readonly<Record<string, string>> = {};
  /** Runs before each append, as what happens to a leader meanwhile. */
  beforeAppend: () => void = () => {};
  readonly #fence: number;

  private constructor(store: Store, fence: number) {
    this.store = store;
    this.#fence = fence;
    this.ledger = new Appender({
      writer: ledgerWriter(store),
      spool: null,
      timers: TIMERS,
      log: this.log,
      count: this.counted,
    });
  }

  static async open(store: Store): Promise<SweepHarness> {
    return new SweepHarness(store, await raiseClusterFence(store, 'eu', 'one', AT));
  }

  /** A process that begins anew: nothing is remembered. */
  service(more: Partial<ReconciliationDeps> = {}): Reconciliation {
    const ledger: LedgerAppend = {
      append: (entry) => {
        this.beforeAppend();
        return this.ledger.append(entry);
      },
    };
    return new Reconciliation({
      rules: {
        cluster: 'eu',
        ownNamespace: 'ipo',
        leftOut: [],
        selected: () => true,
        allowEnforce: true,
        maxStops: 10,
      },
      coldImagePolicy: 'AllowAndScan',
      pods: { list: async () => ({ complete: this.complete, pods: this.pods }) },
      exposure: { of: () => null },
      policies: async () => this.policies,
      facts: sweepFacts(this.store),
      indexes: pulledIndexes(this.store),
      podLedger: podLedger(this.store),
      ledger,
      account: async () => this.account,
      installedAt: async () => this.installedAt,
      log: sweepLog(this.store),
      replacements: { of: async (pod) => this.replacement(pod) },
      stopper: {
        stop: async ({ name }) => {
          this.stopped.push(name);
          if (this.stopOutcome instanceof Error) throw this.stopOutcome;
          return this.stopOutcome;
        },
      },
      tags: { digestOf: async (reference) => this.tags[reference] ?? null },
      names: { refusal: () => null },
      scans: { want: (digest) => void this.wanted.push(digest) },
      events: { happened: (event) => void this.events.push(event) },
      leader: { isLeader: () => this.leads, fence: () => this.#fence },
      clock: { now: () => this.now },
      lines: this.log,
      count: this.counted,
      ...more,
    });
  }

  async sweep(service = this.service()): Promise<SweepResult> {
    const result = await service.run();
    if (result === null) throw new Error('it does not lead');
    return result;
  }

  async scanned(
    digest: string,
    severities: readonly Severity[],
    at = this.now,
    more: Partial<NewScan> = {},
  ): Promise<void> {
    await this.store.write(async (transaction) => {
      await recordScan(transaction, {
        digest,
        names: [],
        source: null,
        at,
        scan: scanOf(
          severities.map((severity, i) => finding(`CVE-2026-${1000 + i}`, severity)),
          { scannedAt: new Date(at).toISOString() },
        ),
        ...more,
      });
    });
  }

  /** Rows of the ledger of some kind, oldest first. */
  rows(kind: string): Promise<Record<string, unknown>[]> {
    return rowsOf(
      this.store,
      `select r.id, r.pod, s.container, s.digest, s.allowed, s.reason, s.label, s.policy, s.platform from ledger_rows r
       join ledger_shapes s on s.id = r.shape where s.kind = '${kind}' order by r.id`,
    );
  }
}
