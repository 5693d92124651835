import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { EventQueue, parseEvent, type ReceivedEvent } from '../../src/runtime/index.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

function received(n: number): ReceivedEvent {
  const event = parseEvent(
    JSON.stringify({ rule: `Rule ${n}`, priority: 'Notice', time: '2026-11-20T06:00:00Z' }),
    null,
  );
  if ('fault' in event) throw new Error(event.fault);
  return { event, receivedAt: 0 };
}

function stage(limits: ConstructorParameters<typeof EventQueue>[0]['limits'] = {}) {
  const groups: number[] = [];
  const waiting: PromiseWithResolvers<number>[] = [];
  const at = { now: 0 };
  const queue = new EventQueue({
    intake: {
      append: (_cluster, events) => {
        groups.push(events.length);
        const one = Promise.withResolvers<number>();
        waiting.push(one);
        return one.promise;
      },
    },
    ...{ cluster: '', log: silent, monotonic: () => at.now, limits },
  });
  /** The transaction that is to begin, once it does. */
  const begun = async () => {
    while (waiting.length === 0) await setImmediate();
    return waiting.shift() as PromiseWithResolvers<number>;
  };
  return { queue, groups, at, begun, next: () => waiting.shift() };
}

test('what comes while events are written goes into the next transaction, and is answered once it is durable', async () => {
  const { queue, groups, next, begun } = stage({ group: 3 });
  const first = queue.take(received(1), 10);
  await setImmediate();
  const more = [2, 3, 4, 5].map((n) => queue.take(received(n), 10));
  assert.deepEqual(groups, [1]);
  next()?.resolve(1);
  assert.equal(await first, 'kept');
  await setImmediate();
  assert.deepEqual(groups, [1, 3]);
  next()?.resolve(3);
  (await begun()).resolve(1);
  for (const one of more) assert.equal(await one, 'kept');
  await queue.end();
  assert.equal(queue.size, 0);
});

test('behind a transaction events are gathered while more come, and no longer than that', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { queue, groups, next } = stage({ group: 4 });
  const takeOne = () => void queue.take(received(groups.length), 10);
  takeOne();
  await setImmediate();
  takeOne();
  next()?.resolve(1);
  await setImmediate();
  takeOne();
  t.mock.timers.tick(2);
  await setImmediate();
  assert.deepEqual(groups, [1], 'another one came meanwhile');
  t.mock.timers.tick(2);
  await setImmediate();
  assert.deepEqual(groups, [1, 2], 'no other one came');
  for (let i = 0; i < 5; i += 1) takeOne();
  next()?.resolve(2);
  await setImmediate();
  assert.deepEqual(groups, [1, 2, 4], 'a full one waits for nothing');
  next()?.resolve(4);
  // One that always comes does not hold up the first for ever.
  for (let waited = 0; waited < 10 && groups.length === 3; waited += 2) {
    await setImmediate();
    if (waited < 4) takeOne();
    t.mock.timers.tick(2);
  }
  await setImmediate();
  assert.equal(groups.length, 4);
});

test('an event that comes after the answer of the one before is written at once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { queue, groups, next } = stage();
  for (let n = 1; n <= 3; n += 1) {
    const kept = queue.take(received(n), 10);
    await setImmediate();
    assert.equal(groups.length, n);
    next()?.resolve(1);
    assert.equal(await kept, 'kept');
  }
});

test('beyond its bounds nothing is taken, in events and in bytes', async () => {
  const { queue, next } = stage({ events: 2, bytes: 100 });
  assert.equal(queue.take(received(1), 101), null);
  const one = queue.take(received(1), 60);
  assert.equal(queue.take(received(2), 60), null);
  const two = queue.take(received(3), 40);
  assert.equal(queue.take(received(4), 0), null);
  await setImmediate();
  next()?.resolve(2);
  assert.deepEqual([await one, await two], ['kept', 'kept']);
  assert.notEqual(queue.take(received(5), 100), null);
});

test('an event that cannot be kept, or not in time, is answered as such, and the next ones are kept', async () => {
  const { queue, at, next } = stage({ group: 1, wait: 1000 });
  const failed = queue.take(received(1), 10);
  await setImmediate();
  next()?.reject(new Error('the database is away'));
  assert.equal(await failed, 'storage');
  const slow = queue.take(received(2), 10);
  const late = queue.take(received(3), 10);
  await setImmediate();
  at.now = 999;
  queue.look();
  assert.equal(queue.size, 2);
  at.now = 1000;
  queue.look();
  assert.deepEqual([await slow, await late], ['storage', 'storage']);
  next()?.resolve(1);
  await queue.end();
  const kept = queue.take(received(4), 10);
  await setImmediate();
  next()?.resolve(1);
  assert.equal(await kept, 'kept');
});
