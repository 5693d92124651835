import type { Generated } from 'kysely';

/**
 * LedgerTables hold the admission ledger. A cluster admits the same images over and over, so what rows share is kept
 * once as a shape; a row is its number, its time, its pod and its shape.
 */
export interface LedgerTables {
  ledger_shapes: {
    id: Generated<number>;
    /** First 16 bytes of the SHA-256 over the fields below, so that equal shapes are one. */
    hash: Buffer;
    kind: string;
    cluster: string | null;
    namespace: string | null;
    container: string | null;
    image: string | null;
    digest: string | null;
    allowed: number;
    review_allowed: number;
    reason: string;
    label: string | null;
    policy: string | null;
    policy_revision: string;
    break_glass: number;
    break_glass_reason: string | null;
    /** JSON list; null when recorded before 0020. */
    signals: string | null;
    exposed_by: string | null;
    subresource: string | null;
    pod_level: number;
    inputs: string | null;
    /** Null where it was judged by the worst platform of its image. */
    platform: string | null;
    /** 1 where the clock was behind what was recorded already. */
    clock_suspect: number;
  };
  /** Names of requesters, kept once. */
  ledger_names: { id: Generated<number>; name: string };
  ledger_rows: {
    /** From 1, without a gap: leaf `id - 1` of the tree. */
    id: number;
    at: number;
    shape: number;
    pod: string | null;
    /** 16 bytes of a lower-case UUID, else the packed text (`store/uid.ts`). */
    pod_uid: Buffer | null;
    review_uid: Buffer | null;
    /** Place among the rows of its review, from 0; where it is 0 no two rows have one `review_uid` (`store/known-uids.ts`). */
    part: number;
    requester: number | null;
  };
  /** One row (`id` 1): how many ledger rows there are. Its lock orders appends across replicas. */
  ledger_head: { id: number; size: number };
  /** For each 65,536 rows the fingerprints of the uids of their reviews (`store/uid-prints.ts`), stored once there are this many. */
  ledger_uids: { segment: number; prints: Buffer };
  /** Rows by 4096: which times stand in them, so that a period is found without an index on times. */
  ledger_spans: { span: number; min_at: number; max_at: number };
  /** The Merkle tree by tiles of up to 256 hashes of one level: `level` 0 holds leaf hashes, 1 the roots of whole tiles. */
  ledger_tiles: { level: number; tile: number; hashes: Buffer };
  /** One row (`id` 1): how many rows the tree covers. */
  ledger_tree: { id: number; size: number };
  /** Signed checkpoints, the newest 10,000. */
  checkpoints: { size: number; root: Buffer; note: string; at: number };
  /** How far each outside anchor has been told, why nothing is told there, and what it took last where it cannot be read. */
  checkpoint_anchors: {
    sink: string;
    size: number;
    at: number;
    last_error: string | null;
    refused: string | null;
    note: string | null;
  };
  /** Logs that a restore ended, since rows that they had signed were lost. */
  ledger_logs: {
    origin: string;
    /** Key that its checkpoints are verified with. */
    vkey: string;
    /** Rows of the log that are in the ledger, and how many it had signed. */
    size: number;
    lost_to: number;
    /** The checkpoint that proves it. */
    note: string;
    ended_at: number;
    /** Name of the log that goes on. */
    successor: string;
  };
}
