import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isIpoError } from '../../src/base/index.ts';
import { CompactRange } from '../../src/ledger/compact-range.ts';
import { leafHash, openCheckpoint, type SignedCheckpoint } from '../../src/ledger/index.ts';
import { verifyConsistency, verifyInclusion } from '../../src/ledger/proof.ts';
import { proveConsistency, proveInclusion, rootAt } from '../../src/ledger/tiles.ts';
import { openStore } from '../../src/store/index.ts';
import { ledgerReader } from '../../src/store/ledger/rows.ts';
import { ledgerTree } from '../../src/store/ledger/tree.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { forEachEngine } from '../store/engines.ts';
import { grow, makeKey, makeSigner, NOW, ORIGIN, treeOf } from './grown.ts';

async function codeOf(act: Promise<unknown>): Promise<string> {
  try {
    await act;
  } catch (error) {
    if (isIpoError(error)) return error.code;
    throw error;
  }
  return 'none';
}

/** The roots of all sizes, from the rows as the ledger's reader gives them. */
async function rootsOf(store: Store, last: number): Promise<string[]> {
  const range = new CompactRange(0);
  const roots = [range.root()];
  for await (const rows of ledgerReader(store).oldestFirst({ first: 1, last })) {
    for (const row of rows) {
      range.append(leafHash(row));
      roots.push(range.root());
    }
  }
  return roots;
}

const write = (store: Store, text: string): Promise<unknown> =>
  store.write((transaction) => runText(transaction, text, []));

forEachEngine('the tree over the ledger', (engine) => {
  test('covers the rows in whatever steps it grows, and proves each of them at every size', async (t) => {
    const store = await engine.open(t);
    const signer = makeSigner();
    const tree = treeOf(store, signer);
    const reader = ledgerTree(store);
    assert.equal(await tree.checkpoint(), null, 'an empty ledger is not signed');

    const signed: SignedCheckpoint[] = [];
    let rows = 0;
    for (const step of [1, 2, 253, 1, 300, 1500, 40]) {
      await grow(store, rows, rows + step);
      rows += step;
      if (step === 300) while ((await tree.integrate(7)) > 0);
      const checkpoint = await tree.checkpoint();
      assert.ok(checkpoint);
      signed.push(checkpoint);
      assert.deepEqual(await tree.checkpoint(), checkpoint, 'a tree that has not grown is not signed again');
    }
    const roots = await rootsOf(store, rows);
    assert.deepEqual(
      signed.map(({ size, root, note, at }) => [size, root, openCheckpoint(note, [signer]), at]),
      signed.map(({ size }) => [
        size,
        roots[size],
        { origin: ORIGIN, size, root: roots[size], extensions: [] },
        NOW,
      ]),
    );
    for (const size of [1, 2, 255, 256, 257, 511, 512, 513, 1024, rows]) {
      assert.equal(await rootAt(reader, size), roots[size]);
      for (const index of [0, 1, 255, 256, 700, size - 1]) {
        if (index >= size) continue;
        const [leaf] = await reader.leaves(index, 1);
        const proof = await proveInclusion(reader, index, size);
        assert.equal(
          verifyInclusion(index, size, leaf?.hash ?? '', proof, roots[size] ?? ''),
          null,
          `${index} of ${size}`,
        );
      }
    }
    for (const [i, { size: before, root }] of signed.entries()) {
      for (const { size, root: later } of signed.slice(i)) {
        const proof = await proveConsistency(reader, before, size);
        assert.equal(verifyConsistency(before, size, proof, root, later), null, `${before} to ${size}`);
      }
    }
    assert.deepEqual(await reader.checkpoints(0, 100), signed);
    assert.deepEqual(await reader.recentCheckpoints(2, 1), {
      items: signed.toReversed().slice(1, 3),
      total: signed.length,
    });
  });

  test('keeps the newest checkpoints', async (t) => {
    const store = ledgerTree(await engine.open(t));
    for (let size = 1; size <= 12; size += 1) {
      await store.alone((tree) =>
        tree.putCheckpoint({ size, root: 'x'.repeat(32), note: `${size}`, at: size }, 'key', 5),
      );
    }
    assert.deepEqual(
      (await store.checkpoints(0, 100)).map(({ size }) => size),
      [8, 9, 10, 11, 12],
    );
  });

  test('stays right while several processes grow and sign it', { timeout: 60_000 }, async (t) => {
    const url = await engine.migrated();
    const store = await openStore({ url });
    t.after(() => store.close());
    const key = makeKey();
    const children = [1, 2].map(() =>
      fork(fileURLToPath(new URL('integrator.ts', import.meta.url)), [url, ORIGIN], {
        env: { ...process.env, IPO_TEST_KEY: key },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      }),
    );
    t.after(() => children.forEach((child) => child.kill('SIGKILL')));
    await Promise.all(children.map((child) => once(child, 'message')));
    let rows = 0;
    for (let step = 0; step < 12; step += 1) {
      await grow(store, rows, rows + 211);
      rows += 211;
    }
    for (const child of children) child.send({ until: rows });
    const signed = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0] as number));
    assert.deepEqual(signed, [0, 0]);
    const roots = await rootsOf(store, rows);
    const reader = ledgerTree(store);
    assert.equal(await reader.size(), rows);
    const checkpoints = await reader.checkpoints(0, 10_000);
    assert.equal(checkpoints.at(-1)?.size, rows);
    for (const { size, root } of checkpoints) assert.equal(root, roots[size], `checkpoint of ${size}`);
    assert.equal(await rootAt(reader, rows), roots[rows]);
  });
});

