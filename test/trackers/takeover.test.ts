import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMarkers } from '../../src/trackers/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { MINUTE } from './virtual-clock.ts';
import { worldsOf, type World } from './world.ts';

const SECOND = 1000;

/** Calls `then` once, right before a call that a step makes: a process that waits for its turn to write. */
function waitBefore(world: World, step: string, then: () => Promise<void> | void): void {
  const { factory } = world.process.parts;
  const { open } = factory;
  let waited = false;
  Object.assign(factory, {
    open: (...given: Parameters<typeof open>) => {
      const tracker = open(...given);
      return new Proxy(tracker, {
        get: (object, name) => {
          const value: unknown = Reflect.get(object, name);
          if (name !== step || waited || typeof value !== 'function') return value;
          return async (...call: unknown[]): Promise<unknown> => {
            waited = true;
            await then();
            return Reflect.apply(value, object, call);
          };
        },
      });
    },
  });
}

forEachEngine('another process takes the lead', (engine) => {
  const open = worldsOf(engine);

  test('an issue whose turn comes too late is not opened by the one that lost the lead, since the next one opened it', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1']);
    const first = world.process;
    waitBefore(world, 'create', async () => {
      const next = await world.start(); // the first still believes that it leads
      for (let look = 0; look < 7; look += 1) {
        world.clock.advance(10 * MINUTE);
        await next.filing.run();
      }
      assert.equal(fake.issues.length, 1, 'looked for, not found, and opened');
    });
    await first.filing.run();
    assert.equal(fake.issues.length, 1);
    assert.equal((await world.rows()).length, 1);
  });

  test('a comment whose turn comes too late is not written by the one that lost the lead', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1']);
    await world.file();
    await world.scan(1, []);
    const first = world.process;
    waitBefore(world, 'comment', async () => {
      const next = await world.start();
      world.clock.advance(20 * MINUTE); // five of which do not count
      await next.sweep.run();
    });
    await first.sweep.run();
    assert.equal(fake.issues[0]?.comments.length, 1);
    assert.equal((await world.row()).state, 'closed');
  });

  test('a write whose turn comes too late while the process leads is made later, and the run goes on', async () => {
    const world = await open();
    const fake = await world.channel('main', { firstRunSummary: false });
    await world.scan(1, ['CVE-1', 'CVE-2']);
    waitBefore(world, 'create', () => world.clock.advance(36 * SECOND));
    await world.file();
    assert.deepEqual(
      fake.issues.map(({ title }) => title),
      ['CVE-2'],
    );
    world.clock.advance(MINUTE);
    await world.file();
    assert.equal(fake.issues.length, 2);
    assert.deepEqual(fake.calls, ['create', 'create'], 'nothing was sent, so nothing is looked for');
    assert.equal(world.count('svc_issues_skipped_total error'), 0);
    waitBefore(world, 'comment', () => world.clock.advance(36 * SECOND));
    await world.scan(1, []);
    await world.sweep();
    world.clock.advance(10 * MINUTE);
    await world.sweep();
    assert.ok(fake.issues.every(({ comments, state }) => comments.length === 1 && state === 'closed'));
  });

  test('a comment of unknown outcome is recognised after DATA_KEY was replaced', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1']);
    await world.file();
    await world.scan(1, []);
    fake.fault = (operation) => (operation === 'comment' ? 'reset' : null);
    await world.sweep();
    fake.fault = () => null;
    const { parts, sweep } = await world.start();
    Object.assign(parts, { markers: openMarkers(Buffer.alloc(32, 9), 'world') });
    world.clock.advance(20 * MINUTE);
    await sweep.run();
    assert.equal(fake.issues[0]?.comments.length, 1);
    assert.equal((await world.row()).state, 'closed');
  });
});
