import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import type { OpenRegistry } from '../../src/adapters/registry/index.ts';
import type { FakeRegistry } from './fake-registry.ts';
import { fault } from './fake-registry.ts';
import { ask, faultOf, openClient, referenceTo } from './open.ts';
import { pushedWorld } from './pushed-world.ts';

interface World {
  readonly fake: FakeRegistry;
  readonly registry: OpenRegistry;
  /** Milliseconds of each wait, in order. */
  readonly waits: number[];
  now: number;
}

/** A registry whose client waits by a clock of ours; chance is a half. */
async function open(t: TestContext): Promise<World> {
  const { fake } = await pushedWorld(t);
  const waits: number[] = [];
  const world = { fake, waits, now: 1000 } as World & { registry: OpenRegistry };
  world.registry = openClient(t, {
    monotonic: () => world.now,
    wait: async (ms) => {
      waits.push(ms);
      world.now += ms;
    },
    random: () => 0.5,
  });
  return world;
}

/** Answers so many requests so, then as the registry does. */
function failing(
  fake: FakeRegistry,
  times: number,
  status: number,
  headers: Record<string, string> = {},
): void {
  let left = times;
  fake.answering = ({ method }, response) => {
    if (left === 0) return false;
    left -= 1;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    fault(response, status, status === 429 ? 'TOOMANYREQUESTS' : 'UNAVAILABLE', method);
    return true;
  };
}

suite('a busy registry', () => {
  test('is asked again when it says, in seconds or as a date of its own clock, and answers', async (t) => {
    const date = { date: 'Sun, 22 Nov 2020 06:00:00 GMT', 'retry-after': 'Sun, 22 Nov 2020 06:00:03 GMT' };
    for (const [status, headers] of [
      [429, { 'retry-after': '3' }],
      [429, date],
      [503, { 'retry-after': '3' }],
      [503, date],
    ] as const) {
      const world = await open(t);
      // A tag is asked for twice where the first answer says too little: HEAD, then GET.
      failing(world.fake, status === 429 ? 1 : 2, status, headers);
      const reference = referenceTo(world.fake.host, 'shop/web:1');
      assert.match(await world.registry.digestOf(reference, { ...ask, until: 31_000 }), /^sha256:/);
      assert.deepEqual(world.waits, [3250], `${status} ${JSON.stringify(headers)}`);
    }
  });

  test('that says not when is asked after half a second, then after twice as long, spread by chance', async (t) => {
    for (const status of [502, 503, 504]) {
      const world = await open(t);
      failing(world.fake, 6, status);
      const reference = referenceTo(world.fake.host, 'shop/web:1');
      assert.match(await world.registry.digestOf(reference, { ...ask, until: 31_000 }), /^sha256:/);
      assert.deepEqual(world.waits, [375, 750, 1500], `${status}`);
    }
  });

  test('is not waited for longer than there is time, and then at once not at all', async (t) => {
    const world = await open(t);
    failing(world.fake, Infinity, 429, { 'retry-after': '60' });
    const reference = referenceTo(world.fake.host, 'shop/web:1');
    const far = await faultOf(world.registry.digestOf(reference, { ...ask, until: 31_000 }));
    assert.deepEqual([far.fault, far.retryAfter, world.waits, world.now], ['rate_limited', 60, [], 1000]);
    assert.match(far.message, /asks to slow down for 60 seconds$/);

    const dead = await open(t);
    failing(dead.fake, Infinity, 503);
    const name = referenceTo(dead.fake.host, 'shop/web:1');
    const error = await faultOf(dead.registry.digestOf(name, { ...ask, until: 31_000 }));
    assert.equal(error.fault, 'unavailable');
    assert.ok(dead.now < 31_000 && dead.waits.length <= 8, String(dead.waits));
    assert.match(error.message, /answers with a server error \(status 503, UNAVAILABLE\)$/);
  });

  test('is asked once by one that comes again anyway, and so is one with another fault', async (t) => {
    for (const [status, until] of [
      [503, undefined],
      [429, undefined],
      [500, 31_000],
      [403, 31_000],
      [404, 31_000],
    ] as const) {
      const world = await open(t);
      failing(world.fake, Infinity, status);
      const reference = referenceTo(world.fake.host, 'shop/web:1');
      await faultOf(world.registry.digestOf(reference, { ...ask, until }));
      assert.deepEqual(world.waits, [], `${status}`);
    }
  });

  test('gets no question of an account until it may be asked, and each is answered then', async (t) => {
    const world = await open(t);
    failing(world.fake, 1, 429, { 'retry-after': '2' });
    const patient = { ...ask, until: 31_000 };
    const [first] = await Promise.all([
      world.registry.digestOf(referenceTo(world.fake.host, 'shop/web:1'), patient),
      world.registry.digestOf(referenceTo(world.fake.host, 'shop/web:1'), patient),
    ]);
    assert.match(first, /^sha256:/);
    assert.equal(world.fake.since().filter(({ method }) => method === 'HEAD').length, 2);
  });
});
