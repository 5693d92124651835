import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeredMinutes, beginHistory, recordDetector } from '../../src/store/history/records.ts';
import { historyReader } from '../../src/store/history/read.ts';
import { pruneHistory } from '../../src/store/history/retention.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { forEachEngine } from './engines.ts';

const DAY = 86_400_000;
const MINUTES = 1440;

function minutesIn(bits: Uint8Array | null): number[] {
  return Array.from({ length: MINUTES }, (_, i) => i).filter(
    (minute) => ((bits?.[minute >> 3] ?? 0) & (1 << (minute & 7))) !== 0,
  );
}

forEachEngine('the days of a cluster', (engine) => {
  test('minutes of several replicas come together, in whichever order and however late they are written', async (t) => {
    const url = await engine.migrated();
    const stores = await Promise.all([openStore({ url }), openStore({ url })]);
    t.after(() => Promise.all(stores.map((store) => store.close())));
    const [one, two] = [answeredMinutes(stores[0]), answeredMinutes(stores[1])];
    const first = 20_000 * MINUTES;
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? one : two).keep('eu-1', [first + i, first + MINUTES + 2 * i]),
      ),
    );
    await two.keep('eu-1', [first - 1, first]);
    await one.keep('eu-2', [first + 7]);
    const days = await historyReader(stores[0]).days(19_999, 20_001);
    assert.deepEqual(
      days.map(({ cluster, day, answered }) => [cluster, day, minutesIn(answered)]),
      [
        ['eu-1', 19_999, [MINUTES - 1]],
        ['eu-1', 20_000, Array.from({ length: 20 }, (_, i) => i)],
        ['eu-1', 20_001, Array.from({ length: 20 }, (_, i) => 2 * i)],
        ['eu-2', 20_000, [7]],
      ],
    );
  });

  test('signs of life of the detector are counted for each day, with the last of them', async (t) => {
    const store = await engine.open(t);
    const at = 20_000 * DAY;
    for (const [after, events, heartbeats] of [
      [5000, 3, 0],
      [9000, 0, 1],
      [7000, 2, 0],
      [DAY, 0, 1],
    ] as const)
      await recordDetector(store, { cluster: 'eu-1', at: at + after, events, heartbeats });
    const days = await historyReader(store).days(0, 30_000);
    assert.deepEqual(
      days.map(({ day, detectorEvents, detectorHeartbeats, detectorLastAt, answered, sweeps }) => [
        ...[day, detectorEvents, detectorHeartbeats, detectorLastAt, answered, sweeps],
      ]),
      [
        [20_000, 5, 1, at + 9000, null, 0],
        [20_001, 0, 1, at + DAY, null, 0],
      ],
    );
  });

  test('when a record began stays, and moves with what retention takes away', async (t) => {
    const store = await engine.open(t);
    const at = 20_000 * DAY;
    await beginHistory(store, at);
    await beginHistory(store, at + DAY);
    await answeredMinutes(store).keep('eu-1', [(at + 2 * DAY) / 60_000]);
    await recordDetector(store, { cluster: 'eu-1', at: at + 3 * DAY, events: 1, heartbeats: 0 });
    const began = async (): Promise<unknown> =>
      (await historyReader(store).began()).map((one) => [one.record, one.cluster, (one.at - at) / DAY]);
    assert.deepEqual(await began(), [
      ['answers', 'eu-1', 2],
      ['catalogue', '', 0],
      ['detector', 'eu-1', 3],
      ['findings', '', 0],
      ['policies', '', 0],
      ['scans', '', 0],
    ]);
    await pruneHistory(store, at + 2.5 * DAY, new AbortController().signal);
    assert.deepEqual(await began(), [
      ['answers', 'eu-1', 2.5],
      ['catalogue', '', 2.5],
      ['detector', 'eu-1', 3],
      ['findings', '', 2.5],
      ['policies', '', 2.5],
      ['scans', '', 2.5],
    ]);
    const days = await historyReader(store).days(0, 30_000);
    assert.deepEqual(
      days.map(({ day }) => day),
      [20_002, 20_003],
    );
  });
});
