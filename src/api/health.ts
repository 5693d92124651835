import { formatTime } from '../base/index.ts';
import type { ScanFailureReason } from '../findings/index.ts';
import type { AnchorRefusal } from '../ledger/index.ts';
import type { ReplicaState } from '../replicas/index.ts';
import type { HealthBody } from './contract/health.ts';
import { TRUST_HINT, type UntrustedProxy } from './untrusted-proxies.ts';

/** PartState is how a part of the service stands. */
export type PartState = 'ok' | 'degraded' | 'down';

/** Health is how the service stands; times in milliseconds, null where there is none. */
export interface Health {
  readonly version: string;
  readonly now: number;
  readonly startedAt: number;
  readonly database: {
    readonly status: PartState;
    readonly engine: 'sqlite' | 'postgres';
    readonly message?: string;
  };
  readonly ledger: {
    readonly status: PartState;
    readonly rows: number | null;
    readonly treeSize: number | null;
    readonly checkpoint: { readonly size: number; readonly at: number } | null;
    readonly spool: { readonly rows: number; readonly holding: boolean } | null;
    /** How far the clock is behind the newest time that is recorded; 0 within the tolerance. */
    readonly clock: { readonly behind: number; readonly recordedAt: number | null };
    readonly anchors: readonly {
      readonly name: string;
      readonly status: PartState;
      readonly size: number;
      readonly triedAt: number;
      /** Why nothing is published there. */
      readonly refused?: AnchorRefusal;
      readonly message?: string;
    }[];
    readonly message?: string;
  };
  readonly replay: { readonly status: PartState; readonly message?: string };
  readonly jobs: readonly {
    readonly name: string;
    readonly status: PartState;
    readonly lastSuccessAt: number | null;
    readonly message?: string;
  }[];
  /** Null where the service has no webhook. */
  readonly webhook: WebhookHealth | null;
  /** Null where the service is not an operator of a cluster. */
  readonly cluster: ClusterHealth | null;
  readonly kev: {
    readonly version: string | null;
    readonly entries: number | null;
    readonly fetchedAt: number | null;
    readonly checkedAt: number | null;
    readonly lastError: string | null;
  };
  /** How what the channels are told stands; null where the database does not say. */
  readonly notifications: {
    readonly waiting: number;
    readonly failed: number;
    /** When the oldest of what waits was made or happened. */
    readonly oldest: number | null;
  } | null;
  readonly trivyDb: {
    readonly updatedAt: number | null;
    readonly checkedAt: number | null;
    readonly fetchedAt: number | null;
    readonly lastError: string | null;
  };
  /** What scans images in this replica; null where nothing does. */
  readonly scanner: {
    readonly status: PartState;
    readonly name: string;
    /** Scans that are under way. */
    readonly running: number;
    readonly message?: string;
  } | null;
  /** Images that cannot be scanned, and by which reasons. */
  readonly scanFailures: {
    readonly images: number;
    readonly byReason: Readonly<Partial<Record<ScanFailureReason, number>>>;
  };
  /** Registries that do not answer this replica, and are not called until `againAt`. */
  readonly registries: {
    readonly status: PartState;
    readonly away: readonly {
      readonly host: string;
      readonly answeredBefore: boolean;
      readonly since: number;
      readonly againAt: number;
    }[];
    /** How many beside those. */
    readonly more: number;
  };
  /** Addresses that pass requests on to this replica and are not trusted, the one seen last first. */
  readonly untrustedProxies: readonly UntrustedProxy[];
}

/** WebhookHealth is how the admission webhook of this replica stands. */
export interface WebhookHealth {
  readonly status: PartState;
  /** Reviews that are being answered. */
  readonly reviews: number;
  /** When the serving certificate ends; null before the first. */
  readonly certificateEndsAt: number | null;
  /** Calls since the start that were refused as they did not come from the API server, and when the last one was. */
  readonly refused: { readonly calls: number; readonly lastAt: number | null };
  readonly message?: string;
}

/** ClusterHealth is how this replica stands in its cluster. */
export interface ClusterHealth {
  readonly status: PartState;
  /** Null where it was given none. */
  readonly name: string | null;
  /** Whether this replica leads. */
  readonly leads: boolean;
  /** What is read of the cluster: since when it may be old, or null. */
  readonly reads: readonly { readonly kind: string; readonly staleSince: number | null }[];
  /** Its replicas; since when each may hold rows that the database has not, or null. */
  readonly replicas: readonly {
    readonly name: string;
    readonly state: ReplicaState;
    readonly since: number | null;
    readonly rows: number;
  }[];
  readonly message?: string;
}

