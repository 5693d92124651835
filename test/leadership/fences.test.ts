import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseFences } from '../../src/app/leadership/database-fences.ts';
import type { Store } from '../../src/store/index.ts';
import { forEachEngine } from '../store/engines.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

forEachEngine('the fences of clusters that share a database', (engine) => {
  test('one cluster leads over the database as long as it shows that it is there, and the other follows it then', async (t) => {
    const store = await engine.open(t);
    const time = { at: 0 };
    const of = (cluster: string, replica: string, on: Store = store) =>
      databaseFences(
        {
          ...{ store: on, clusterName: cluster, log: silent },
          ...{ clock: { now: () => 1_763_000_000_000 + time.at }, monotonic: () => time.at },
        },
        async () => cluster,
        replica,
      );
    const [west, east] = [of('west', 'w'), of('east', 'e')];
    const first = await west.raise();
    assert.equal(await west.stands(first), 'stands');
    const second = await east.raise();
    // Whoever was overtaken looks with each of its renewals whether the other is still there.
    const during = async (ms: number, alive: boolean): Promise<string> => {
      let state: string = '';
      for (let passed = 0; passed < ms; passed += 2_000) {
        time.at += 2_000;
        if (alive) assert.equal(await east.stands(second), 'stands');
        state = await west.stands(first);
        if (state === 'raised') return `raised after ${passed + 2_000}`;
      }
      return state;
    };
    // Only a database that can be shared is asked to keep that.
    if (store.engine === 'postgres') assert.equal(await during(120_000, true), 'elsewhere');
    assert.match(await during(60_000, false), /^raised after (2[4-9]|3[0-2])000$/);
    const third = await west.raise();
    assert.equal(await west.stands(third), 'stands');
    assert.equal(await east.stands(second), 'elsewhere');
    // A later leadership of the own cluster is never waited for.
    const fourth = await of('west', 'w2').raise();
    assert.ok(fourth > third);
    assert.equal(await west.stands(third), 'raised');
  });
});
