import { sql } from 'kysely';
import {
  hashBytes,
  toHash,
  type GrowingTree,
  type SignedCheckpoint,
  type TreeReader,
  type TreeStore,
} from '../../ledger/index.ts';
import { insertMany } from '../sql/dialect.ts';
import { LeafReader } from './leaves.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

/** Where the verifier's key of the log stands among the settings. */
const KEY = 'ledger_key';
/** Hashes of tiles that go into one statement. */
const TILES_AT_ONCE = 64;

/** ledgerTree keeps the tree over the ledger of a store, and its checkpoints. */
export function ledgerTree(store: Store): TreeStore {
  return {
    ...treeReader(store.read),
    alone: (act) =>
      store.write(async (transaction) => {
        // Locks the row on PostgreSQL, and changes nothing; SQLite has one writer anyway.
        await run(transaction, sql`update ledger_tree set size = size where id = 1`);
        return act(growingTree(transaction));
      }),
    async recentCheckpoints(limit, offset) {
      const items = await run(
        store.read,
        sql<CheckpointColumns>`select size, root, note, at from checkpoints order by size desc limit ${limit} offset ${offset}`,
      );
      const [found] = await run(
        store.read,
        sql<{ total: number }>`select count(*) as total from checkpoints`,
      );
      return { items: items.map(toCheckpoint), total: found?.total ?? 0 };
    },
  };
}

/** treeReader reads the tree through one handle or transaction. */
export function treeReader(read: Store['read']): TreeReader {
  const leaves = new LeafReader(read);
  const sizeIn = async (table: 'ledger_tree' | 'ledger_head'): Promise<number> => {
    const [found] = await run(
      read,
      sql<Row<'ledger_head', 'size'>>`select size from ${sql.table(table)} where id = 1`,
    );
    return found?.size ?? 0;
  };
  return {
    size: () => sizeIn('ledger_tree'),
    rows: () => sizeIn('ledger_head'),
    leaves: (after, limit) => leaves.leaves(after, limit),
    async tile(level, tile) {
      const [found] = await run(
        read,
        sql<
          Row<'ledger_tiles', 'hashes'>
        >`select hashes from ledger_tiles where level = ${level} and tile = ${tile}`,
      );
      return found?.hashes ?? null;
    },
    async newestCheckpoint() {
      const [found] = await run(
        read,
        sql<CheckpointColumns>`select size, root, note, at from checkpoints order by size desc limit 1`,
      );
      return found === undefined ? null : toCheckpoint(found);
    },
    async key() {
      const [found] = await run(
        read,
        sql<Row<'settings', 'value'>>`select value from settings where key = ${KEY}`,
      );
      return found?.value ?? null;
    },
    async checkpoints(after, limit) {
      const found = await run(
        read,
        sql<CheckpointColumns>`select size, root, note, at from checkpoints where size > ${after} order by size limit ${limit}`,
      );
      return found.map(toCheckpoint);
    },
    async ended() {
      const found = await run(
        read,
        sql<
          Row<'ledger_logs', 'origin' | 'vkey' | 'size' | 'lost_to' | 'note' | 'ended_at' | 'successor'>
        >`select origin, vkey, size, lost_to, note, ended_at, successor from ledger_logs order by ended_at, origin`,
      );
      return found.map(({ lost_to: lostTo, ended_at: endedAt, ...rest }) => ({ ...rest, lostTo, endedAt }));
    },
  };
}

/** growingTree changes the tree inside a transaction that holds it exclusively. */
export function growingTree(transaction: Store['read']): GrowingTree {
  return {
    ...treeReader(transaction),
    async putTiles(tiles, size) {
      for (let from = 0; from < tiles.length; from += TILES_AT_ONCE) {
        const part = tiles.slice(from, from + TILES_AT_ONCE);
        await insertMany(
          transaction,
          'ledger_tiles',
          { level: 'integer', tile: 'integer', hashes: 'blob' },
          part.map(({ level, tile, hashes }) => [level, tile, hashes]),
          'on conflict (level, tile) do update set hashes = excluded.hashes',
        );
      }
      await run(transaction, sql`update ledger_tree set size = ${size} where id = 1`);
    },
    async putCheckpoint({ size, root, note, at }, key, keep) {
      await run(
        transaction,
        sql`insert into checkpoints (size, root, note, at) values (${size}, ${hashBytes(root)}, ${note}, ${at})`,
      );
      await run(
        transaction,
        sql`delete from checkpoints where size < (select size from checkpoints order by size desc limit 1 offset ${keep - 1})`,
      );
      await run(
        transaction,
        sql`insert into settings (key, value) values (${KEY}, ${key}) on conflict (key) do update set value = excluded.value`,
      );
    },
  };
}

interface CheckpointColumns {
  readonly size: number;
  readonly root: Buffer;
  readonly note: string;
  readonly at: number;
}

function toCheckpoint({ root, ...rest }: CheckpointColumns): SignedCheckpoint {
  return { ...rest, root: toHash(root) };
}
