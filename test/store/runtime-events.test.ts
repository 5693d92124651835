import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { parseEvent, type DetectorEvent, type EventFilter } from '../../src/runtime/index.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { historyReader } from '../../src/store/history/read.ts';
import {
  joinedShare,
  pruneRuntimeEvents,
  runtimeEvents,
  runtimeIntake,
} from '../../src/store/runtime/index.ts';
import { run } from '../../src/store/sql/run.ts';
import { forEachEngine } from './engines.ts';
import { migrateTo, openRaw } from './releases.ts';

const NOW = Date.UTC(2026, 10, 20, 6);
const ANY: EventFilter = {
  ...{ effect: null, rule: null, priority: null, image: null, namespace: null, since: null, after: null },
};

function event(n: number, more: Readonly<Record<string, unknown>> = {}): DetectorEvent {
  const line = {
    ...{ rule: `Rule ${n % 3}`, priority: 'Notice', source: 'syscall', hostname: 'node-1' },
    time: new Date(NOW + n).toISOString(),
    ...{ output: `event ${n}`, tags: ['shell'], output_fields: { 'proc.pid': n } },
    ...more,
  };
  const read = parseEvent(JSON.stringify(line), NOW);
  if ('fault' in read) throw new Error(read.fault);
  return read;
}

const received = (...events: readonly DetectorEvent[]) =>
  events.map((one) => ({ event: one, receivedAt: NOW }));

