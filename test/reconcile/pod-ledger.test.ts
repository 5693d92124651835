import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LedgerEntry, NewRow } from '../../src/ledger/index.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { podLedger } from '../../src/store/cluster/reconcile-ledger.ts';
import { raiseClusterFence } from '../../src/store/leadership/cluster-fence.ts';
import { installedAt, lastSweepAt, sweepLog } from '../../src/store/cluster/reconcile-sweeps.ts';
import { runs } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { AT, uidOf } from './parts.ts';

const MINUTE = 60_000;

function entry(rows: readonly (Partial<NewRow> & Pick<NewRow, 'at' | 'pod_uid'>)[]): LedgerEntry {
  return {
    uid: null,
    rows: rows.map((row) => ({ namespace: 'shop', container: 'web', allowed: true, reason: '', ...row })),
  };
}

forEachEngine('pods in the ledger', (engine) => {
  test('a pod is found by its uid in a long ledger, wherever its rows stand', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    // 20,000 rows over as many minutes: five spans, with pods here and there.
    const placed = new Map([3, 4095, 4096, 4097, 9000, 19_999].map((n) => [n, uidOf(n)]));
    for (let from = 0; from < 20_000; from += 1000) {
      await writer.appendAll([
        entry(
          Array.from({ length: 1000 }, (_, i) => ({
            at: AT + (from + i) * MINUTE,
            pod_uid: placed.get(from + i) ?? uidOf(100_000 + from + i),
          })),
        ),
      ]);
    }
    const want = [...placed].map(([n, uid]) => ({ uid, createdAt: AT + n * MINUTE, whole: false }));
    const missing = [0, 5000, 25_000].map((n) => ({
      uid: uidOf(900_000 + n),
      createdAt: AT + n * MINUTE,
      whole: false,
    }));
    const ledger = podLedger(store);
    for (let again = 0; again < 2; again += 1) {
      const found = await ledger.find([...missing, ...want]);
      assert.deepEqual([...found.keys()].toSorted(), [...placed.values()].toSorted());
    }
    // A row long after the pod was made is found too, and one of a clock that is most of a day behind.
    const late = { uid: uidOf(19_999), createdAt: AT, whole: false };
    const early = { uid: uidOf(9000), createdAt: AT + (9000 + 20 * 60) * MINUTE, whole: false };
    const tooEarly = { uid: uidOf(3), createdAt: AT + 9000 * MINUTE, whole: false };
    assert.deepEqual(
      [...(await podLedger(store).find([late, early, tooEarly])).keys()].toSorted(),
      [late.uid, early.uid].toSorted(),
    );
  });

  test('what a sweep said of a pod is not a review; an unreviewed row is enough', async (t) => {
    const store = await engine.open(t);
    await ledgerWriter(store).appendAll([
      entry([{ at: AT, pod_uid: uidOf(1), kind: 'reconcile' }]),
      entry([{ at: AT, pod_uid: uidOf(2), kind: 'unreviewed' }]),
      entry([{ at: AT, pod_uid: uidOf(3) }]),
    ]);
    const found = await podLedger(store).find(
      [1, 2, 3, 4].map((n) => ({ uid: uidOf(n), createdAt: AT, whole: false })),
    );
    assert.deepEqual([...found.keys()], [uidOf(2), uidOf(3)]);
  });

  test('containers that were bypassed follow their newest review', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    const ledger = podLedger(store);
    const wanted = [{ uid: uidOf(1), createdAt: AT, whole: true }];
    const bypassed = async (): Promise<string[]> => [
      ...((await ledger.find(wanted)).get(uidOf(1))?.bypassed ?? []),
    ];
    const add = async (container: string, break_glass: boolean): Promise<void> => {
      await writer.appendAll([entry([{ at: AT, pod_uid: uidOf(1), container, break_glass }])]);
    };
    await add('a', true);
    assert.deepEqual(await bypassed(), ['a']);
    await add('b', true);
    assert.deepEqual(await bypassed(), ['a', 'b']);
    await add('a', false);
    assert.deepEqual(await bypassed(), ['b']);
    assert.deepEqual([...((await podLedger(store).find(wanted)).get(uidOf(1))?.bypassed ?? [])], ['b']);
  });

  test('verdicts are those of the newest reconcile rows, and of the pods that are kept', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    const ledger = podLedger(store);
    const row = (n: number, reason: string, more: Partial<NewRow> = {}): LedgerEntry =>
      entry([
        {
          at: AT,
          pod_uid: uidOf(n),
          kind: 'reconcile',
          allowed: false,
          reason,
          label: 'tag',
          policy: 'p',
          ...more,
        },
      ]);
    await writer.appendAll([row(1, 'one'), row(2, 'two'), entry([{ at: AT, pod_uid: uidOf(3) }])]);
    await ledger.verdicts(AT);
    await writer.appendAll([row(1, 'three'), row(1, 'pod', { container: null, pod_level: true })]);
    const expected = new Map(
      [
        [`${uidOf(1)}/web`, 'three'],
        [`${uidOf(2)}/web`, 'two'],
        [`${uidOf(1)}/`, 'pod'],
      ].map(([key, reason]) => [key, { allowed: false, reason, label: 'tag', policy: 'p' }]),
    );
    assert.deepEqual(new Map(await ledger.verdicts(AT)), expected);
    assert.deepEqual(new Map(await podLedger(store).verdicts(AT)), expected);
    ledger.keep(new Set([uidOf(2)]));
    assert.deepEqual([...(await ledger.verdicts(AT)).keys()], [`${uidOf(2)}/web`]);
  });

  test('whatever the order of times, exactly the pods with a row are found', async (t) => {
    const store = await engine.open(t);
    const writer = ledgerWriter(store);
    let next = 1;
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ minute: fc.nat(300), listed: fc.boolean(), skew: fc.integer({ min: -4, max: 4 }) }),
          {
            minLength: 1,
            maxLength: 40,
          },
        ),
        async (pods) => {
          const made = pods.map((pod) => ({ ...pod, uid: uidOf(500_000 + next++) }));
          const rows = made.filter(({ listed }) => listed);
          if (rows.length > 0)
            await writer.appendAll(
              rows.map(({ minute, uid }) => entry([{ at: AT + minute * MINUTE, pod_uid: uid }])),
            );
          const found = await podLedger(store).find(
            made.map(({ uid, minute, skew }) => ({
              uid,
              createdAt: AT + (minute + skew) * MINUTE,
              whole: false,
            })),
          );
          assert.deepEqual(new Set(found.keys()), new Set(rows.map(({ uid }) => uid)));
        },
      ),
      { numRuns: runs(15) },
    );
  });

  test('the install is when the operator first led its cluster, which may be long after the database was set up', async (t) => {
    const store = await engine.open(t);
    assert.equal(await installedAt(store, 'eu'), Number.MAX_SAFE_INTEGER);
    await raiseClusterFence(store, 'us', 'a', AT - 9 * MINUTE);
    await raiseClusterFence(store, 'eu', 'b', AT);
    await raiseClusterFence(store, 'eu', 'c', AT + MINUTE);
    assert.deepEqual([await installedAt(store, 'us'), await installedAt(store, 'eu')], [AT - 9 * MINUTE, AT]);
  });

  test('the last sweep is the last in their order, whatever the clock said, and one that broke off is none', async (t) => {
    const store = await engine.open(t);
    const fence = await raiseClusterFence(store, 'eu', 'a', AT);
    const log = sweepLog(store);
    const sweep = async (startedAt: number, fault: string | null): Promise<void> => {
      const begun = { cluster: 'eu', startedAt, pods: 0, unreviewed: 0, refused: 0, notices: [] };
      const id = await log.begin(fence, begun);
      await log.end(fence, id, { cluster: 'eu', at: startedAt, running: [], fault, accounted: true });
    };
    assert.equal(await lastSweepAt(store, 'eu'), null);
    await sweep(AT + 365 * 24 * 60 * MINUTE, null);
    await sweep(AT, null);
    await sweep(AT + MINUTE, 'it broke off');
    assert.equal(await lastSweepAt(store, 'eu'), AT);
  });
});
