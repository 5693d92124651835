import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime } from '../../src/base/index.ts';
import type { Finding } from '../../src/findings/index.ts';
import { stretchesOf } from '../../src/history/index.ts';
import { historyReader } from '../../src/store/history/read.ts';
import { seePlatforms } from '../../src/store/facts/node-platforms.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import { settlePlatforms } from '../../src/store/scans/settle-platforms.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { forEachEngine } from './engines.ts';
import { AT, digestOf, finding, scanOf } from './image-records.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const [AMD, ARM] = ['linux/amd64', 'linux/arm64'];
const ENTRIES = [
  { platform: AMD, digest: digestOf(101) },
  { platform: ARM, digest: digestOf(102) },
];
const BOTH = finding('CVE-2026-0001');
const ON_AMD = finding('CVE-2026-0002');
const ON_ARM = finding('CVE-2026-0003');

async function scan(
  store: Store,
  platform: string,
  found: readonly Finding[],
  hour: number,
  databaseHour = hour,
): Promise<void> {
  const at = AT + hour * HOUR;
  const dbUpdatedAt = formatTime(AT + databaseHour * HOUR);
  const made = scanOf(found, {
    scannedAt: formatTime(at),
    scanner: { name: 'trivy', version: '1', dbUpdatedAt },
  });
  await store.write((transaction) =>
    recordScan(transaction, {
      ...{ digest: digestOf(1), names: [], source: null, platform, entries: ENTRIES, scan: made, at },
    }),
  );
}

/** Each finding with hours since the start: from when to when it stood, and how it ended. */
async function stood(store: Store): Promise<unknown[]> {
  const history = await historyReader(store).image(digestOf(1));
  assert.ok(history !== null);
  const hour = (at: number | null): number | null => (at === null ? null : (at - AT) / HOUR);
  return stretchesOf(history).map(({ cve, from, to, ended }) => [cve.slice(-1), hour(from), hour(to), ended]);
}

forEachEngine('the history of findings of several platforms', (engine) => {
  test('a finding stands while a platform has it, and the scan of that platform proves it fixed', async (t) => {
    const store = await engine.open(t);
    await seePlatforms(store, 'east', [AMD, ARM], AMD, AT);
    await scan(store, AMD, [BOTH, ON_AMD], 0);
    await scan(store, ARM, [BOTH, ON_ARM], 1);
    await scan(store, AMD, [], 2);
    await scan(store, ARM, [ON_ARM], 3);
    assert.deepEqual(await stood(store), [
      ['1', 0, 3, 'fixed'],
      ['2', 0, 2, 'fixed'],
      ['3', 1, null, null],
    ]);
    const scans = (await historyReader(store).image(digestOf(1)))?.scans.map((at) => (at - AT) / HOUR);
    assert.deepEqual(scans, [0, 1, 2], 'as old as the oldest of the platforms');
  });

  test('an older database of one platform proves nothing because another one is older still', async (t) => {
    const store = await engine.open(t);
    await seePlatforms(store, 'east', [AMD, ARM], AMD, AT);
    await scan(store, AMD, [ON_AMD], 0, -1);
    await scan(store, ARM, [], 1, -9);
    await scan(store, AMD, [], 2, -6);
    assert.deepEqual(await stood(store), [['2', 0, null, null]]);
    await scan(store, AMD, [], 12, 0);
    assert.deepEqual(await stood(store), [['2', 0, 12, 'fixed']]);
  });

  test('what only a platform had that no node has any more is not fixed, whichever part notices first', async (t) => {
    for (const noticed of ['by the nodes', 'by the next scan']) {
      const store = await engine.open(t);
      await seePlatforms(store, 'east', [AMD, ARM], AMD, AT);
      await scan(store, AMD, [BOTH, ON_AMD], 0);
      await scan(store, ARM, [BOTH, ON_ARM], 1);
      await seePlatforms(store, 'east', [AMD], AMD, AT + 2 * DAY);
      if (noticed === 'by the nodes')
        await settlePlatforms(store, AT + 2 * DAY, 0, new AbortController().signal);
      await scan(store, AMD, [BOTH, ON_AMD], 48);
      assert.deepEqual(
        await stood(store),
        [
          ['1', 0, null, null],
          ['2', 0, null, null],
          ['3', 1, 48, 'platform_retired'],
        ],
        noticed,
      );
    }
  });
});
