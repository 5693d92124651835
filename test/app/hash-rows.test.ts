import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { hashRows } from '../../src/app/doors/hash-rows.ts';
import { readLeafRuns, verifyDatabase, type LeafRun } from '../../src/ledger/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { ledgerTree } from '../../src/store/ledger/tree.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { grow, makeSigner, treeOf } from '../ledger/grown.ts';
import { MemoryTree } from '../ledger/memory-tree.ts';
import { forEachEngine } from '../store/engines.ts';
import { useBuiltPrograms } from '../built-programs.ts';

useBuiltPrograms();

const THREADS = { threads: 2, atLeast: 1, slice: 512, meanwhile: false };

async function allOf(rows: AsyncIterable<readonly LeafRun[]>): Promise<(readonly LeafRun[])[]> {
  const runs: (readonly LeafRun[])[] = [];
  for await (const some of rows) runs.push(some);
  return runs;
}

/** Rows by number, however they are cut into runs. */
function rowsOf(all: readonly (readonly LeafRun[])[]): string[] {
  const rows: string[] = [];
  for (const { first, hashes } of all.flat())
    for (let at = 0; at < hashes.length; at += 32)
      rows.push(`${first + at / 32} ${Buffer.from(hashes.subarray(at, at + 32)).toString('hex')}`);
  return rows;
}

forEachEngine('rows hashed by threads', (engine) => {
  test('are those that one reader gives, and the verification says the same of them, also where rows are missing or changed', async (t) => {
    const url = await engine.migrated();
    const store = await openStore({ url });
    t.after(() => store.close());
    const signer = makeSigner();
    await grow(store, 0, 3000);
    await treeOf(store, signer).integrate();
    await treeOf(store, signer).checkpoint();
    const tree = ledgerTree(store);
    const check = async (what: string): Promise<boolean> => {
      const runs = await allOf(hashRows(url, tree, THREADS));
      assert.deepEqual(rowsOf(runs), rowsOf(await allOf(readLeafRuns(tree))), what);
      const options = { keys: [], kept: [] };
      const alone = await verifyDatabase(tree, 'db', options);
      const given = (async function* () {
        yield* runs;
      })();
      assert.deepEqual(await verifyDatabase(tree, 'db', options, given), alone, what);
      return alone.holds;
    };
    assert.equal(await check('as they were written'), true);
    const sql = (text: string): Promise<unknown> => store.write((db) => runText(db, text, []));
    await sql(`update ledger_rows set pod = 'forged' where id in (2900, 1800, 700)`);
    await sql('delete from ledger_rows where id in (1, 3, 1024)');
    await sql('delete from ledger_rows where id between 1025 and 1600');
    await sql('update ledger_rows set id = id + 100000 where id between 2400 and 2500');
    await sql('update ledger_rows set id = 9000000000 where id = 3000');
    assert.equal(await check('changed'), false);
    await sql('update ledger_head set size = 9000000000000');
    await check('a head that says more than there is');
    await sql('update ledger_head set size = 600');
    await check('a head that says less than there is');
    const meanwhile = { ...THREADS, slice: 64, meanwhile: true };
    assert.deepEqual(
      rowsOf(await allOf(hashRows(url, tree, meanwhile))),
      rowsOf(await allOf(readLeafRuns(tree))),
      'hashed by the caller until the threads have started',
    );
  });
});

test('a thread that fails, breaks or dies ends the verification with its fault', async () => {
  const tree = new MemoryTree();
  tree.grow(600);
  const entry = join(import.meta.dirname, 'hash-worker-fake.ts');
  const verify = (url: string): Promise<unknown> =>
    verifyDatabase(tree, 'db', { keys: [], kept: [] }, hashRows(url, tree, { ...THREADS, entry }));
  await assert.rejects(verify('refuse'), {
    code: 'unavailable',
    message: 'the database went away',
    hint: 'Start it',
  });
  await assert.rejects(verify('throw'), { name: 'TypeError', message: 'a defect' });
  await assert.rejects(verify('die'), { message: 'a thread that hashes rows ended: exit 7' });
});

test('a caller that has enough ends the threads, whatever they still have to do', async () => {
  const tree = new MemoryTree();
  tree.grow(3000);
  const entry = join(import.meta.dirname, '../../daemon/hash-worker.ts');
  const rows = hashRows('sqlite:/nowhere/ledger.db', tree, { ...THREADS, entry });
  await assert.rejects(rows.next(), { code: 'unreadable' });
  assert.deepEqual(await rows.next(), { done: true, value: undefined });
});