forEachEngine('signing is refused', (engine) => {
  /** A signed ledger of 600 rows, and 20 more; what was refused is counted. */
  async function signed(t: Parameters<typeof engine.open>[0]) {
    const store = await engine.open(t);
    const signer = makeSigner();
    const faults: string[] = [];
    const open = () => treeOf(store, signer, { refused: ({ message }) => faults.push(message) });
    await grow(store, 0, 600);
    await open().checkpoint();
    await grow(store, 600, 620);
    return { store, signer, faults, open };
  }
  const untouched = async (store: Store): Promise<void> =>
    assert.equal((await ledgerTree(store).newestCheckpoint())?.size, 600, 'nothing was signed');

  test('when a hash of the tree was changed', async (t) => {
    const { store, faults, open } = await signed(t);
    const reader = ledgerTree(store);
    await reader.alone(async (tree) => {
      const hashes = Buffer.from((await tree.tile(0, 2)) ?? []);
      hashes[3] = (hashes[3] ?? 0) ^ 1;
      await tree.putTiles([{ level: 0, tile: 2, hashes }], 600);
    });
    assert.equal(await codeOf(open().checkpoint()), 'integrity');
    assert.equal(faults.length, 1);
    assert.match(faults[0] ?? '', /does not extend the one that was signed with 600/);
    await untouched(store);
  });

  test('when rows were taken away, or an older database was put in its place', async (t) => {
    const { store, open } = await signed(t);
    const running = open();
    await running.checkpoint();
    await write(store, 'delete from ledger_rows where id > 500');
    await write(store, 'update ledger_head set size = 500');
    await write(store, 'update ledger_tree set size = 500');
    assert.equal(await codeOf(open().checkpoint()), 'integrity', 'the stored checkpoint knows of more');
    await write(store, 'delete from checkpoints');
    assert.equal(await codeOf(running.checkpoint()), 'integrity', 'so does the process that signed it');
  });

  test('when a row is missing', async (t) => {
    const { store, faults, open } = await signed(t);
    await write(store, 'delete from ledger_rows where id = 607');
    assert.equal(await codeOf(open().checkpoint()), 'integrity');
    assert.match(faults[0] ?? '', /row 607 is missing/);
    await untouched(store);
  });

  test('when the stored checkpoint was changed', async (t) => {
    const { store, open } = await signed(t);
    await write(store, "update checkpoints set note = replace(note, '600', '590')");
    assert.equal(await codeOf(open().checkpoint()), 'integrity');
    await write(store, "update checkpoints set note = 'gone'");
    assert.equal(await codeOf(open().checkpoint()), 'integrity');
  });

  test('with another key, or under another name, than the checkpoints have', async (t) => {
    const { store, open } = await signed(t);
    for (const other of [makeSigner(), makeSigner('ipo.example/ledger/other')]) {
      const tree = treeOf(store, other);
      assert.equal(await codeOf(tree.checkKey()), 'key_missing');
      assert.equal(await codeOf(tree.checkpoint()), 'key_missing');
    }
    await untouched(store);
    assert.equal(await codeOf(open().checkKey()), 'none');
  });

  test('an unreadable row does not fail the tree: it has a hash that no row has', async (t) => {
    const { store } = await signed(t);
    await write(store, "update ledger_shapes set signals = 'no list' where id = 1");
    await write(store, 'update ledger_rows set at = 9000000000000000 where id = 5');
    await write(store, 'update ledger_rows set shape = 999 where id = 9');
    const leaves = await ledgerTree(store).leaves(0, 10);
    assert.equal(leaves.length, 10);
    assert.deepEqual(
      leaves.filter(({ hash }) => hash === '\0'.repeat(32)).map(({ id }) => id),
      [1, 5, 9],
    );
  });
});