forEachEngine('events of the runtime detector', (engine) => {
  test('the same event twice is one, within a group and across replicas, and counts once', async (t) => {
    const url = await engine.migrated();
    const stores = await Promise.all([openStore({ url }), openStore({ url })]);
    t.after(() => Promise.all(stores.map((store) => store.close())));
    const [one, two] = [runtimeIntake(stores[0]), runtimeIntake(stores[1])];
    const all = received(...Array.from({ length: 40 }, (_, n) => event(n)), event(3), event(7));
    const fresh = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? one : two).append('eu-1', all.slice(n))),
    );
    assert.equal(
      fresh.reduce((sum, count) => sum + count, 0),
      40,
    );
    const { items, total } = await runtimeEvents(stores[0]).list(ANY, { limit: 1000, offset: 0 });
    assert.equal(total, 40);
    assert.deepEqual(
      items.map(({ output }) => output).toSorted(),
      all
        .slice(0, 40)
        .map(({ event: { output } }) => output)
        .toSorted(),
    );
    const [day] = await historyReader(stores[0]).days(0, 30_000);
    assert.deepEqual([day?.cluster, day?.detectorEvents, day?.detectorHeartbeats], ['eu-1', 40, 0]);
  });

  test('one that the relay sends again across the upgrade stays one', async (t) => {
    const url = await engine.empty();
    const db = await openRaw(url);
    await migrateTo(db, 43);
    const [first, second] = [event(1), event(2)];
    for (const { at, key } of [first, second])
      await sql`insert into runtime_events (at, rule, priority, output, event_key)
        values (${at}, 'Rule', 'Notice', 'of before', ${key.slice(12)})`.execute(db);
    await sql`insert into runtime_events (at, rule, priority, output) values (1, 'Rule', 'Notice', 'of 1.3.1')`.execute(
      db,
    );
    await db.destroy();
    const store = await openStore({ url });
    t.after(() => store.close());
    assert.equal(await runtimeIntake(store).append('', received(first, second, event(3))), 1);
    assert.equal(await runtimeIntake(store).append('', received(first, event(3))), 0);
  });

  test('events are found by their image and rule, of which the index has only joined ones', async (t) => {
    const store = await engine.open(t);
    const found = await run(
      store.read,
      engine.name === 'sqlite'
        ? sql<{
            text: string;
          }>`select sql as text from sqlite_master where name = 'runtime_events_by_digest_rule_at'`
        : sql<{
            text: string;
          }>`select indexdef as text from pg_indexes where indexname = 'runtime_events_by_digest_rule_at'`,
    );
    assert.match(found[0]?.text ?? '', /where \(?digest is not null\)?$/i);
    if (engine.name !== 'sqlite') return;
    const plan = await run(
      store.read,
      sql<{ detail: string }>`explain query plan select
        (select max(e.at) from runtime_events e where e.digest = tracking.digest and e.rule = tracking.rule) from tracking`,
    );
    assert.match(plan.map(({ detail }) => detail).join('; '), /runtime_events_by_digest_rule_at/);
  });

  test('the share of events that were joined counts those of containers that were decided lately', async (t) => {
    const store = await engine.open(t);
    assert.deepEqual(await joinedShare(store, 0), { events: 0, byField: 0, byPod: 0 });
    for (const [at, container, basis, kind] of [
      [NOW, 'app', 'pod', 'event'],
      [NOW, 'app', 'pod', 'event'],
      [NOW, 'app', 'field', 'event'],
      [NOW, 'app', 'none', 'event'],
      [NOW, null, 'none', 'event'],
      [NOW, 'app', null, 'event'],
      [NOW, 'app', 'none', 'heartbeat'],
      [NOW - 1, 'app', 'none', 'event'],
    ] as const)
      await store.write((transaction) =>
        run(
          transaction,
          sql`insert into runtime_events (at, rule, priority, output, container, match_basis, kind)
            values (${at}, 'r', 'Notice', 'o', ${container}, ${basis}, ${kind})`,
        ),
      );
    assert.deepEqual(await joinedShare(store, NOW), { events: 4, byField: 1, byPod: 2 });
  });

  test('ids grow in the order of the commits, whichever process writes', async (t) => {
    const url = await engine.migrated();
    const stores = await Promise.all([openStore({ url }), openStore({ url }), openStore({ url })]);
    t.after(() => Promise.all(stores.map((store) => store.close())));
    let writing = true;
    const seen: number[] = [];
    const reader = (async () => {
      for (let last = 0; ;) {
        const over = !writing;
        const found = await runtimeEvents(stores[0]).list(
          { ...ANY, after: last },
          { limit: 1000, offset: 0 },
        );
        seen.push(...found.items.map(({ id }) => id));
        last = seen.at(-1) ?? 0;
        if (over) return;
        await setImmediate();
      }
    })();
    await Promise.all(
      stores.map(async (store, of) => {
        for (let n = 0; n < 15; n += 1)
          await runtimeIntake(store).append('', received(event(of * 1000 + n), event(of * 1000 + 500 + n)));
      }),
    );
    writing = false;
    await reader;
    // Who reads behind the last id that it saw misses none.
    assert.equal(seen.length, 90);
  });

  test('what is told of the detector itself is a sign of life, and a test of the connection is neither', async (t) => {
    const store = await engine.open(t);
    const intake = runtimeIntake(store);
    const heartbeat = event(1, { rule: 'Falco internal: metrics snapshot', source: 'internal' });
    const connection = event(2, { rule: 'Test rule', source: 'internal' });
    await intake.append('eu-1', received(heartbeat, connection));
    await intake.dropped('eu-1', NOW, 7);
    const [day] = await historyReader(store).days(0, 30_000);
    assert.deepEqual(
      [day?.detectorEvents, day?.detectorHeartbeats, day?.detectorDropped, day?.detectorLastAt],
      [0, 1, 7, NOW],
    );
    const { items } = await runtimeEvents(store).list(ANY, { limit: 10, offset: 0 });
    assert.deepEqual(
      items.map(({ kind }) => kind),
      ['test', 'heartbeat'],
    );
  });

  test('texts, numbers and names come back as the detector wrote them', async (t) => {
    const store = await engine.open(t);
    const line =
      '{"rule":"Ünï “rule”","priority":"info","time":"2026-11-20T06:00:00.123456789Z","source":"k8s_audit","hostname":"",' +
      '"output":"a\\u0000b","tags":["b","a"],"output_fields":{"proc.exe_ino.ctime":18446744073670260079,"x":1.50,"n":null}}';
    const read = parseEvent(line, NOW);
    assert.ok(!('fault' in read));
    await runtimeIntake(store).append('', received(read));
    const { items } = await runtimeEvents(store).list(ANY, { limit: 10, offset: 0 });
    const [stored] = items;
    assert.ok(stored);
    const { id, rule, priority, time, fields, tags, cluster, effect } = stored;
    assert.deepEqual(
      { rule, priority, time, fields, tags, cluster, effect },
      {
        ...{ rule: 'Ünï “rule”', priority: 'Informational', time: '2026-11-20T06:00:00.123456789Z' },
        fields: '{"proc.exe_ino.ctime":18446744073670260079,"x":1.50,"n":null}',
        ...{ tags: ['b', 'a'], cluster: null, effect: null },
      },
    );
    assert.equal((await runtimeEvents(store).get(id))?.rule, rule);
    assert.equal(await runtimeEvents(store).get(id + 1), null);
  });

  test('events are narrowed by priority, rule and time, and followed by their ids', async (t) => {
    const store = await engine.open(t);
    const all = Array.from({ length: 9 }, (_, n) => event(n, { priority: n < 3 ? 'Critical' : 'Notice' }));
    await runtimeIntake(store).append('', received(...all));
    const list = async (more: Partial<EventFilter>, limit = 100, offset = 0): Promise<readonly string[]> => {
      const { items, total } = await runtimeEvents(store).list({ ...ANY, ...more }, { limit, offset });
      return [...items.map(({ output }) => output.replace('event ', '')), `of ${total}`];
    };
    assert.deepEqual(await list({ priority: 'Warning' }), ['2', '1', '0', 'of 3']);
    assert.deepEqual(await list({ priority: 'Debug' }, 2, 1), ['7', '6', 'of 9']);
    assert.deepEqual(await list({ rule: 'Rule 1', since: NOW + 2.5 }), ['7', '4', 'of 2']);
    assert.deepEqual(await list({ effect: 'notify' }), ['of 0']);
    assert.deepEqual(await list({ image: '%' }), ['of 0']);
    const [, , third] = (await runtimeEvents(store).list({ ...ANY, after: 0 }, { limit: 3, offset: 0 }))
      .items;
    assert.deepEqual(await list({ after: third?.id ?? 0 }, 2), ['3', '4', 'of 6']);
  });

  test('who follows is given nothing behind an event that came a moment ago and is not decided, and so misses none', async (t) => {
    const store = await engine.open(t);
    await runtimeIntake(store).append('', received(event(1), event(2), event(3)));
    const follow = async (
      filter: Partial<EventFilter>,
      undecidedFrom: number,
    ): Promise<readonly string[]> => {
      const page = { limit: 10, offset: 0, undecidedFrom };
      const { items, total } = await runtimeEvents(store).list({ ...ANY, after: 0, ...filter }, page);
      assert.equal(items.length, total);
      return items.map(({ output }) => output);
    };
    const decide = (effect: string, n: number): Promise<unknown> =>
      store.write((transaction) =>
        run(
          transaction,
          sql`update runtime_events set decided_at = 1, effect = ${effect} where output = ${`event ${n}`}`,
        ),
      );
    assert.deepEqual(await follow({}, NOW), []);
    // Another cluster, whose leader is faster, in the same database.
    await decide('notify', 2);
    assert.deepEqual(await follow({ effect: 'notify' }, NOW), []);
    await decide('notify', 1);
    assert.deepEqual(await follow({ effect: 'notify' }, NOW), ['event 1', 'event 2']);
    assert.deepEqual(await follow({}, NOW), ['event 1', 'event 2']);
    // Nobody leads: it is not waited for without end.
    assert.deepEqual(await follow({}, NOW + 1), ['event 1', 'event 2', 'event 3']);
  });

  test('events go after their days, and the counts of the days stay', async (t) => {
    const store = await engine.open(t);
    const all = Array.from({ length: 1203 }, (_, n) => event(n));
    await runtimeIntake(store).append('', received(...all));
    const { signal } = new AbortController();
    assert.equal(await pruneRuntimeEvents(store, NOW + 1200, signal), 1200);
    const { items } = await runtimeEvents(store).list(ANY, { limit: 100, offset: 0 });
    assert.deepEqual(
      items.map(({ at }) => at - NOW),
      [1202, 1201, 1200],
    );
    const [day] = await historyReader(store).days(0, 30_000);
    assert.equal(day?.detectorEvents, 1203);
  });
});
