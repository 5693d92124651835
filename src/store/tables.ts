import type { Generated } from 'kysely';
import type { AccountTables } from './tables/accounts.ts';
import type { CatalogueTables } from './tables/catalogues.ts';
import type { HistoryTables } from './tables/history.ts';
import type { ImageTables } from './tables/images.ts';
import type { LaterTables } from './tables/later.ts';
import type { LedgerTables } from './tables/ledger.ts';
import type { PolicyTables } from './tables/policies.ts';
import type { ReplicaTables } from './tables/replicas.ts';

/** Tables is the schema after the newest migration. */
export interface Tables
  extends
    AccountTables,
    CatalogueTables,
    HistoryTables,
    ImageTables,
    LaterTables,
    LedgerTables,
    PolicyTables,
    ReplicaTables,
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
