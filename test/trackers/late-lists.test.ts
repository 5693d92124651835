import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raiseFence } from '../../src/store/leadership/fence.ts';
import { forEachEngine } from '../store/engines.ts';
import { FLAVOURS, type Fault, type Flavour } from './fake-tracker.ts';
import { HOUR, MINUTE } from './virtual-clock.ts';
import { worldsOf, type World } from './world.ts';

const SECOND = 1000;
const LAGS = [75 * SECOND, 17 * MINUTE, 50 * MINUTE];
/** What leaves open whether an issue was opened. */
const UNKNOWN = ['timeout', 'reset', 'server', 'unreadable', 'dies'] as const;
/** The minutes at which filing runs that have something to look for, and some between them. */
const MINUTES = [1, 2, 5, 7, 15, 16, 30, 31, 60, 61, 90, 120, 121, 180];

forEachEngine('trackers that list late', (engine) => {
  const open = worldsOf(engine);

  /** A world in which nobody learned what the first create did. */
  async function unknown(
    flavour: Flavour,
    lag: number,
    fault: (typeof UNKNOWN)[number],
    cves: readonly string[] = ['CVE-1'],
  ): Promise<World> {
    const world = await open();
    const fake = await world.channel('main', { flavour, firstRunSummary: cves.length > 5 });
    fake.lag = lag;
    await world.scan(1, cves);
    await fail(world, fault);
    return world;
  }

  /** Files once; the create meets a fault, and nobody learns what it did. */
  async function fail(world: World, fault: (typeof UNKNOWN)[number]): Promise<void> {
    const fake = world.fake();
    if (fault !== 'dies') {
      fake.fault = (operation): Fault | null => (operation === 'create' ? fault : null);
      await world.file();
    } else {
      let dead = false;
      fake.dies = (operation) => (dead = operation === 'create');
      world.hook = () => assert.ok(!dead, 'the process is dead');
      await assert.rejects(world.file(), /the process is dead/);
      world.hook = () => {};
      await world.start();
    }
    Object.assign(fake, { fault: () => null, dies: () => false });
    fake.calls.length = 0;
  }

  /** Files while time passes; `each` is done before every run. */
  async function pass(
    world: World,
    upTo: number,
    each: (minute: number) => Promise<unknown> = async () => {},
  ): Promise<void> {
    let passed = 0;
    for (const minute of MINUTES.filter((one) => one <= upTo)) {
      world.clock.advance((minute - passed) * MINUTE);
      passed = minute;
      await each(minute);
      await world.file();
    }
  }

  const lags = engine.name === 'sqlite' ? LAGS : LAGS.slice(1);
  for (const [n, flavour] of FLAVOURS.entries())
    for (const [m, lag] of lags.entries())
      test(`${flavour} lists an issue ${lag / MINUTE} minutes late: it is found, and no second one is opened`, async () => {
        const faults = engine.name === 'sqlite' ? UNKNOWN : [UNKNOWN[(n + m) % UNKNOWN.length] ?? 'timeout'];
        for (const fault of faults) {
          const world = await unknown(flavour, lag, fault);
          await pass(world, 180);
          assert.equal(world.fake().issues.length, 1, fault);
          const row = await world.row();
          assert.deepEqual([row.issue, row.lastError], [world.fake().issues[0]?.ref, null]);
        }
      });

  for (const flavour of ['github', 'jira-cloud'] as const) {
    test(`${flavour}: another process goes on with the look-ups where one stood`, async () => {
      const world = await unknown(flavour, 50 * MINUTE, 'timeout');
      await pass(world, 180, (minute) => (minute % 2 === 1 ? world.start() : Promise.resolve()));
      const { calls, issues } = world.fake();
      assert.deepEqual([issues.length, calls.includes('create')], [1, false]);
      // Up to five minutes of each restart do not count, so it may take one more.
      assert.ok(calls.filter((call) => call === 'find').length <= 6, calls.join());
      assert.deepEqual((await world.row()).issue, issues[0]?.ref);
    });

    test(`${flavour}: the summary of a first run is looked for in the same way`, async () => {
      const cves = ['A', 'B', 'C', 'D', 'E', 'F'];
      const world = await unknown(flavour, 50 * MINUTE, 'server', cves);
      await pass(world, 180);
      assert.equal(world.fake().issues.length, 1);
      const keys = (await world.rows()).map(({ issue }) => issue?.key);
      assert.deepEqual(new Set(keys), new Set([world.fake().issues[0]?.ref.key]));
    });
  }

  test('other findings of the channel are filed meanwhile', async () => {
    const world = await unknown('github', 50 * MINUTE, 'timeout');
    await world.scan(2, ['CVE-2']);
    world.clock.advance(MINUTE);
    await world.file();
    const rows = await world.rows();
    assert.deepEqual(
      rows.map(({ cve, issue }) => [cve, issue !== null]),
      [
        ['CVE-1', false],
        ['CVE-2', true],
      ],
    );
  });

  test('the row says what is waited for, and until when', async () => {
    const world = await unknown('gitlab', 3 * HOUR, 'server');
    const said = async (): Promise<string> => (await world.row()).lastError ?? '';
    assert.equal(
      await said(),
      'no usable answer: server; it is not known whether the issue was opened: it is looked for at 2026-11-21 09:01 UTC, ' +
        'for the last time at 2026-11-21 10:00 UTC, and opened again if it is not found',
    );
    await pass(world, 5);
    assert.match(
      await said(),
      /^no usable answer: server; .* at 2026-11-21 09:15 UTC, for the last time at 2026-11-21 10:00 UTC/,
    );
    const dead = await unknown('jira-cloud', 0, 'dies');
    await dead.file();
    assert.match(
      (await dead.row()).lastError ?? '',
      /^the service did not hear what became of the call; it is not known/,
    );
  });

  test('a look-up that fails counts as none, and says so on the row', async () => {
    const world = await unknown('github', 0, 'timeout');
    const fake = world.fake();
    fake.fault = (operation) => (operation === 'find' ? 'server' : null);
    await pass(world, 180);
    assert.ok(!fake.calls.includes('create'));
    const { lastError } = await world.row();
    assert.match(
      lastError ?? '',
      /^no usable answer: server; it is not known whether .* within the next minutes/,
    );
    fake.fault = () => null;
    world.clock.advance(HOUR);
    await world.file();
    assert.equal(fake.issues.length, 1);
  });

  test('a service that stood still for longer than all look-ups makes each of them, a minute apart', async () => {
    const world = await unknown('github', 5 * HOUR, 'timeout');
    world.clock.advance(5 * HOUR - 2 * MINUTE);
    for (let run = 0; run < 3; run += 1) {
      await world.file();
      await world.file();
      world.clock.advance(MINUTE);
    }
    assert.deepEqual(world.fake().calls, ['find', 'find', 'find']);
    assert.equal(world.fake().issues.length, 1);
    assert.deepEqual((await world.row()).issue, world.fake().issues[0]?.ref);
  });

  test('with no room under the cap it is looked for again before it is opened again', async () => {
    const world = await unknown('github', 100 * MINUTE, 'timeout');
    await world.setChannel('main', { enabled: false });
    await pass(world, 61);
    assert.deepEqual(world.fake().calls, ['find', 'find', 'find', 'find']);
    world.clock.advance(60 * MINUTE);
    await world.setChannel('main', { enabled: true });
    await world.file();
    assert.deepEqual(world.fake().calls.slice(4), ['find']);
    assert.equal(world.fake().issues.length, 1);
  });

  test('its own place under the cap is enough to open it again', async () => {
    const world = await open();
    const fake = await world.channel('main', { dailyCap: 1 });
    fake.outcome = 'none';
    await world.scan(1, ['CVE-1']);
    await fail(world, 'timeout');
    await world.setChannel('main', { enabled: false });
    await pass(world, 61);
    world.clock.advance(30 * HOUR);
    await world.setChannel('main', { enabled: true });
    await world.file();
    assert.equal(fake.issues.length, 1);
  });

  test('after a second create was refused, the first is looked for before the third', async () => {
    const world = await unknown('github', 65 * MINUTE, 'timeout');
    const fake = world.fake();
    fake.fault = (operation) => (operation === 'create' ? 'redirect' : null);
    await pass(world, 61);
    assert.equal(fake.calls.at(-1), 'create');
    fake.fault = () => null;
    world.clock.advance(10 * MINUTE);
    await world.file();
    assert.equal(fake.calls.at(-1), 'find');
    assert.equal(fake.issues.length, 1);
    assert.deepEqual((await world.row()).issue, fake.issues[0]?.ref);
  });

  test('a finding that ends while its issue is looked for keeps its row until that is known', async () => {
    const world = await unknown('github', 50 * MINUTE, 'timeout');
    await world.scan(1, []);
    await pass(world, 16, () => world.sweep());
    assert.equal((await world.row()).state, 'open');
    await pass(world, 61, () => world.sweep());
    await world.sweep();
    const { state, reason, issue } = await world.row();
    assert.deepEqual([state, reason, issue?.key], ['closed', 'fixed', world.fake().issues[0]?.ref.key]);
    assert.equal(world.fake().issues[0]?.state, 'closed');
  });

  test('one that ends and has no issue is closed without one, once all look-ups found nothing', async () => {
    const world = await open();
    const fake = await world.channel('main');
    fake.outcome = 'none';
    await world.scan(1, ['CVE-1']);
    await fail(world, 'timeout');
    await world.scan(1, []);
    await pass(world, 90, () => world.sweep());
    await world.sweep();
    assert.equal((await world.rows()).filter(({ state }) => state === 'open').length, 0);
    assert.equal(fake.issues.length, 0);
  });

  test('a comment that is listed eight minutes late is not written twice', async () => {
    for (const flavour of FLAVOURS) {
      const world = await open();
      const fake = await world.channel('main', { flavour });
      await world.scan(1, ['CVE-1']);
      await world.file();
      await world.scan(1, []);
      fake.commentLag = 8 * MINUTE;
      fake.fault = (operation) => (operation === 'comment' ? 'timeout' : null);
      await world.sweep();
      fake.fault = () => null;
      for (let minute = 0; minute < 20; minute += 2) {
        world.clock.advance(2 * MINUTE);
        await world.sweep();
      }
      assert.deepEqual([fake.issues[0]?.comments.length, fake.issues[0]?.state], [1, 'closed'], flavour);
    }
  });

  test('of two processes that both look, one opens it again', async () => {
    const world = await open();
    const fake = await world.channel('main');
    fake.outcome = 'none';
    await world.scan(1, ['CVE-1']);
    await fail(world, 'timeout');
    await pass(world, 31);
    const one = world.process;
    const two = world.makeProcess(await raiseFence(world.store, 'two', world.clock.now()), () => true);
    world.clock.advance(40 * MINUTE);
    await Promise.all([one.filing.run(), two.filing.run()]);
    await Promise.all([one.filing.run(), two.filing.run()]);
    assert.equal(fake.issues.length, 1);
  });
});
