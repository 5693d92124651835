import {
  hashBytes,
  toHash,
  type GrowingTree,
  type SignedCheckpoint,
  type TreeReader,
  type TreeStore,
} from '../../ledger/index.ts';
import { insertMany, runText } from '../sql/dialect.ts';
import { LeafReader } from './leaves.ts';
import type { Store } from '../sql/store.ts';

type Executor = Store['read'];

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
        await runText(transaction, 'update ledger_tree set size = size where id = 1', []);
        return act(growingTree(transaction));
      }),
    async recentCheckpoints(limit, offset) {
      const items = await runText<CheckpointColumns>(
        store.read,
        'select size, root, note, at from checkpoints order by size desc limit ? offset ?',
        [limit, offset],
      );
      const [found] = await runText<{ total: number }>(
        store.read,
        'select count(*) as total from checkpoints',
        [],
      );
      return { items: items.map(toCheckpoint), total: found?.total ?? 0 };
    },
  };
}

/** treeReader reads the tree through one handle or transaction. */
export function treeReader(read: Executor): TreeReader {
  const leaves = new LeafReader(read);
  const sizeIn = async (table: 'ledger_tree' | 'ledger_head'): Promise<number> => {
    const [found] = await runText<{ size: number }>(read, `select size from ${table} where id = 1`, []);
    return found?.size ?? 0;
  };
  return {
    size: () => sizeIn('ledger_tree'),
    rows: () => sizeIn('ledger_head'),
    leaves: (after, limit) => leaves.leaves(after, limit),
    async tile(level, tile) {
      const [found] = await runText<{ hashes: Buffer }>(
        read,
        'select hashes from ledger_tiles where level = ? and tile = ?',
        [level, tile],
      );
      return found?.hashes ?? null;
    },
    async newestCheckpoint() {
      const [found] = await runText<CheckpointColumns>(
        read,
        'select size, root, note, at from checkpoints order by size desc limit 1',
        [],
      );
      return found === undefined ? null : toCheckpoint(found);
    },
    async key() {
      const [found] = await runText<{ value: string }>(read, 'select value from settings where key = ?', [
        KEY,
      ]);
      return found?.value ?? null;
    },
    async checkpoints(after, limit) {
      const found = await runText<CheckpointColumns>(
        read,
        'select size, root, note, at from checkpoints where size > ? order by size limit ?',
        [after, limit],
      );
      return found.map(toCheckpoint);
    },
  };
}

/** growingTree changes the tree inside a transaction that has it alone. */
export function growingTree(transaction: Executor): GrowingTree {
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
      await runText(transaction, 'update ledger_tree set size = ? where id = 1', [size]);
    },
    async putCheckpoint({ size, root, note, at }, key, keep) {
      await runText(transaction, 'insert into checkpoints (size, root, note, at) values (?, ?, ?, ?)', [
        size,
        hashBytes(root),
        note,
        at,
      ]);
      await runText(
        transaction,
        'delete from checkpoints where size < (select size from checkpoints order by size desc limit 1 offset ?)',
        [keep - 1],
      );
      await runText(
        transaction,
        'insert into settings (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
        [KEY, key],
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
