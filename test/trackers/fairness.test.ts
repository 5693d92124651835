import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TrackerError } from '../../src/trackers/index.ts';
import { forEachEngine } from '../store/engines.ts';
import type { FakeTracker } from './fake-tracker.ts';
import { DAY, HOUR, MINUTE } from './virtual-clock.ts';
import { worldsOf, type World } from './world.ts';

/** Refuses what is written about some findings, as a repository does that is archived, locked or out of reach. */
function refuse(world: World, isRefused: (text: string) => boolean): void {
  const { factory } = world.process.parts;
  const { open } = factory;
  const refusal = (): never => {
    throw new TrackerError('forbidden', 'it was archived so is read-only', { happened: 'no' });
  };
  Object.assign(factory, {
    open: (...given: Parameters<typeof open>) => {
      const tracker = open(...given);
      const { create, comment } = tracker;
      return Object.assign(Object.create(tracker) as typeof tracker, {
        create: async (...draft: Parameters<typeof create>) =>
          isRefused(draft[1].title) ? refusal() : create(...draft),
        comment: async (...said: Parameters<typeof comment>) =>
          isRefused(JSON.stringify(said[1].body)) ? refusal() : comment(...said),
      });
    },
  });
}

function titles({ issues }: FakeTracker): string[] {
  return issues.map(({ title }) => title);
}

