import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWriterQueues, type WriterQueue } from '../../../src/adapters/transport/index.ts';
import { Secret } from '../../../src/base/index.ts';
import { TrackerError } from '../../../src/trackers/index.ts';
import { stillClock, type StillClock } from './loopback.ts';

function open(maxWaitMs?: number): {
  clock: StillClock;
  queue: WriterQueue;
  write: (notifies?: boolean) => Promise<number>;
} {
  const clock = stillClock();
  const queues = openWriterQueues({ clock, wait: clock.wait, ...(maxWaitMs !== undefined && { maxWaitMs }) });
  const queue = queues.of('host', new Secret('token'));
  return {
    clock,
    queue,
    write: async (notifies = false) => queue.write(async () => clock.monotonic(), { notifies }),
  };
}

test('writes are a second apart, and those that notify people three', async () => {
  const { clock, write } = open();
  const from = clock.monotonic();
  const at = [await write(), await write(), await write(true), await write(true), await write()];
  assert.deepEqual(
    at.map((time) => time - from),
    [0, 1000, 2000, 5000, 6000],
  );
});

test('the second counts from the end of the write before, however long that took', async () => {
  const { clock, queue } = open();
  await queue.write(async () => clock.pass(9000), { notifies: false });
  const from = clock.monotonic();
  const next = await queue.write(async () => clock.monotonic(), { notifies: false });
  assert.equal(next - from, 1000);
});

test('one write goes at a time, in the order of asking', async () => {
  const { queue } = open();
  const running: string[] = [];
  const write = async (name: string): Promise<void> =>
    queue.write(
      async () => {
        running.push(`${name} begins`);
        await Promise.resolve();
        running.push(`${name} ends`);
      },
      { notifies: true },
    );
  await Promise.all([write('a'), write('b'), write('c')]);
  assert.deepEqual(running, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('no minute holds more than 60 writes and no hour more than 400', async () => {
  const { clock, write } = open(3_600_000);
  const at: number[] = [];
  for (let turn = 0; turn < 900; turn += 1) at.push(await write());
  for (const from of at) {
    assert.ok(at.filter((time) => time >= from && time < from + 60_000).length <= 60);
    assert.ok(at.filter((time) => time >= from && time < from + 3_600_000).length <= 400);
  }
  assert.ok(clock.waited.length > 0);
});

test('a turn that is too far off is refused with the time to come back, and nothing is run', async () => {
  const { write } = open();
  for (let turn = 0; turn < 400; turn += 1) await write();
  await assert.rejects(write(), (error) => {
    assert.ok(error instanceof TrackerError);
    assert.equal(error.fault, 'rate_limited');
    assert.equal(error.happened, 'no');
    assert.ok((error.quietMs ?? 0) > 3_000_000);
    return true;
  });
});

test('a host that asked for quiet is not called, by reads either, until the time has passed', async () => {
  const { clock, queue, write } = open();
  queue.hold(3_600_000);
  queue.hold(5000); // a shorter wish does not shorten the longer one
  await assert.rejects(write(), TrackerError);
  await assert.rejects(
    queue.read(async () => 1),
    (error) => error instanceof TrackerError && error.quietMs === 3_600_000,
  );
  clock.pass(3_599_000);
  assert.equal(await queue.read(async () => 1), 1);
  assert.deepEqual(clock.waited, [1000]);
});

test('a write that fails gives the next one its turn', async () => {
  const { queue, write } = open();
  await assert.rejects(
    queue.write(
      async () => {
        throw new Error('lost');
      },
      { notifies: true },
    ),
    /lost/,
  );
  assert.ok(await write());
});

test('channels with the same host and credential share a queue; another host or credential has its own', () => {
  const clock = stillClock();
  const queues = openWriterQueues({ clock, wait: clock.wait });
  const one = queues.of('host', new Secret('token'));
  assert.equal(queues.of('host', new Secret('token')), one);
  assert.notEqual(queues.of('host', new Secret('other')), one);
  assert.notEqual(queues.of('other', new Secret('token')), one);
});
