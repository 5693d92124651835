import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openStore } from '../../src/store/engine/open.ts';
import { forEachEngine } from '../store/engines.ts';
import { fill } from './sweep-size.ts';
import { World } from './world.ts';
import { MINUTE } from './virtual-clock.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

interface Measured {
  readonly cpu: number;
  readonly heap: number;
}

/** What a sweep holds from one page to the next. */
async function heapOf(world: World): Promise<number> {
  collect();
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  let calls = 0;
  world.hook = (step) => {
    if (step !== 'openAfter' || ++calls % 40 !== 0) return; // collecting takes longer than a page
    collect();
    most = Math.max(most, process.memoryUsage().heapUsed - before);
  };
  await world.sweep();
  world.hook = () => {};
  return most;
}

/** Processor time, so that other programs of the machine do not count; the best of some. */
async function timeOf(world: World, times: number): Promise<number> {
  let best = Infinity;
  for (let time = 0; time < times; time += 1) {
    world.clock.advance(10 * MINUTE);
    const begun = process.cpuUsage();
    await world.sweep();
    const { user, system } = process.cpuUsage(begun);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

async function measure(world: World, times: number): Promise<Measured> {
  return { cpu: await timeOf(world, times), heap: await heapOf(world) };
}

forEachEngine('a sweep with nothing to close', (engine) => {
  const opening = [engine.migrated(), engine.migrated()].map(async (url) => openStore({ url: await url }));
  after(async () => {
    for (const store of opening) await (await store).close();
  });

  // PostgreSQL is asked for a tenth: what is held here is the same, and filling it takes long.
  const [some, most] = engine.name === 'sqlite' ? [5000, 50_000] : [500, 5000];

  test(`looks at ${most} open rows without a call to a provider, in proportion to ${some}, and holds a page of them`, async (t) => {
    const [one, two] = await Promise.all(opening);
    assert.ok(one !== undefined && two !== undefined);
    const small = await World.open(one);
    await small.channel('main');
    await fill(small, some);
    const few = await measure(small, 5);
    const large = await World.open(two);
    await large.channel('main');
    await fill(large, most);
    const many = await measure(large, 5);
    const calls: string[] = [];
    large.hook = (step, place) => {
      if (place === 'before') calls.push(step);
    };
    assert.deepEqual(await large.process.sweep.run(), { rows: most, closed: 0, commented: 0, failed: 0 });
    assert.deepEqual([...small.fake().calls, ...large.fake().calls], [], 'no provider is called');
    const pages = calls.filter((call) => call === 'openAfter').length;
    assert.equal(pages, most / 500 + 1, 'each row is read once');
    assert.ok(calls.length <= pages + 10, `and nothing is written: ${calls.length} calls for ${pages} pages`);
    assert.ok(many.heap < 4 * 2 ** 20, `${many.heap} bytes are held between pages`);
    const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
    t.diagnostic(
      `${some} rows ${few.cpu.toFixed(0)} ms, ${megabytes(few.heap)} MiB held; ${most} rows ${many.cpu.toFixed(0)} ms, ${megabytes(many.heap)} MiB held; ${(many.cpu / few.cpu).toFixed(1)} times the time`,
    );
  });
});
