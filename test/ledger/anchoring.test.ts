import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IpoError } from '../../src/base/index.ts';
import { Anchoring, type Anchor, type SignedCheckpoint } from '../../src/ledger/index.ts';
import { anchorStates } from '../../src/store/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { NOW, SILENT } from './grown.ts';

/** An anchor that remembers what it was told, and fails when it is told to. */
function fakeAnchor(name: string): Anchor & { readonly told: number[]; fails: Error | null } {
  return {
    name,
    told: [],
    fails: null,
    async publish({ size }) {
      if (this.fails !== null) throw this.fails;
      this.told.push(size);
    },
  };
}

const checkpoint = (size: number): SignedCheckpoint => ({
  size,
  root: 'r'.repeat(32),
  note: `note of ${size}\n`,
  at: NOW,
});

forEachEngine('anchors', (engine) => {
  test('are each told of the newest checkpoint once, also after a restart', async (t) => {
    const states = anchorStates(await engine.open(t));
    const [a, b] = [fakeAnchor('file:a'), fakeAnchor('http:b')];
    let newest: SignedCheckpoint | null = null;
    const store = { newestCheckpoint: async () => newest };
    const open = () =>
      new Anchoring({ anchors: [a, b], states, store, clock: { now: () => NOW }, log: SILENT });
    assert.deepEqual(
      (await open().run()).map(({ size }) => size),
      [0, 0],
    );
    for (const size of [3, 3, 7]) {
      newest = checkpoint(size);
      await open().run();
    }
    assert.deepEqual(
      [a.told, b.told],
      [
        [3, 7],
        [3, 7],
      ],
    );
    assert.deepEqual(await states.list(), [
      { sink: 'file:a', size: 7, at: NOW, lastError: null },
      { sink: 'http:b', size: 7, at: NOW, lastError: null },
    ]);
  });

  test('that fail are tried again, and hold up neither the others nor the ledger', async (t) => {
    const states = anchorStates(await engine.open(t));
    const [good, bad] = [fakeAnchor('good'), fakeAnchor('bad')];
    const warned: unknown[] = [];
    const log = { ...SILENT, warn: (_: string, keys?: object) => void warned.push(keys) };
    let newest = checkpoint(5);
    const anchoring = new Anchoring({
      anchors: [bad, good],
      states,
      store: { newestCheckpoint: async () => newest },
      clock: { now: () => NOW },
      log,
    });
    bad.fails = new IpoError('network', 'the sink refuses connections');
    const [first] = await anchoring.run();
    assert.deepEqual([first?.size, first?.lastError], [0, 'the sink refuses connections']);
    assert.deepEqual(warned, [{ anchor: 'bad', size: 5, reason: 'the sink refuses connections' }]);
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
    newest = checkpoint(6);
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
