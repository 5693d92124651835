import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseKept, verifyDatabase } from '../../src/ledger/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { growingTree, treeReader } from '../../src/store/ledger/tree.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { forEachEngine } from '../store/engines.ts';
import { grow, growing, treeOf } from './grown.ts';
import {
  forged,
  KEPT,
  keys,
  mustFind,
  other,
  places,
  ROWS,
  SIGNED,
  signer,
  TIMES,
  type Found,
  type Pick,
} from './tampering.ts';

const CASES = 20 * TIMES;

type Db = Parameters<typeof growingTree>[0];
type Change = (db: Db, pick: Pick) => Promise<Found>;

const sql = (db: Db, text: string, ...cells: (string | number | Buffer)[]) =>
  runText<Record<string, never>>(db, text, cells);

/** Numbers rows anew through negative ones, since a number is there once. */
async function renumber(db: Db, moves: readonly (readonly [from: number, to: number])[]): Promise<void> {
  for (const [from, to] of moves) await sql(db, 'update ledger_rows set id = ? where id = ?', -to, from);
  await sql(db, 'update ledger_rows set id = -id where id < 0');
}

/** Makes the tree again over the rows as they are, and signs what was signed. */
async function signAnew(db: Db, sign: typeof signer, sizes = SIGNED): Promise<void> {
  await sql(db, 'delete from ledger_tiles');
  await sql(db, 'delete from checkpoints');
  await sql(db, 'update ledger_tree set size = 0');
  const tree = growingTree(db);
  const store = {
    ...tree,
    alone: <T>(act: (one: typeof tree) => Promise<T>) => act(tree),
    recentCheckpoints: async () => ({ items: [], total: 0 }),
  };
  for (const size of sizes) {
    await growing(store, sign).integrate(size - (await tree.size()));
    await growing({ ...store, leaves: async () => [] }, sign).checkpoint();
  }
}

const onDatabase: Readonly<Record<string, Change>> = {
  'edit body': async (db, { row }) => {
    await sql(db, "update ledger_rows set pod = 'forged' where id = ?", row);
    return { row, exact: true };
  },
  'edit decision': async (db, { row }) => {
    await sql(
      db,
      'update ledger_shapes set allowed = 1 - allowed where id = (select shape from ledger_rows where id = ?)',
      row,
    );
    const [first] = await runText<{ id: number }>(
      db,
      'select min(id) as id from ledger_rows where shape = (select shape from ledger_rows where id = ?)',
      [row],
    );
    return { row: first?.id ?? 0, exact: true };
  },
  delete: async (db, { row }) => {
    await sql(db, 'delete from ledger_rows where id = ?', row);
    return { row, exact: true };
  },
  insert: async (db, { row, another }) => {
    await sql(db, 'update ledger_rows set id = -(id + 1) where id >= ?', row);
    await sql(db, 'update ledger_rows set id = -id where id < 0');
    await sql(
      db,
      `insert into ledger_rows (id, at, shape, pod, pod_uid, review_uid, part, requester)
        select ?, at, shape, 'forged', pod_uid, null, part, requester from ledger_rows where id = ?`,
      row,
      another < row ? another : another + 1,
    );
    await sql(db, 'update ledger_head set size = size + 1');
    return { row, exact: true };
  },
  reorder: async (db, { row, another }) => {
    const [low, high] = row < another ? [row, another] : [another === row ? row - 1 : another, row];
    const between = Array.from(
      { length: Math.min(high - low, 5) },
      (_, i) => [low + i, low + i + 1] as const,
    );
    const end = low + between.length;
    await renumber(db, [[end, low], ...between.toReversed()]);
    return { row: low, exact: true };
  },
  swap: async (db, { row, another }) => {
    const [low, high] = row < another ? [row, another] : [another === row ? row - 1 : another, row];
    await renumber(db, [
      [low, high],
      [high, low],
    ]);
    return { row: low, exact: true };
  },
  'truncate tail': async (db, { row }) => {
    await sql(db, 'delete from ledger_rows where id > ?', row);
    return { row: row + 1, exact: true };
  },
  'restore older': async (db, { row }) => {
    const size = Math.min(row, KEPT - 1);
    await sql(db, 'delete from ledger_rows where id > ?', size);
    await sql(db, 'update ledger_head set size = ?', size);
    await signAnew(db, signer, [size]);
    return { row: size + 1, exact: true };
  },
  'replace key': async (db) => {
    await signAnew(db, other);
    return { row: null };
  },
  fork: async (db, { row }) => {
    const from = (row % KEPT) + 1;
    await sql(db, "update ledger_rows set pod = 'forged' where id >= ?", from);
    await signAnew(db, signer);
    return { row: from };
  },
  'edit checkpoint': async (db, pick) => {
    const size = SIGNED[pick.row % SIGNED.length] ?? ROWS;
    const [found] = await runText<{ note: string }>(db, 'select note from checkpoints where size = ?', [
      size,
    ]);
    if (pick.bit % 2 === 0)
      await sql(db, 'update checkpoints set note = ? where size = ?', forged(found?.note ?? '', pick), size);
    else await sql(db, 'update checkpoints set root = ? where size = ?', Buffer.alloc(32, pick.bit), size);
    return { row: null };
  },
  'edit proof': async (db, { row, bit }) => {
    const level = bit % 4 === 0 ? 1 : 0;
    const tile = level === 1 ? 0 : Math.floor(row / 256);
    const [found] = await runText<{ hashes: Buffer }>(
      db,
      'select hashes from ledger_tiles where level = ? and tile = ?',
      [level, tile],
    );
    const hashes = Buffer.from(found?.hashes ?? []);
    const at = (bit * row) % hashes.length;
    hashes[at] = (hashes[at] ?? 0) ^ (1 << (bit & 7));
    await sql(db, 'update ledger_tiles set hashes = ? where level = ? and tile = ?', hashes, level, tile);
    return { row: null };
  },
};

forEachEngine('a database that was tampered with', (engine) => {
  let opened: Promise<Store> | null = null;
  const signedStore = (t: Parameters<typeof engine.open>[0]): Promise<Store> =>
    (opened ??= (async () => {
      const store = await engine.open(t);
      for (const [i, size] of SIGNED.entries()) {
        await grow(store, SIGNED[i - 1] ?? 0, size);
        await treeOf(store, signer).checkpoint();
      }
      return store;
    })());

  test('each class of tampering is found, and the first bad row is named', async (t) => {
    const store = await signedStore(t);
    const [own] = await growingTree(store.read).checkpoints(KEPT - 1, 1);
    const keptHere = parseKept(own?.note ?? '', 'kept');
    const good = await verifyDatabase(treeReader(store.read), 'db', { keys, kept: keptHere });
    assert.deepEqual([good.holds, good.rows.last], [true, ROWS]);
    for (const [name, change] of Object.entries(onDatabase)) {
      await t.test(name, async () => {
        await fc.assert(
          fc.asyncProperty(places, async (pick) => {
            const rolledBack = new Error('rolled back');
            const act = store.write(async (db) => {
              const found = await change(db, pick);
              const result = await verifyDatabase(treeReader(db), 'db', { keys, kept: keptHere });
              mustFind(result, found, name);
              if (name === 'replace key') {
                const unkeyed = await verifyDatabase(treeReader(db), 'db', { keys: [], kept: keptHere });
                mustFind(unkeyed, found, name);
              }
              throw rolledBack;
            });
            await assert.rejects(act, (error) => {
              if (error !== rolledBack) throw error;
              return true;
            });
          }),
          { numRuns: CASES },
        );
      });
    }
  });
});
