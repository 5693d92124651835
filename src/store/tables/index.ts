/**
 * The tables as the newest migration leaves them, by subject. Only types: nothing of it is there when the program runs. It uses no other
 * room.
 */
import type { Generated } from 'kysely';
import type { AccountTables } from './accounts.ts';
import type { CatalogueTables } from './catalogues.ts';
import type { ChannelTables } from './channels.ts';
import type { ClusterTables } from './clusters.ts';
import type { ContinuationTables } from './continuations.ts';
import type { HistoryTables } from './history.ts';
import type { ImageTables } from './images.ts';
import type { InstallationTables } from './installation.ts';
import type { LedgerTables } from './ledger.ts';
import type { PolicyTables } from './policies.ts';
import type { ReplicaTables } from './replicas.ts';
import type { RuntimeTables } from './runtime.ts';
import type { TrackingTables } from './tracking.ts';

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
