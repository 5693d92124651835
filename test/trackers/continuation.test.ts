import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadAdapters, textRoomsOf } from '../../src/app/trackers/adapters.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { continuationStore } from '../../src/store/tracking/continuations.ts';
import { issueFacts } from '../../src/store/tracking/issue-facts.ts';
import { openIssueWriter, TrackerError, type Block } from '../../src/trackers/index.ts';
import { forEachEngine } from '../store/engines.ts';
import type { FakeTracker } from './fake-tracker.ts';
import { scanMany } from './many-scans.ts';
import { MINUTE } from './virtual-clock.ts';
import { worldsOf, type World } from './world.ts';

const textRooms = textRoomsOf(await loadAdapters());

const CVES = ['A', 'B', 'C', 'D', 'E', 'F'];

function said(text: string): readonly Block[] {
  return [{ kind: 'paragraph', content: [{ kind: 'text', text }] }];
}

async function left({ store }: World): Promise<number> {
  return (await runText(store.read, 'select id from tracking_continuations', [])).length;
}

function comments(fake: FakeTracker): readonly string[] {
  return (fake.issues[0]?.comments ?? []).map(({ text }) => /part \d+/.exec(text)?.[0] ?? text);
}

forEachEngine('comments that continue a summary', (engine) => {
  const open = worldsOf(engine);

  /** A world whose summaries have so many comments. */
  async function begun(parts: number): Promise<{ world: World; fake: FakeTracker }> {
    const world = await open();
    const fake = await world.channel('main');
    world.more = () => Array.from({ length: parts }, (_, at) => said(`part ${at + 1}`));
    await world.scan(1, CVES);
    return { world, fake };
  }

  test('follow in the run that opened the issue, in their order, and count as no issue', async () => {
    const { world, fake } = await begun(3);
    await world.file();
    assert.deepEqual(fake.calls, ['create', 'read', 'comment', 'comment', 'comment']);
    assert.deepEqual(comments(fake), ['part 1', 'part 2', 'part 3']);
    assert.equal(world.count('svc_issues_opened_total github'), 1);
    assert.equal(await left(world), 0);
    world.clock.advance(MINUTE);
    await world.file();
    assert.equal(fake.calls.length, 5, 'nothing is left to do');
  });

  test('take several runs where a tracker is slow', async () => {
    const { world, fake } = await begun(9);
    fake.takes = 10_000;
    await world.file();
    assert.equal(comments(fake).length, 4);
    await world.file();
    await world.file();
    assert.deepEqual(
      comments(fake),
      Array.from({ length: 9 }, (_, at) => `part ${at + 1}`),
    );
  });

  test('wait where the tracker refuses them, with the error on the rows until they are posted', async () => {
    const { world, fake } = await begun(2);
    let refused = 0;
    fake.fault = (operation) => (operation === 'comment' && refused++ < 2 ? 'redirect' : null);
    await world.file();
    assert.deepEqual(
      (await world.rows()).map(({ lastError }) => lastError),
      Array(6).fill('the project was moved'),
    );
    await world.file();
    assert.equal(refused, 1, 'not at once');
    world.clock.advance(MINUTE);
    await world.file();
    assert.equal(refused, 2);
    world.clock.advance(MINUTE);
    await world.file();
    assert.equal(refused, 2, 'after two minutes the second time');
    world.clock.advance(MINUTE);
    await world.file();
    assert.deepEqual(comments(fake), ['part 1', 'part 2']);
    assert.ok((await world.rows()).every(({ lastError }) => lastError === null));
  });

  test('obey a limit of the tracker as every other write does', async () => {
    const { world, fake } = await begun(2);
    let limited = false;
    fake.fault = (operation) => {
      if (operation !== 'comment' || limited) return null;
      limited = true;
      return 'rate_limited';
    };
    await world.file();
    const state = await world.channelState('main');
    assert.equal(state.notBefore, world.clock.now() + 30_000);
    assert.deepEqual(comments(fake), []);
    world.clock.advance(2 * MINUTE);
    await world.file();
    assert.deepEqual(comments(fake), ['part 1', 'part 2']);
  });

  test('are posted by the process that leads, with what the first had stored', async () => {
    const { world, fake } = await begun(3);
    const first = world.process;
    let lost = false;
    world.hook = (name, when) => {
      // Another process is elected between two comments; the first does not know yet.
      if (name === 'posted' && when === 'after' && !lost) lost = true;
    };
    const posted = first.parts.continuations.posted.bind(first.parts.continuations);
    first.parts.continuations.posted = async (id, fence) => {
      await posted(id, fence);
      if (lost) await world.start();
    };
    await first.filing.run();
    assert.deepEqual(comments(fake), ['part 1'], 'an old fence writes nothing');
    world.more = () => assert.fail('a text is made once');
    await world.file();
    assert.deepEqual(comments(fake), ['part 1', 'part 2', 'part 3']);
  });

  test('of a disabled channel wait until it is enabled', async () => {
    const { world, fake } = await begun(2);
    world.hook = (name, when) => {
      if (name === 'begin' && when === 'before')
        throw new TrackerError('stopped', 'a stop', { happened: 'no' });
    };
    await world.file();
    world.hook = () => {};
    await world.setChannel('main', { enabled: false });
    await world.file();
    assert.deepEqual([comments(fake), await left(world)], [[], 2]);
    await world.setChannel('main', { enabled: true });
    await world.file();
    assert.deepEqual(comments(fake), ['part 1', 'part 2']);
  });

  test('are forgotten once the issue was deleted, or its last finding has ended; they follow one that was moved', async () => {
    const stopped = async (): Promise<{ world: World; fake: FakeTracker }> => {
      const made = await begun(2);
      made.world.hook = (name, when) => {
        if (name === 'begin' && when === 'before')
          throw new TrackerError('stopped', 'a stop', { happened: 'no' });
      };
      await made.world.file();
      made.world.hook = () => {};
      return made;
    };
    const deleted = await stopped();
    deleted.fake.issues[0]!.gone = true;
    await deleted.world.file();
    assert.deepEqual([comments(deleted.fake), await left(deleted.world)], [[], 0]);

    const ended = await stopped();
    await ended.world.scan(1, []);
    await ended.world.sweep();
    await ended.world.file();
    assert.equal(ended.fake.issues[0]?.state, 'closed');
    assert.deepEqual([ended.fake.issues[0]?.comments.length, await left(ended.world)], [1, 0]);

    const moved = await stopped();
    const there = { key: 'team/other#7', url: 'https://tracker.example/team/other#7', id: 'id1' };
    moved.fake.issues[0]!.movedTo = there;
    await moved.world.file();
    assert.deepEqual(comments(moved.fake), ['part 1', 'part 2']);
    assert.deepEqual(
      (await moved.world.rows()).map(({ issue }) => issue),
      Array(6).fill(there),
    );
  });

  test('are kept as they are once the create of their issue is noted', async () => {
    const { world } = await begun(2);
    world.hook = (name, when) => {
      if (name === 'create' && when === 'before')
        throw new TrackerError('timeout', 'none', { happened: 'unknown' });
    };
    await world.file();
    assert.equal(await left(world), 2);
    const store = continuationStore(world.store);
    const [row] = await world.rows();
    const other = { title: 'other', body: said('other'), comments: [{ id: 'other', body: said('other') }] };
    const fence = world.process.parts.leader.fence();
    const { title } = await store.plan(row?.marker ?? '', 'github', other, fence);
    assert.deepEqual([title, await left(world)], ['6 findings', 2]);
    // What was made for another tracker may not fit this one.
    const { title: changed } = await store.plan(row?.marker ?? '', 'jira 3', other, fence);
    assert.deepEqual([changed, await left(world)], ['other', 1]);
    assert.deepEqual(await store.pending(), [], 'nothing is continued whose issue is not known');
  });

  test('and the issue are of one plan, however often the issue is created and whatever ends meanwhile', async () => {
    for (const found of ['first', 'second'] as const) {
      const { world, fake } = await begun(0);
      let plans = 0;
      world.begins = () => said(`plan ${(plans += 1)}`);
      world.more = () => (plans === 1 ? [said('part 1 of plan 1')] : []);
      // Nobody learns what the first two creates did; the first of them shows late, if it opened the issue.
      let creates = 0;
      fake.fault = (operation) => (operation === 'create' && (creates += 1) < 3 ? 'timeout' : null);
      fake.outcome = 'none';
      if (found === 'first') {
        fake.outcome = 'effect';
        fake.lag = 61 * MINUTE;
      }
      await world.file();
      for (let minute = 0; minute < 150; minute += 5) {
        world.clock.advance(5 * MINUTE);
        if (minute === 10) await world.scan(1, CVES.slice(0, 3));
        if (minute === 30) await world.start();
        if (creates === 1) fake.outcome = 'none';
        await world.file();
        await world.sweep();
      }
      const plansOf = (text: string | undefined): string | undefined => /plan \d+/.exec(text ?? '')?.[0];
      assert.equal(fake.issues.length, 1, found);
      assert.deepEqual(
        [plansOf(fake.issues[0]?.text), comments(fake)[0], await left(world)],
        ['plan 1', 'part 1', 0],
        found,
      );
      for (const cve of CVES) assert.match(fake.issues[0]?.text ?? '', new RegExp(`"${cve}"`));
    }
  });

  test('list thousands of findings on every kind of tracker', async () => {
    const count = engine.name === 'sqlite' ? 3000 : 1500;
    for (const flavour of engine.name === 'sqlite'
      ? (['github', 'jira-datacenter'] as const)
      : (['github'] as const)) {
      const world = await open();
      const fake = await world.channel('main', { flavour });
      const terms = { criticalWindow: async () => null, dueDates: async () => new Map<string, string>() };
      Object.assign(world.process.parts, {
        writer: openIssueWriter({ facts: issueFacts(world.store), terms, rooms: textRooms }),
      });
      const findings = Array.from({ length: count / 30 }, (_, at) => ({
        cve: `CVE-2026-${100_000 + at}`,
        package: `org.example.some.library:part-${at}`,
      }));
      await scanMany(world.store, 30, findings);
      for (let run = 0; run < 3 && (run === 0 || (await left(world)) > 0); run += 1) await world.file();
      const listed = (fake.issues[0]?.comments ?? []).flatMap(({ text }) => [
        ...(text.match(/CVE-2026-\d{6}/g) ?? []),
      ]);
      // What the issue itself had no room for.
      assert.ok(listed.length > 0 && listed.length <= count, `${flavour}: ${listed.length}`);
      const last = fake.issues[0]?.comments.at(-1)?.text ?? '';
      assert.match(last, new RegExp(`to ${count} of ${count}\\. Comment (\\d+) of \\1 with the list`));
      assert.equal(new Set((await world.rows()).map(({ marker }) => marker)).size, 1);
    }
  });
});
