import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inStep } from '../../src/base/index.ts';

async function* numbers(count: number, read: { most: number }): AsyncGenerator<number> {
  for (let n = 1; n <= count; n += 1) {
    read.most = n;
    yield n;
  }
}

async function all(from: AsyncIterable<number>, seen: number[], stop = Infinity, pause = 0): Promise<void> {
  for await (const n of from) {
    seen.push(n);
    for (let turn = 0; turn < pause; turn += 1) await new Promise((next) => setImmediate(next));
    if (seen.length >= stop) return;
  }
}

test('both readers get all, wherever one stops and however slow it is, and neither runs ahead', async () => {
  const side = fc.record({
    stop: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 12 })),
    pause: fc.nat(3),
  });
  await fc.assert(
    fc.asyncProperty(fc.nat(10), side, side, async (count, one, two) => {
      const read = { most: 0 };
      const seen: [number[], number[]] = [[], []];
      const [a, b] = inStep(() => numbers(count, read));
      const ahead: number[] = [];
      const watch = setInterval(() => ahead.push(Math.abs(seen[0].length - seen[1].length)), 0);
      await Promise.all([all(a, seen[0], one.stop, one.pause), all(b, seen[1], two.stop, two.pause)]);
      clearInterval(watch);
      const whole = Array.from({ length: count }, (_, i) => i + 1);
      assert.deepEqual(seen, [whole.slice(0, one.stop), whole.slice(0, two.stop)]);
      if (one.stop === Infinity && two.stop === Infinity) assert.ok(ahead.every((by) => by <= 1));
    }),
    { numRuns: 100 },
  );
});

test('the source is let go once both have stopped, and both get what it throws', async () => {
  let closed = 0;
  async function* failing(): AsyncGenerator<number> {
    try {
      yield 1;
      yield 2;
      throw new Error('the disk');
    } finally {
      closed += 1;
    }
  }
  const [a, b] = inStep(failing);
  const [one, two]: [number[], number[]] = [[], []];
  const ended = await Promise.allSettled([all(a, one), all(b, two)]);
  assert.deepEqual(
    ended.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.deepEqual(
    [one, two],
    [
      [1, 2],
      [1, 2],
    ],
  );
  const [c, d] = inStep(failing);
  await Promise.all([all(c, [], 1), all(d, [], 2)]);
  assert.equal(closed, 2);
  const [e, f] = inStep((): AsyncIterable<number> => {
    throw new Error('not there');
  });
  const both = await Promise.allSettled([all(e, []), all(f, [])]);
  assert.deepEqual(
    both.map((one) => one.status === 'rejected' && String(one.reason)),
    ['Error: not there', 'Error: not there'],
  );
});
