import type { Health, PartState } from '../../api/index.ts';
import { formatTime, type Clock } from '../../base/index.ts';
import {
  isOtherLedger,
  type AnchorState,
  type AnchorStates,
  type ClockStanding,
} from '../../ledger/index.ts';
import type { Metrics } from '../../telemetry/index.ts';
import type { Jobs } from '../running/jobs.ts';
import type { ServiceParts } from './parts.ts';

/** HealthDeps are what the health of a service is asked of. */
export interface HealthDeps {
  readonly parts: Pick<ServiceParts, 'tree'>;
  /** How rows of reviews wait for the database here; as it was told last. */
  ledgerQueue(): { readonly queued: number; readonly spooled: number; readonly delayed: boolean };
  readonly anchors: Pick<AnchorStates, 'list'>;
  /** How the clock stands against what the ledger has recorded. */
  ledgerClock(): ClockStanding;
  readonly replay: { readonly pid: number | undefined };
  readonly jobs: Pick<Jobs, 'states'>;
  readonly engine: 'sqlite' | 'postgres';
  readonly version: string;
  readonly startedAt: number;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** How its webhook and its part in its cluster stand. */
  operator(): Promise<Pick<Health, 'webhook' | 'cluster'>>;
  /** What is known of the databases that scans and the catalogue came from. */
  feeds(): Promise<Pick<Health, 'kev' | 'trivyDb'>>;
  /** How what the channels are told stands. */
  notifications(): Promise<NonNullable<Health['notifications']>>;
  /** Images that cannot be scanned. */
  scanFailures(): Promise<Health['scanFailures']>;
  /** How what scans images stands. */
  scanner(): Health['scanner'];
  /** When the newest backup was begun that was written whole; null for none. */
  lastBackup(): Promise<number | null>;
  /** Which registries do not answer. */
  registries(): Health['registries'];
  /** Which addresses pass requests on without being trusted. */
  untrustedProxies(): Health['untrustedProxies'];
}

/** A database that has not answered for this many milliseconds counts as gone. */
const ANSWER_MS = 2_000;

/** ServiceHealth tells how a service stands, for people, for its cluster and for its metrics. */
export class ServiceHealth {
  readonly #deps: HealthDeps;
  #draining = false;

