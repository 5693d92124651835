import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IpoError } from '../../src/base/index.ts';
import {
  Anchoring,
  openCheckpoint,
  type Anchor,
  type NoteSigner,
  type TreeStore,
} from '../../src/ledger/index.ts';
import { anchorStates, ledgerTree, type Store } from '../../src/store/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { grow, makeSigner, NOW, SILENT, treeOf } from './grown.ts';

/** An anchor that remembers what it was told, and fails when it is told to. */
function fakeAnchor(name: string): Anchor & { readonly told: number[]; fails: Error | null } {
  return {
    name,
    read: null,
    told: [],
    fails: null,
    async publish({ size }) {
      if (this.fails !== null) throw this.fails;
      this.told.push(size);
    },
  };
}

/** A ledger that grows to a size and is signed there. */
async function signedLedger(store: Store): Promise<{
  readonly signer: NoteSigner;
  readonly tree: TreeStore;
  to(size: number): Promise<void>;
}> {
  const signer = makeSigner();
  let rows = 0;
  return {
    signer,
    tree: ledgerTree(store),
    to: async (size) => {
      if (size > rows) await grow(store, rows, size);
      rows = size;
      await treeOf(store, signer).checkpoint();
    },
  };
}

forEachEngine('anchors', (engine) => {
  test('are each told of the newest checkpoint once, also after a restart', async (t) => {
    const database = await engine.open(t);
    const states = anchorStates(database);
    const { signer: key, tree: store, to } = await signedLedger(database);
    const [a, b] = [fakeAnchor('file:a'), fakeAnchor('http:b')];
    const open = () =>
      new Anchoring({ anchors: [a, b], states, store, key, clock: { now: () => NOW }, log: SILENT });
    assert.deepEqual(
      (await open().run()).map(({ size }) => size),
      [0, 0],
    );
    for (const size of [3, 3, 7]) {
      await to(size);
      await open().run();
    }
    assert.deepEqual(
      [a.told, b.told],
      [
        [3, 7],
        [3, 7],
      ],
    );
    assert.deepEqual(
      (await states.list()).map(({ note, ...state }) => [state, openCheckpoint(note ?? '', [key]).size]),
      ['file:a', 'http:b'].map((sink) => [{ sink, size: 7, at: NOW, lastError: null, refused: null }, 7]),
    );
  });

  test('that fail are tried again, and hold up neither the others nor the ledger', async (t) => {
    const database = await engine.open(t);
    const states = anchorStates(database);
    const { signer: key, tree: store, to } = await signedLedger(database);
    const [good, bad] = [fakeAnchor('good'), fakeAnchor('bad')];
    const warned: unknown[] = [];
    const log = { ...SILENT, warn: (_: string, keys?: object) => void warned.push(keys) };
    const clock = { now: () => NOW };
    const anchoring = new Anchoring({ anchors: [bad, good], states, store, key, clock, log });
    await to(5);
    bad.fails = new IpoError('network', 'the sink refuses connections');
    const [first] = await anchoring.run();
    assert.deepEqual([first?.size, first?.lastError], [0, 'the sink refuses connections']);
    assert.deepEqual(warned, [{ anchor: 'bad', reason: 'the sink refuses connections' }]);
    bad.fails = new Error('a defect with a secret in it');
    await anchoring.run();
    assert.equal(
      (await states.list())[0]?.lastError,
      'unexpected fault',
      'what is not expected is for the log alone',
    );
    bad.fails = null;
    await anchoring.run();
    assert.deepEqual([bad.told, good.told], [[5], [5]]);
    assert.equal((await states.list())[0]?.lastError, null);
    await to(6);
    bad.fails = new IpoError('network', 'gone again');
    await anchoring.run();
    assert.deepEqual(
      (await states.list()).map(({ sink, size, lastError }) => [sink, size, lastError]),
      [
        ['bad', 5, 'gone again'],
        ['good', 6, null],
      ],
    );
  });
});
