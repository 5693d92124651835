import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordSweep, type SeenWorkload } from '../../src/store/history/cluster-sweeps.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { counting, dying } from './cut-writes.ts';
import { forEachEngine, sqlite } from './engines.ts';

const AT = Date.UTC(2026, 10, 21, 9);
const DAY = 86_400_000;
const digestOf = (n: number): string => `sha256:${n.toString(16).padStart(64, '0')}`;

/** Workloads that run images from one number up to another, two of each image. */
const running = (from: number, upto: number): SeenWorkload[] =>
  Array.from({ length: 2 * (upto - from) }, (_, i) => ({
    ...{ namespace: `team-${i % 7}`, workload: `deployment/web-${i}`, digest: digestOf(from + (i >> 1)) },
  }));

const sweep = (store: Store, day: number, seen: readonly SeenWorkload[]): Promise<void> =>
  recordSweep(store, {
    ...{ cluster: 'prod', startedAt: AT + day * DAY, finishedAt: AT + day * DAY + 60_000 },
    ...{ pods: seen.length, running: seen },
  });

/** The last sees some images no more, some for the first time, and some that were away. */
const SWEEPS = [
  [0, running(0, 900)],
  [2, running(0, 300)],
  [4, running(200, 700).concat(running(1000, 1400))],
] as const;

async function dump(store: Store): Promise<unknown> {
  return {
    runs: await runText(store.read, 'select * from run_history order by image, cluster, first_seen_at', []),
    running: await runText(
      store.read,
      'select * from running_images order by digest, namespace, workload',
      [],
    ),
    days: await runText(store.read, 'select * from cluster_days order by cluster, day', []),
    sweeps: await runText(
      store.read,
      'select cluster, finished_at, pods from reconcile_sweeps order by id',
      [],
    ),
  };
}

forEachEngine('a sweep over a cluster', (engine) => {
  test('comes to the same whichever of its transactions was the last before a crash, once the next has looked', async (t) => {
    const expected = await engine.open(t);
    for (const [day, seen] of SWEEPS) await sweep(expected, day, seen);
    const told = await dump(expected);
    for (let died = 0; ; died += 1) {
      const store = await engine.open(t);
      for (const [day, seen] of SWEEPS.slice(0, 2)) await sweep(store, day, seen);
      const [day, seen] = SWEEPS[2];
      const before = await dump(store);
      const whole = await sweep(dying(store, died), day, seen).then(
        () => true,
        (error: unknown) => assert.match(String(error), /it died/) ?? false,
      );
      if (whole) return assert.ok(died > 5, `${died} transactions`);
      const { sweeps, days } = (await dump(store)) as { sweeps: unknown; days: unknown };
      assert.deepEqual({ sweeps, days }, pick(before), 'it counts once all of it is kept');
      await sweep(store, day, seen);
      assert.deepEqual(await dump(store), told);
    }
  });
});

const pick = (all: unknown): unknown => {
  const { sweeps, days } = all as { sweeps: unknown; days: unknown };
  return { sweeps, days };
};

test('no transaction of a sweep writes more than some workloads', async (t) => {
  const store = await sqlite.open(t);
  const written: number[] = [];
  for (const [day, seen] of SWEEPS) await sweep(counting(store, written), day, seen);
  assert.ok(Math.max(...written) <= 1600, `${Math.max(...written)} rows`);
});