  constructor(deps: HealthDeps) {
    this.#deps = deps;
    deps.metrics.collect(() => this.#measure());
  }

  /** From now on the service is not ready, so that its cluster sends nothing new. */
  drain(): void {
    this.#draining = true;
  }

  /** Why the service cannot answer calls, or null. */
  async unready(): Promise<string | null> {
    if (this.#draining) return 'the service is stopping';
    return (await this.#ask(() => this.#deps.parts.tree.rows())).fault === null
      ? null
      : 'the database does not answer';
  }

  async health(): Promise<Health> {
    const { replay, jobs, version, startedAt, clock } = this.#deps;
    const operator = await this.#deps.operator();
    const now = clock.now();
    const ledger = await this.#ledger();
    const known = await this.#ask(() => this.#deps.feeds());
    const failing = await this.#ask(() => this.#deps.scanFailures());
    const notifications = await this.#ask(() => this.#deps.notifications());
    return {
      version,
      now,
      startedAt,
      ...ledger,
      replay: {
        status: replay.pid === undefined ? 'degraded' : 'ok',
        ...(replay.pid === undefined && { message: 'it is started with the next what-if' }),
      },
      jobs: jobs.states().map(({ name, lastSuccessAt, fault }) => ({
        name,
        lastSuccessAt,
        status: fault === null ? 'ok' : 'degraded',
        ...(fault !== null && { message: fault }),
      })),
      ...operator,
      kev: known.value?.kev ?? {
        version: null,
        entries: null,
        lastError: null,
        fetchedAt: null,
        checkedAt: null,
      },
      trivyDb: known.value?.trivyDb ?? { updatedAt: null, checkedAt: null, fetchedAt: null, lastError: null },
      notifications: notifications.value,
      scanner: this.#deps.scanner(),
      scanFailures: failing.value ?? { images: 0, byReason: {} },
      registries: this.#deps.registries(),
      untrustedProxies: this.#deps.untrustedProxies(),
    };
  }

  /** The ledger, with the database in which it stands. */
  async #ledger(): Promise<Pick<Health, 'database' | 'ledger'>> {
    const { parts, anchors, jobs, engine } = this.#deps;
    const rows = await this.#ask(() => parts.tree.rows());
    const tree = await this.#ask(() => parts.tree.size());
    const checkpoint = await this.#ask(() => parts.tree.newestCheckpoint());
    const told = (await this.#ask(() => anchors.list())).value ?? [];
    const gone = rows.fault ?? tree.fault ?? checkpoint.fault;
    const { spooled, delayed } = this.#deps.ledgerQueue();
    const { behind, recorded: newest } = this.#deps.ledgerClock();
    const signing = jobs.states().find(({ name }) => name === 'checkpoint')?.fault ?? null;
    const message = otherLedger(told) ?? signing ?? clockMessage(behind, newest?.at ?? null);
    return {
      database: { status: gone === null ? 'ok' : 'down', engine, ...(gone !== null && { message: gone }) },
      ledger: {
        status:
          gone !== null
            ? 'down'
            : worst(delayed, message !== null, ...told.map(({ lastError }) => lastError !== null)),
        rows: rows.value,
        treeSize: tree.value,
        checkpoint: checkpoint.value,
        spool: { rows: spooled, holding: delayed },
        anchors: told.map(toAnchorHealth),
        clock: { behind, recordedAt: newest?.at ?? null },
        ...(message !== null && { message }),
      },
    };
  }

  async #measure(): Promise<void> {
    const { metrics, parts, jobs, clock } = this.#deps;
    await this.#deps.operator();
    const rows = await this.#ask(() => parts.tree.rows());
    metrics.set('svc_database_up', rows.fault === null ? 1 : 0);
    const { spooled, queued } = this.#deps.ledgerQueue();
    metrics.set('svc_ledger_spool_rows', spooled);
    metrics.set('svc_ledger_queue_rows', queued);
    metrics.set('svc_ledger_clock_behind_seconds', this.#deps.ledgerClock().behind / 1000);
    for (const { name, lastSuccessAt } of jobs.states()) {
      if (lastSuccessAt !== null)
        metrics.set('svc_job_last_success_seconds', lastSuccessAt / 1000, { job: name });
    }
    if (rows.value === null) return;
    const notices = await this.#ask(() => this.#deps.notifications());
    if (notices.value !== null) {
      const { waiting, oldest } = notices.value;
      metrics.set('svc_notifications_waiting', waiting);
      const age = oldest === null ? 0 : Math.max(0, clock.now() - oldest);
      metrics.set('svc_notifications_oldest_seconds', age / 1000);
    }
    const backup = (await this.#ask(() => this.#deps.lastBackup())).value;
    if (backup === null) metrics.unset('svc_backup_age_seconds');
    else metrics.set('svc_backup_age_seconds', Math.max(0, clock.now() - backup) / 1000);
    metrics.set('svc_ledger_size', rows.value);
    const tree = await this.#ask(() => parts.tree.size());
    if (tree.value !== null) metrics.set('svc_ledger_tree_size', tree.value);
    const checkpoint = await this.#ask(() => parts.tree.newestCheckpoint());
    if (checkpoint.value === null) metrics.unset('svc_ledger_checkpoint_age_seconds');
    else
      metrics.set('svc_ledger_checkpoint_age_seconds', Math.max(0, clock.now() - checkpoint.value.at) / 1000);
  }

  /** Asks something that may not answer: its value, or the sentence of its fault. */
  async #ask<T>(act: () => Promise<T>): Promise<{ readonly value: T | null; readonly fault: string | null }> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new Error(`no answer within ${ANSWER_MS / 1000} seconds`)),
      ANSWER_MS,
    );
    try {
      return { value: await Promise.race([act(), late.promise]), fault: null };
    } catch (error) {
      return { value: null, fault: error instanceof Error ? error.message : 'unknown fault' };
    } finally {
      clearTimeout(timer);
    }
  }
}

function toAnchorHealth({
  sink,
  size,
  at,
  lastError,
  refused,
}: AnchorState): Health['ledger']['anchors'][number] {
  return {
    name: sink,
    status: lastError === null ? 'ok' : 'degraded',
    size,
    triedAt: at,
    ...(refused !== null && { refused }),
    ...(lastError !== null && { message: lastError }),
  };
}

/** What an anchor says of the whole ledger: it takes precedence over all else, since nothing here can show it. */
function otherLedger(told: readonly AnchorState[]): string | null {
  const other = told.find(({ refused }) => isOtherLedger(refused));
  return other === undefined
    ? null
    : `the ledger is not the one that was anchored: ${other.sink}: ${other.lastError ?? ''}`;
}

/** What people are told of a clock that is behind, or null. */
function clockMessage(behind: number, recordedAt: number | null): string | null {
  return behind === 0 || recordedAt === null
    ? null
    : `the clock is ${Math.round(behind / 1000)} s behind ${formatTime(recordedAt)}, which the ledger has recorded: rows are marked clock_suspect (set the clock right, or ipo ledger accept-clock if it is right)`;
}

function worst(...bad: readonly boolean[]): PartState {
  return bad.some(Boolean) ? 'degraded' : 'ok';
}
