import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import {
  DecideEvents,
  parseEvent,
  readRule,
  replayStored,
  RuntimeDecider,
  toRecorded,
  type DetectorEvent,
  type PodsNow,
  type RuntimeEvents,
  type RuntimePolicy,
  type StoredEvent,
  type WantedStop,
} from '../../src/runtime/index.ts';
import { raiseClusterFence } from '../../src/store/leadership/index.ts';
import {
  decisionStore,
  openStore,
  runtimeEvents,
  runtimeHistory,
  runtimeIntake,
  runtimeRuleStore,
  type Store,
} from '../../src/store/index.ts';
import { run } from '../../src/store/sql/run.ts';
import { checkPayloads, subscribe } from '../notify/subscriber.ts';
import { counted, turns } from '../runs.ts';
import { forEachEngine } from './engines.ts';
import { rowsOf } from './image-records.ts';

const NOW = Date.UTC(2026, 10, 20, 6);
const CLUSTER = 'eu-1';
const digestOf = (n: number): `sha256:${string}` => `sha256:${String(n).repeat(64)}`;
const none = { signal: new AbortController().signal };
const silent = { add() {}, set() {}, observe() {} };
/** A digest that an event names runs. */
const EVERYTHING: PodsNow = {
  byUid: () => null,
  byName: () => null,
  byContainer: () => null,
  imageOf: (digest) => digest,
};
const ANY = {
  ...{ effect: null, rule: null, priority: null, image: null, namespace: null, since: null, after: 0 },
};

function event(n: number, at: number, more: Readonly<Record<string, unknown>> = {}): DetectorEvent {
  const read = parseEvent(
    JSON.stringify({
      ...{ rule: `Rule ${n % 3}`, priority: 'Notice', source: 'syscall', hostname: `node-${n % 2}` },
      ...{ time: new Date(at).toISOString(), output: `event ${n}`, tags: [] },
      output_fields: { n, ...(n % 4 !== 0 && { 'container.image.digest': digestOf(n % 3) }) },
      ...more,
    }),
    NOW,
  );
  if ('fault' in read) throw new Error(read.fault);
  return read;
}

async function write(store: Store, rules: readonly unknown[]): Promise<void> {
  await runtimeRuleStore(store).change({ at: NOW, accountId: null, name: null }, () =>
    rules.map((rule) => ({ id: null, rule: readRule(rule) })),
  );
}

interface Leading {
  readonly fence?: () => number | null;
  readonly policies?: readonly RuntimePolicy[];
  readonly stop?: (wanted: WantedStop) => Promise<void>;
}

function leader(store: Store, { fence = () => null, policies = [], stop }: Leading = {}): DecideEvents {
  return new DecideEvents({
    ...{ cluster: CLUSTER, store: decisionStore(store), rules: runtimeRuleStore(store), fence },
    policies: { inEffect: async () => policies },
    pods: async () => EVERYTHING,
    stopper: stop === undefined ? null : { stop },
    ...{ clock: { now: () => NOW }, count: silent },
  });
}

const receive = (store: Store, ...events: readonly DetectorEvent[]): Promise<number> =>
  runtimeIntake(store).append(
    CLUSTER,
    events.map((one) => ({ event: one, receivedAt: NOW })),
  );

async function listed(events: RuntimeEvents): Promise<readonly StoredEvent[]> {
  return (await events.list(ANY, { limit: 1000, offset: 0 })).items;
}

const stopAll: RuntimePolicy = {
  name: 'stop-all',
  spec: {
    ...{ targetNamespaces: [], match: { rules: ['Rule 1'] }, enforcement: 'Enforce' },
    ...{ action: 'stop', stopMode: 'immediate' },
  },
};