/** toHealthBody writes the health as the API answers it: "Unset times are omitted." */
export function toHealthBody(health: Health): HealthBody {
  const { now, database, ledger, replay, jobs, webhook, cluster, kev, trivyDb } = health;
  const { scanner, scanFailures, registries, untrustedProxies } = health;
  return {
    status: statusOf(health),
    version: health.version,
    started_at: formatTime(health.startedAt),
    database,
    ledger: toLedger(ledger, now),
    replay,
    jobs: jobs.map(({ lastSuccessAt, ...job }) => ({
      ...job,
      ...(lastSuccessAt !== null && { last_success_at: formatTime(lastSuccessAt) }),
    })),
    ...(webhook !== null && { webhook: toWebhook(webhook) }),
    ...(cluster !== null && { cluster: toCluster(cluster) }),
    ...(health.notifications !== null && { notifications: toNotifications(health.notifications, now) }),
    ...(trivyDb.updatedAt !== null && { vulnerability_database_age: formatAge(now - trivyDb.updatedAt) }),
    kev_state: toKev(kev),
    trivy_db_state: toTrivyDb(trivyDb),
    ...(scanner !== null && { scanner }),
    ...(scanFailures.images > 0 && {
      scan_failures: { images: scanFailures.images, by_reason: scanFailures.byReason },
    }),
    registries: toRegistries(registries),
    ...(untrustedProxies.length > 0 && {
      untrusted_proxies: {
        message: TRUST_HINT,
        addresses: untrustedProxies.map(({ address, since, lastAt }) => ({
          address,
          since: formatTime(since),
          last_at: formatTime(lastAt),
        })),
      },
    }),
  };
}

function statusOf(health: Health): PartState {
  const { database, ledger, replay, jobs, webhook, cluster, scanner, registries } = health;
  if (database.status === 'down') return 'down';
  const parts = [
    database,
    ledger,
    replay,
    ...jobs,
    webhook ?? ledger,
    cluster ?? ledger,
    scanner ?? ledger,
    registries,
  ].map(({ status }) => status);
  return parts.every((part) => part === 'ok') ? 'ok' : 'degraded';
}

function toLedger(ledger: Health['ledger'], now: number): HealthBody['ledger'] {
  return {
    status: ledger.status,
    ...(ledger.rows !== null && { rows: ledger.rows }),
    ...(ledger.treeSize !== null && { tree_size: ledger.treeSize }),
    ...(ledger.checkpoint !== null && {
      checkpoint: {
        size: ledger.checkpoint.size,
        at: formatTime(ledger.checkpoint.at),
        age: formatAge(now - ledger.checkpoint.at),
      },
    }),
    ...(ledger.spool !== null && { spool: ledger.spool }),
    clock: {
      behind_seconds: ledger.clock.behind / 1000,
      ...(ledger.clock.recordedAt !== null && { recorded_at: formatTime(ledger.clock.recordedAt) }),
    },
    anchors: ledger.anchors.map(({ triedAt, ...anchor }) => ({ ...anchor, tried_at: formatTime(triedAt) })),
    ...(ledger.message !== undefined && { message: ledger.message }),
  };
}

function toKev(kev: Health['kev']): HealthBody['kev_state'] {
  return {
    ...(kev.version !== null && { version: kev.version }),
    ...(kev.entries !== null && { entries: kev.entries }),
    ...(kev.fetchedAt !== null && { fetched_at: formatTime(kev.fetchedAt) }),
    ...(kev.checkedAt !== null && { checked_at: formatTime(kev.checkedAt) }),
    ...(kev.lastError !== null && { message: kev.lastError }),
  };
}

function toTrivyDb(trivyDb: Health['trivyDb']): HealthBody['trivy_db_state'] {
  return {
    ...(trivyDb.updatedAt !== null && { updated_at: formatTime(trivyDb.updatedAt) }),
    ...(trivyDb.checkedAt !== null && { checked_at: formatTime(trivyDb.checkedAt) }),
    ...(trivyDb.fetchedAt !== null && { fetched_at: formatTime(trivyDb.fetchedAt) }),
    ...(trivyDb.lastError !== null && { message: trivyDb.lastError }),
  };
}

function toRegistries(registries: Health['registries']): HealthBody['registries'] {
  return {
    status: registries.status,
    away: registries.away.map(({ host, answeredBefore, since, againAt }) => ({
      host,
      answered_before: answeredBefore,
      since: formatTime(since),
      asked_again_at: formatTime(againAt),
    })),
    ...(registries.more > 0 && { more: registries.more }),
  };
}

function toNotifications(
  { waiting, failed, oldest }: NonNullable<Health['notifications']>,
  now: number,
): NonNullable<HealthBody['notifications']> {
  return {
    waiting,
    failed,
    ...(oldest !== null && { oldest_at: formatTime(oldest), age: formatAge(now - oldest) }),
  };
}

function toWebhook({ certificateEndsAt, refused, ...webhook }: WebhookHealth): HealthBody['webhook'] {
  return {
    ...webhook,
    ...(refused.lastAt !== null && {
      refused_calls: { calls: refused.calls, last_at: formatTime(refused.lastAt) },
    }),
    ...(certificateEndsAt !== null && { certificate_ends_at: formatTime(certificateEndsAt) }),
  };
}

function toCluster({ name, reads, replicas, ...cluster }: ClusterHealth): HealthBody['cluster'] {
  return {
    ...cluster,
    ...(name !== null && { name }),
    reads: reads.map(({ kind, staleSince }) => ({
      kind,
      status: staleSince === null ? 'ok' : 'degraded',
      ...(staleSince !== null && { stale_since: formatTime(staleSince) }),
    })),
    replicas: replicas.map(({ since, ...replica }) => ({
      ...replica,
      ...(since !== null && { since: formatTime(since) }),
    })),
  };
}

/** formatAge: "minutes under an hour (for example `54m old`) and hours above (for example `26h old`)". */
export function formatAge(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  return minutes < 60 ? `${minutes}m old` : `${Math.floor(minutes / 60)}h old`;
}