forEachEngine('what cannot be written does not hold up the rest', (engine) => {
  const open = worldsOf(engine);

  test('findings whose repository refuses do not use up the cap: it counts issues', async () => {
    const world = await open();
    const fake = await world.channel('main', { dailyCap: 2, firstRunSummary: false });
    refuse(world, (title) => title.startsWith('BAD'));
    await world.scan(1, ['BAD-1', 'BAD-2', 'BAD-3', 'BAD-4']);
    await world.file();
    await world.scan(2, ['GOOD-1', 'GOOD-2', 'GOOD-3']);
    for (let minute = 0; minute < 60; minute += 1) {
      world.clock.advance(MINUTE);
      await world.file();
    }
    assert.deepEqual(titles(fake), ['GOOD-1', 'GOOD-2']);
    world.clock.advance(DAY);
    await world.file();
    assert.deepEqual(titles(fake), ['GOOD-1', 'GOOD-2', 'GOOD-3']);
  });

  test('a channel in which every create is refused asks less and less often, and begins again with the first that is not', async () => {
    const world = await open();
    const fake = await world.channel('main', { dailyCap: 500, firstRunSummary: false });
    await world.scan(
      1,
      Array.from({ length: 20 }, (_, at) => `CVE-${at}`),
    );
    fake.fault = (operation) => (operation === 'create' ? 'redirect' : null);
    const tried: number[] = [];
    for (let hour = 0; hour < 3; hour += 1) {
      fake.calls.length = 0;
      for (let minute = 0; minute < 60; minute += 1) {
        await world.file();
        world.clock.advance(MINUTE);
      }
      tried.push(fake.calls.length);
    }
    const [first = 0, ...later] = tried;
    assert.ok(first <= 60 && Math.max(...later) <= 30, `calls in each hour: ${tried.join(', ')}`);
    fake.fault = () => null;
    for (let hour = 0; hour < 8; hour += 1) {
      world.clock.advance(HOUR);
      await world.file();
    }
    assert.equal(fake.issues.length, 20);
  });

  test('an issue that nobody may comment on does not keep those behind it from being closed', async () => {
    const world = await open();
    const fake = await world.channel('main', { firstRunSummary: false });
    refuse(world, (text) => /LOCKED-\d/.test(text) && text.includes('fixed'));
    const locked = Array.from({ length: 8 }, (_, at) => `LOCKED-${at}`);
    await world.scan(1, [...locked, 'OPEN-1', 'OPEN-2']);
    await world.file();
    assert.equal(fake.issues.length, 10);
    await world.scan(1, []);
    for (let sweep = 0; sweep < 4; sweep += 1) {
      world.clock.advance(10 * MINUTE);
      await world.sweep();
    }
    const closed = fake.issues.filter(({ state }) => state === 'closed').map(({ title }) => title);
    assert.deepEqual(closed, ['OPEN-1', 'OPEN-2']);
    const rows = await world.rows();
    assert.ok(
      rows.filter(({ state }) => state === 'open').every(({ lastError }) => /archived/.test(lastError ?? '')),
    );
  });

  test('issues that a person deleted, of which the tracker says no more than that there are none, hold up no other', async () => {
    const world = await open();
    const fake = await world.channel('main', { flavour: 'gitlab', dailyCap: 100, firstRunSummary: false });
    const deleted = Array.from({ length: 30 }, (_, at) => `DELETED-${at}`);
    await world.scan(1, [...deleted, 'OPEN-1']);
    await world.file();
    fake.issues.splice(0, deleted.length);
    await world.scan(1, []);
    world.clock.advance(10 * MINUTE);
    await world.sweep();
    assert.deepEqual(
      fake.issues.map(({ title, state }) => [title, state]),
      [['OPEN-1', 'closed']],
    );
  });

  test('closings that cannot be finished do not keep others from being finished', async () => {
    const world = await open();
    const fake = await world.channel('main', { flavour: 'jira-cloud', firstRunSummary: false });
    const stuck = Array.from({ length: 8 }, (_, at) => `STUCK-${at}`);
    await world.scan(1, [...stuck, 'LATE-1']);
    await world.file();
    fake.beforeClose = ({ title }) => {
      if (title.startsWith('STUCK'))
        throw new TrackerError('invalid', 'the transition is not valid', { happened: 'no' });
    };
    await world.scan(1, ['LATE-1']);
    for (let sweep = 0; sweep < 4; sweep += 1) {
      world.clock.advance(10 * MINUTE);
      await world.sweep();
    }
    // The one that ends last is commented by a process that dies before it closes the issue.
    await world.scan(1, []);
    fake.dies = (operation) => operation === 'close' && fake.issues.at(-1)?.comments.length === 1;
    await world.sweep().catch(() => {});
    fake.dies = () => false;
    await world.start();
    for (let sweep = 0; sweep < 6; sweep += 1) {
      world.clock.advance(10 * MINUTE);
      await world.sweep();
    }
    assert.equal(fake.issues.find(({ title }) => title === 'LATE-1')?.state, 'closed');
    assert.ok(fake.issues.every(({ comments }) => comments.length === 1));
  });

  test('claims that a channel adopts find their place under its own cap', async () => {
    const world = await open();
    await world.channel('gone', { dailyCap: 10, firstRunSummary: false });
    const { writer } = world.process.parts;
    const { open: make } = writer;
    Object.assign(writer, {
      open: async () => {
        throw new Error('a defect');
      },
    });
    await world.scan(1, ['CVE-1', 'CVE-2', 'CVE-3']);
    await world.file();
    Object.assign(writer, { open: make });
    assert.equal((await world.rows()).length, 3, 'claimed, and no issue is opened');
    await world.deleteChannel('gone');
    const heir = await world.channel('heir', { dailyCap: 2, firstRunSummary: false });
    await world.run('update tracking set closed_via = ?', ['heir']);
    for (let hour = 0; hour < 20; hour += 1) {
      world.clock.advance(HOUR);
      await world.file();
    }
    assert.equal(heir.issues.length, 2);
    world.clock.advance(5 * HOUR);
    await world.file();
    assert.equal(heir.issues.length, 3);
  });

  test('a credential that does not open counts each finding once, and again with each newer scan', async () => {
    const world = await open();
    await world.channel('main');
    world.unreadable.add('main');
    await world.scan(1, ['CVE-1', 'CVE-2']);
    for (let minute = 0; minute < 5; minute += 1) {
      await world.file();
      world.clock.advance(MINUTE);
    }
    assert.equal(world.count('svc_issues_skipped_total error'), 2);
    await world.scan(1, ['CVE-1', 'CVE-2']);
    await world.file();
    assert.equal(world.count('svc_issues_skipped_total error'), 4);
  });

  test('what waits for the cap is counted once, also where the channel does not answer in the same run', async () => {
    const world = await open();
    const fake = await world.channel('main', { dailyCap: 2, firstRunSummary: false });
    fake.fault = () => 'refused';
    await world.scan(1, ['CVE-1', 'CVE-2', 'CVE-3', 'CVE-4', 'CVE-5']);
    await world.file();
    await world.file();
    assert.equal(world.count('svc_issues_skipped_total cap'), 3);
  });
});
