import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raiseFence } from '../../src/store/leadership/fence.ts';
import { hasLostLead } from '../../src/leadership/index.ts';
import { Breaker } from '../../src/trackers/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { FLAVOURS, type Flavour } from './fake-tracker.ts';
import { HOUR, MINUTE } from './virtual-clock.ts';
import { worldsOf, type World } from './world.ts';

const SECOND = 1000;

forEachEngine('the protocol of a tracker write', (engine) => {
  const open = worldsOf(engine);

  /** A world whose first create timed out; what it did is up to `outcome`. */
  async function timedOut(flavour: Flavour, outcome: 'effect' | 'none' | 'late'): Promise<World> {
    const world = await open();
    const fake = await world.channel('main', { flavour });
    fake.outcome = outcome;
    fake.fault = (operation) => (operation === 'create' ? 'timeout' : null);
    await world.scan(1, ['CVE-1']);
    await world.file();
    fake.fault = () => null;
    fake.calls.length = 0;
    return world;
  }

  /** Lets the time pass in which an issue is looked for. */
  async function lookedUp(world: World): Promise<void> {
    for (const minutes of [1, 4, 10, 15, 30, 60]) {
      world.clock.advance(minutes * MINUTE);
      await world.file();
    }
  }

  test('the attempt is committed before the first byte is sent', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1']);
    const before: unknown[] = [];
    fake.fault = (operation) => {
      if (operation === 'create') before.push(world.rows());
      return null;
    };
    await world.file();
    const [rows] = (await Promise.all(before)) as Awaited<ReturnType<World['rows']>>[];
    assert.equal(rows?.[0]?.attemptAt, world.clock.now());
    assert.equal(rows[0]?.marker, fake.issues[0]?.marker);
    assert.equal(rows[0]?.attempts, 1);
  });

  for (const flavour of ['github', 'gitlab'] as const) {
    test(`${flavour}: an unknown create is looked up after 60 seconds, and never created again before`, async () => {
      const world = await timedOut(flavour, 'effect');
      const fake = world.fake();
      world.clock.advance(39 * SECOND); // the timeout took 20 of the 60
      await world.file();
      assert.deepEqual(fake.calls, []);
      world.clock.advance(SECOND);
      await world.file();
      assert.deepEqual(fake.calls, ['find']);
      const row = await world.row();
      assert.deepEqual(row.issue, fake.issues[0]?.ref);
      assert.equal(row.openedAt, row.attemptAt, 'it was opened when it was tried');
      assert.equal(world.count(`svc_issues_opened_total ${flavour}`), 1);
    });
  }

  for (const flavour of FLAVOURS) {
    const steps = flavour.startsWith('jira') ? [1, 5, 15, 30, 60, 120] : [1, 5, 15, 60];
    test(`${flavour}: an unknown create is looked up after ${steps.join(', ')} minutes, and opened again with the last`, async () => {
      const world = await timedOut(flavour, 'none');
      const fake = world.fake();
      world.clock.advance(-20 * SECOND); // what the timeout took
      let passed = 0;
      for (const [at, step] of steps.entries()) {
        world.clock.advance((step - passed) * MINUTE - SECOND);
        passed = step;
        await world.file();
        assert.deepEqual(fake.calls, [], `too early for ${step} minutes`);
        world.clock.advance(SECOND);
        await world.file();
        const last = at === steps.length - 1;
        assert.deepEqual(fake.calls, last ? ['find', 'create'] : ['find']);
        fake.calls.length = 0;
      }
      const { attempts, issue, lastError } = await world.row();
      assert.deepEqual([attempts, issue, lastError], [2, fake.issues[0]?.ref, null]);
    });
  }

  test('an issue of another account is not adopted, whatever marker it shows', async () => {
    const world = await timedOut('github', 'none');
    const fake = world.fake();
    fake.plant((await world.row()).marker ?? '');
    await lookedUp(world);
    assert.equal(fake.calls.at(-1), 'create');
    assert.equal((await world.row()).issue?.key, fake.issues[1]?.ref.key);
  });

  test('a look-up that fails creates nothing', async () => {
    const world = await timedOut('github', 'effect');
    const fake = world.fake();
    fake.fault = () => 'server';
    world.clock.advance(MINUTE);
    await world.file();
    await world.file();
    assert.ok(!fake.calls.includes('create'));
    assert.match((await world.row()).lastError ?? '', /server/);
    fake.fault = () => null;
    world.clock.advance(HOUR);
    await world.file();
    assert.equal(fake.issues.length, 1);
    assert.ok((await world.row()).issue !== null);
  });

  test('an unknown create of a channel that was disabled is looked up all the same, so that its issue can be closed', async () => {
    const world = await timedOut('github', 'effect');
    await world.setChannel('main', { enabled: false });
    await world.scan(1, []);
    await world.sweep();
    assert.equal((await world.row()).state, 'open', 'whether there is an issue is not known');
    world.clock.advance(MINUTE);
    await world.file();
    await world.sweep();
    assert.equal((await world.row()).reason, 'fixed');
    assert.equal(world.fake().issues[0]?.state, 'closed');
  });

  test('a comment of unknown outcome is looked for before the next, and the issue is closed with one comment', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1']);
    await world.file();
    await world.scan(1, []);
    fake.fault = (operation) => (operation === 'comment' ? 'reset' : null);
    await world.sweep();
    fake.fault = () => null;
    fake.calls.length = 0;
    world.clock.advance(9 * MINUTE - SECOND);
    await world.sweep();
    assert.deepEqual(fake.calls, []);
    world.clock.advance(SECOND);
    await world.sweep();
    assert.deepEqual(fake.calls, ['read', 'commentMarkers', 'close']);
    assert.equal(fake.issues[0]?.comments.length, 1);
    assert.equal((await world.row()).state, 'closed');
  });

  test('a close of unknown outcome is not done twice: the state is read first', async () => {
    const world = await open();
    const fake = await world.channel('main', { flavour: 'jira-cloud' });
    await world.scan(1, ['CVE-1']);
    await world.file();
    await world.scan(1, []);
    fake.fault = (operation) => (operation === 'close' ? 'timeout' : null);
    await world.sweep();
    assert.equal((await world.row()).state, 'open');
    fake.fault = () => null;
    fake.calls.length = 0;
    world.clock.advance(10 * MINUTE);
    await world.sweep();
    assert.deepEqual(fake.calls, ['read']);
    assert.equal((await world.row()).state, 'closed');
    assert.equal(world.count('svc_issues_closed_total jira fixed'), 1);
  });

  test('a provider that asks for quiet is not called, over a restart too', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1', 'CVE-2']);
    fake.fault = () => 'rate_limited';
    await world.file();
    assert.equal((await world.channelState('main')).notBefore, world.clock.now() + 30 * SECOND);
    fake.fault = () => null;
    fake.calls.length = 0;
    await world.start();
    world.clock.advance(29 * SECOND);
    await world.file();
    await world.sweep();
    assert.deepEqual(fake.calls, []);
    world.clock.advance(SECOND);
    await world.file();
    assert.deepEqual(fake.calls, ['create'], 'the row that failed waits for its minute');
    world.clock.advance(MINUTE);
    await world.file();
    assert.equal(fake.issues.length, 2);
    assert.equal((await world.channelState('main')).notBefore, null);
  });

  test('after three faults in a row a host is not called for a minute, then longer', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1']);
    fake.fault = () => 'refused';
    const tried: number[] = [];
    for (let minute = 0; minute < 40; minute += 1) {
      fake.calls.length = 0;
      await world.scan(2, ['CVE-2', `CVE-${minute}`]); // there is always something to file
      await world.file();
      if (fake.calls.length > 0) tried.push(minute);
      world.clock.advance(MINUTE);
    }
    assert.deepEqual(tried.slice(0, 3), [0, 1, 2]);
    assert.ok(tried.length < 15, `tried in minutes ${tried.join(', ')}`);
  });

  test('a process that leads no more sends nothing, and what it had begun is looked up by the next', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1']);
    world.hook = (step, place) => {
      if (step === 'beginAttempt' && place === 'after') world.leads = false;
    };
    await world.file();
    assert.deepEqual(fake.calls, []);
    world.hook = () => {};
    world.leads = true;
    await world.start();
    world.clock.advance(10 * MINUTE);
    await world.file();
    assert.equal(fake.issues.length, 1);
  });

  test('a leader that was stopped and goes on writes nothing once another leads', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1']);
    const zombie = world.process;
    await world.start(); // the zombie still believes that it leads
    const { parts } = zombie;
    await assert.rejects(parts.filing.saveClock({ steady: 1, wall: 1 }, parts.leader.fence()), hasLostLead);
    await zombie.filing.run();
    await zombie.sweep.run();
    assert.deepEqual(fake.calls, []);
    assert.equal((await world.rows()).length, 0);
    await world.file();
    assert.equal(fake.issues.length, 1);
  });

  test('two replicas at once, both sure that they lead: each finding is filed and closed once', async () => {
    const world = await open();
    const fake = await world.channel('main', { dailyCap: 500, firstRunSummary: false });
    const cves = Array.from({ length: 12 }, (_, index) => `CVE-${index}`);
    await world.scan(1, cves);
    const one = world.process;
    const two = world.makeProcess(await raiseFence(world.store, 'two', world.clock.now()), () => true);
    for (let minute = 0; minute < 3; minute += 1) {
      await Promise.all([one.filing.run(), two.filing.run(), one.sweep.run(), two.sweep.run()]);
      world.clock.advance(MINUTE);
    }
    assert.equal(fake.issues.length, cves.length);
    await world.scan(1, []);
    for (let sweep = 0; sweep < 2; sweep += 1) {
      await Promise.all([one.sweep.run(), two.sweep.run(), two.filing.run()]);
      world.clock.advance(10 * MINUTE);
    }
    assert.ok(fake.issues.every(({ comments, state }) => comments.length === 1 && state === 'closed'));
    assert.ok((await world.rows()).every(({ reason }) => reason === 'fixed'));
  });

  test('leadership that changes hands in the middle of everything doubles nothing', async () => {
    const world = await open();
    const fake = await world.channel('main', { dailyCap: 500, firstRunSummary: false });
    fake.takes = 500;
    await world.scan(
      1,
      Array.from({ length: 10 }, (_, index) => `CVE-${index}`),
    );
    const processes = [world.process];
    for (let turn = 0; turn < 6; turn += 1) {
      processes.push(
        world.makeProcess(await raiseFence(world.store, `${turn}`, world.clock.now()), () => true),
      );
      const all = processes.flatMap(({ filing, sweep }) => [filing.run(), sweep.run()]);
      if (turn === 3) await world.scan(1, []);
      await Promise.all(all);
      world.clock.advance(10 * MINUTE);
    }
    await processes.at(-1)?.filing.run();
    await processes.at(-1)?.sweep.run();
    assert.equal(fake.issues.length, 10);
    assert.ok(fake.issues.every(({ comments, state }) => comments.length === 1 && state === 'closed'));
  });

  test('a finding whose text cannot be made is noted, and does not keep the others from being filed', async () => {
    const world = await open();
    const fake = await world.channel('main', { firstRunSummary: false });
    await world.scan(1, ['CVE-1', 'CVE-2', 'CVE-3']);
    const { writer } = world.process.parts;
    const { open: make } = writer;
    Object.assign(writer, {
      open: async (...given: Parameters<typeof make>) => {
        if (given[1][0]?.cve === 'CVE-2') throw new Error('t0ken in a stack');
        return make(...given);
      },
    });
    await world.file();
    assert.deepEqual(
      fake.issues.map(({ title }) => title),
      ['CVE-1', 'CVE-3'],
    );
    const row = (await world.rows()).find(({ cve }) => cve === 'CVE-2');
    assert.match(row?.lastError ?? '', /could not be made: a defect of the service/);
    assert.equal(world.count('svc_issues_skipped_total error'), 1);
  });

  test('a repository that is refused holds up only its own finding, longer each time', async () => {
    const world = await open();
    const fake = await world.channel('main', { firstRunSummary: false });
    await world.scan(1, ['CVE-1', 'CVE-2']);
    fake.fault = (operation) => (operation === 'create' && fake.calls.length === 1 ? 'redirect' : null);
    await world.file();
    assert.deepEqual(
      fake.issues.map(({ title }) => title),
      ['CVE-2'],
    );
    assert.equal((await world.rows())[0]?.lastError, 'the project was moved');
    const tries: number[] = [];
    fake.fault = () => 'redirect';
    for (let minute = 1; minute <= 32; minute += 1) {
      world.clock.advance(MINUTE);
      fake.calls.length = 0;
      await world.file();
      if (fake.calls.length > 0) tries.push(minute);
    }
    assert.deepEqual(tries, [1, 3, 7, 15, 31]);
  });
});

test('a breaker opens with the third fault in a row, and one success closes it', () => {
  const breaker = new Breaker();
  breaker.failed('host', 0);
  breaker.failed('host', 0);
  assert.ok(breaker.allows('host', 0));
  breaker.failed('host', 0);
  assert.ok(!breaker.allows('host', MINUTE - 1));
  assert.ok(breaker.allows('host', MINUTE));
  assert.ok(breaker.allows('other', 0));
  breaker.failed('host', MINUTE);
  assert.ok(!breaker.allows('host', 3 * MINUTE - 1));
  for (let fault = 0; fault < 100; fault += 1) breaker.failed('host', 0);
  assert.ok(breaker.allows('host', 30 * MINUTE), 'never longer than half an hour');
  breaker.succeeded('host');
  assert.ok(breaker.allows('host', 0));
});
