import type { Generated } from 'kysely';
import type { AccountTables } from './tables/accounts.ts';
import type { CatalogueTables } from './tables/catalogues.ts';
import type { ChannelTables } from './tables/channels.ts';
import type { ClusterTables } from './tables/clusters.ts';
import type { ContinuationTables } from './tables/continuations.ts';
import type { HistoryTables } from './tables/history.ts';
import type { ImageTables } from './tables/images.ts';
import type { InstallationTables } from './tables/installation.ts';
import type { LedgerTables } from './tables/ledger.ts';
import type { PolicyTables } from './tables/policies.ts';
import type { ReplicaTables } from './tables/replicas.ts';
import type { RuntimeTables } from './tables/runtime.ts';
import type { TrackingTables } from './tables/tracking.ts';

/** Tables is the schema after the newest migration. */
export interface Tables
  extends
    AccountTables,
    CatalogueTables,
    ChannelTables,
    ClusterTables,
    ContinuationTables,
    HistoryTables,
    ImageTables,
    InstallationTables,
    LedgerTables,
    PolicyTables,
    ReplicaTables,
    RuntimeTables,
    TrackingTables,
    CommonTables {}

interface CommonTables {
  /** What the installation knows of itself: its id, the origin of its log. */
  settings: { key: string; value: string };
  /** Migrations that were applied. */
  migrations: { name: string; release: string; applied_at: number };
  audit: {
    id: Generated<number>;
    at: number;
    /** Null for what nobody signed in did, such as a failed sign-in. */
    actor_id: string | null;
    /** Copy of the name; `user:<account_id>` once anonymised. */
    actor: string;
    action: string;
    target: string | null;
    /** Path of the request, or the command. */
    path: string | null;
    /** JSON object, or null. */
    detail: string | null;
  };
}