forEachEngine('events that the leader decides', (engine) => {
  test('what is recorded over restarts, leaders and late events is what one walk over all events gives', async (t) => {
    const { from, until } = turns(6, 200);
    for (let history = from; history < until; history += 1) {
      const url = await engine.migrated();
      const stores = await Promise.all([openStore({ url }), openStore({ url })]);
      const random = mulberry(history + 1);
      const pick = (below: number): number => Math.floor(random() * below);
      const rules = Array.from({ length: 1 + pick(4) }, (_, n) => ({
        name: `rule ${n}`,
        match: pick(3) === 0 ? {} : { rules: [`Rule ${pick(3)}`] },
        action: ['allow', 'record', 'notify', 'notify'][pick(4)],
        ...(pick(2) === 0 && { window: { count: 1 + pick(4), duration: `${1 + pick(20)}m` } }),
        ...(pick(2) === 0 && { throttle: `${pick(30)}m` }),
      }));
      await write(stores[0], rules);
      const window = { count: 1 + pick(3), duration: '10m' };
      const policies = pick(2) === 0 ? [] : [{ ...stopAll, spec: { ...stopAll.spec, window } }];
      const leaders = stores.map((store) => leader(store, { policies }));
      const all = Array.from({ length: 60 }, (_, n) =>
        event(n, NOW - 3_600_000 + n * 60_000 - (pick(6) === 0 ? pick(1_800_000) : 0)),
      );
      for (let at = 0; at < all.length;) {
        const some = 1 + pick(8);
        const of = pick(2);
        await receive(stores[of] as Store, ...all.slice(at, at + some));
        at += some;
        if (pick(3) > 0) await leaders[pick(2)]?.run(none.signal);
        // A restart forgets what was in memory.
        if (pick(4) === 0) leaders[of] = leader(stores[of] as Store, { policies });
      }
      await leaders[0]?.run(none.signal);
      const stored = await listed(runtimeEvents(stores[0]));
      const oracle = new RuntimeDecider(rules.map(readRule), policies);
      const expected = stored.map(({ output }) => {
        const one = all.find((event) => event.output === output);
        assert.ok(one);
        const { rule, effect, alert, stops } = oracle.decide(toRecorded(one, 0).subject);
        return [output, rule, effect, alert, stops[0]?.name ?? null];
      });
      assert.deepEqual(
        stored.map((one) => [one.output, one.matchedRule, one.effect, one.alerted, one.policy]),
        expected,
        `history ${history}`,
      );
      const what = await replayStored(runtimeHistory(stores[0]), {
        draft: { rules: rules.map(readRule), policies },
        limits: { maxStops: 10, ownNamespace: null },
        ...{ cluster: CLUSTER, since: NOW - 7_200_000 },
      });
      const count = (effect: string): number => stored.filter((one) => one.effect === effect).length;
      assert.deepEqual(
        [what.evaluated, what.effects, what.alerts, what.recorded?.alerts],
        [
          ...[stored.length, { allow: count('allow'), record: count('record'), notify: count('notify') }],
          ...Array(2).fill(stored.filter(({ alerted }) => alerted).length),
        ],
        `history ${history}, replayed`,
      );
      await Promise.all(stores.map((store) => store.close()));
    }
    counted(t, { histories: until - from });
  });

  test('an alert is told to the channels that are subscribed, once in the throttle, with its event', async (t) => {
    const store = await engine.open(t);
    await write(store, [{ name: 'all', match: {}, action: 'notify' }]);
    await receive(store, event(1, NOW));
    await leader(store).run(none.signal);
    await subscribe(store, 'desk', ['runtime_alert']);
    await receive(store, event(2, NOW), event(5, NOW + 1), event(4, NOW + 2));
    await leader(store).run(none.signal);
    const stored = await listed(runtimeEvents(store));
    assert.deepEqual(
      stored.map(({ output, alerted, notified }) => [output, alerted, notified]),
      [
        // Nobody was subscribed: it does not count as notified.
        ['event 1', true, false],
        ['event 2', true, true],
        // The same image as event 2.
        ['event 5', false, false],
        // Of a node, which has no image.
        ['event 4', true, true],
      ],
    );
    assert.deepEqual(await checkPayloads(store), ['runtime_alert', 'runtime_alert']);
    const waits = await rowsOf(store, 'select subject from outbox order by subject');
    assert.deepEqual(
      waits.map(({ subject }) => subject),
      ['host node-0', digestOf(2)],
    );
    const [day] = await rowsOf(store, 'select detector_by_field as fields from cluster_days');
    assert.equal(day?.['fields'], 3);
  });

  test('a process that no longer leads decides nothing, and its events are decided by the next', async (t) => {
    const store = await engine.open(t);
    await write(store, [{ name: 'all', match: {}, action: 'notify' }]);
    const old = await raiseClusterFence(store, CLUSTER, 'one', NOW);
    const before = leader(store, { fence: () => old });
    await receive(store, event(1, NOW));
    await before.run(none.signal);
    const next = await raiseClusterFence(store, CLUSTER, 'two', NOW);
    await receive(store, event(2, NOW));
    await assert.rejects(before.run(none.signal));
    const [, undecided] = await listed(runtimeEvents(store));
    assert.equal(undecided?.decidedAt, null);
    await leader(store, { fence: () => next }).run(none.signal);
    const decided = await listed(runtimeEvents(store));
    assert.deepEqual(
      decided.map(({ effect, alerted }) => [effect, alerted]),
      [
        ['notify', true],
        ['notify', true],
      ],
    );
  });

  test('a pod that a policy asks to stop is asked for after the decision is durable, and again by the next leader', async (t) => {
    const store = await engine.open(t);
    const asked: string[] = [];
    let away = true;
    const stop = async ({ event: of, policy }: WantedStop): Promise<void> => {
      const [row] = await rowsOf(
        store,
        `select policy_effect as effect from runtime_events where id = ${of.id}`,
      );
      assert.equal(row?.['effect'], 'pending');
      if (away) throw new Error('the API server is away');
      asked.push(`${policy.name} ${of.output} ${of.digest?.slice(0, 8)}`);
      await store.write((transaction) =>
        run(transaction, sql`update runtime_events set policy_effect = 'stop' where id = ${of.id}`),
      );
    };
    const first = leader(store, { policies: [stopAll], stop, fence: () => 0 });
    await raiseClusterFence(store, CLUSTER, 'one', NOW);
    const fence = await raiseClusterFence(store, CLUSTER, 'two', NOW);
    const second = leader(store, { policies: [stopAll], stop, fence: () => fence });
    await receive(store, event(1, NOW), event(2, NOW), event(4, NOW), event(7, NOW));
    await assert.rejects(first.run(none.signal));
    await second.run(none.signal);
    await assert.rejects(second.stop(none.signal));
    away = false;
    const third = leader(store, { policies: [stopAll], stop, fence: () => fence });
    await third.stop(none.signal);
    assert.deepEqual(asked, ['stop-all event 1 sha256:1', 'stop-all event 7 sha256:1']);
    await third.stop(none.signal);
    assert.equal(asked.length, 2);
    const decided = await listed(runtimeEvents(store));
    assert.deepEqual(
      decided.map(({ policy, policyEffect }) => [policy, policyEffect]),
      [
        ['stop-all', 'stop'],
        [null, null],
        // Without a digest nothing is stopped.
        [null, null],
        ['stop-all', 'stop'],
      ],
    );
  });

  test('a stop that is decided while a new leader reads what was left is not lost', async (t) => {
    const store = await engine.open(t);
    const kept = decisionStore(store);
    const asked: number[] = [];
    const leads: DecideEvents = new DecideEvents({
      cluster: CLUSTER,
      rules: runtimeRuleStore(store),
      policies: { inEffect: async () => [stopAll] },
      pods: async () => EVERYTHING,
      stopper: { stop: async ({ event: { id } }) => void asked.push(id) },
      fence: () => null,
      clock: { now: () => NOW },
      count: silent,
      store: {
        ...kept,
        async pending(cluster) {
          const left = await kept.pending(cluster);
          await receive(store, event(7, NOW));
          await leads.run(none.signal);
          return left;
        },
      },
    });
    await receive(store, event(1, NOW));
    await leads.run(none.signal);
    await leads.stop(none.signal);
    assert.deepEqual(asked, [1, 2]);
  });

  test('a stop that leaders left long ago is asked for by the next, with its policy or without', async (t) => {
    const store = await engine.open(t);
    const policies = [stopAll, { ...stopAll, name: 'stop-ones' }];
    await receive(store, event(1, NOW), event(7, NOW + 1), event(10, NOW + 2));
    await leader(store, { policies, stop: async () => {} }).run(none.signal);
    await store.write((transaction) =>
      run(
        transaction,
        sql`update runtime_events set at = at - 864000000, policy = case id when 2 then 'stop-ones' else policy end`,
      ),
    );
    const asked: unknown[] = [];
    const stop = async ({ event: { id }, policy: { name, spec } }: WantedStop): Promise<void> =>
      void asked.push([id, name, spec === null]);
    await leader(store, { policies: [stopAll], stop }).stop(none.signal);
    assert.deepEqual(asked, [
      [1, 'stop-all', false],
      [2, 'stop-ones', true],
      [3, 'stop-all', false],
    ]);
  });
});

/** A small random generator, so that a history can be made again. */
function mulberry(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
