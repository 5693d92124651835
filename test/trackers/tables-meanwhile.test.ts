import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { FAKE_KINDS, type Fake, type FakeIssue, type FakeKind } from '../../fakes/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { actsOf, commentsOf, desksOf, type Desk } from './tables-world.ts';
import { DAY, MINUTE } from './virtual-clock.ts';

/** A filed finding that has ended, so that the next sweep comments and closes. */
interface Ended {
  readonly desk: Desk;
  readonly fake: Fake;
  readonly issue: FakeIssue;
}

forEachEngine('what people do to an issue meanwhile', (engine) => {
  const open = desksOf(engine);
  const kinds = engine.name === 'sqlite' ? FAKE_KINDS : (['gitlab'] as const);

  async function ended(t: TestContext, kind: FakeKind): Promise<Ended> {
    const desk = await open(t);
    const { fake } = await desk.channel(kind);
    await desk.world.scan(1, ['CVE-1']);
    await desk.file();
    await desk.world.scan(1, []);
    const [issue] = fake.state.issues;
    assert.ok(issue);
    return { desk, fake, issue };
  }

  async function sweeps({ desk }: Ended, count: number): Promise<void> {
    for (let sweep = 0; sweep < count; sweep += 1) {
      await desk.sweep();
      desk.world.clock.advance(10 * MINUTE);
      await desk.file();
    }
  }

  for (const kind of kinds)
    suite(kind, () => {
      test('a person closes it between our comment and our closing: one comment, closed once, and the row is closed', async (t) => {
        const scene = await ended(t, kind);
        const { desk, fake, issue } = scene;
        fake.faults.at({ act: 'comment' }, 'answered', () => fake.state.close(issue));
        await sweeps(scene, 3);
        assert.deepEqual([(await desk.world.row()).reason, issue.state], ['fixed', 'closed']);
        assert.equal(commentsOf(issue).length, 1);
        assert.equal(fake.state.history.filter(({ act }) => act === 'close').length, 1);
        assert.equal(fake.state.issues.length, 1);
      });

      test('a person closed it before the finding ended: nothing is reopened or filed again, and the reason is told', async (t) => {
        const desk = await open(t);
        const { fake } = await desk.channel(kind);
        await desk.world.scan(1, ['CVE-1']);
        await desk.file();
        const [issue] = fake.state.issues;
        fake.state.close(issue!);
        const scene = { desk, fake, issue: issue! };
        await desk.world.scan(1, ['CVE-1']);
        await sweeps(scene, 3);
        assert.deepEqual([(await desk.world.row()).state, fake.state.issues.length], ['open', 1]);
        await desk.world.scan(1, []);
        await sweeps(scene, 3);
        assert.equal((await desk.world.row()).reason, 'fixed');
        assert.deepEqual(actsOf(fake), ['create', 'comment']);
      });

      test('a person reopens it after it was closed: it is left to them', async (t) => {
        const scene = await ended(t, kind);
        const { desk, fake, issue } = scene;
        await sweeps(scene, 1);
        assert.equal(issue.state, 'closed');
        const row = await desk.world.row();
        fake.state.reopen(issue);
        const before = fake.requests.length;
        await sweeps(scene, 3);
        assert.equal(fake.requests.length, before);
        assert.deepEqual(await desk.world.row(), row);
      });

      test('a person moves it between our comment and our closing: it is closed where it is now, with the one comment', async (t) => {
        const scene = await ended(t, kind);
        const { desk, fake, issue } = scene;
        const elsewhere = fake.state.projects[1]?.path ?? '';
        const moved: FakeIssue[] = [];
        fake.faults.at(
          { act: 'comment' },
          'answered',
          () => void moved.push(fake.state.move(issue, elsewhere)),
        );
        await sweeps(scene, 3);
        const [there] = moved;
        assert.equal(there?.state, 'closed');
        const row = await desk.world.row();
        assert.deepEqual([row.reason, row.issue?.id], ['fixed', String(there.id)]);
        const comments = fake.state.issues.flatMap(commentsOf);
        assert.equal(comments.length, 1);
      });

      test('a person moved it before the finding ended: comment and closing go to where it is now', async (t) => {
        const scene = await ended(t, kind);
        const { desk, fake, issue } = scene;
        const there = fake.state.move(issue, fake.state.projects[1]?.path ?? '');
        await sweeps(scene, 2);
        assert.deepEqual([there.state, commentsOf(there).length], ['closed', 1]);
        const { reason, issue: reference } = await desk.world.row();
        assert.deepEqual([reason, reference?.id], ['fixed', String(there.id)]);
      });

      test('a person deletes it: nothing is written or filed again; the row is closed only where the tracker says for certain that it is gone', async (t) => {
        const scene = await ended(t, kind);
        const { desk, fake, issue } = scene;
        fake.faults.at({ act: 'comment' }, 'answered', () => fake.state.remove(issue));
        await sweeps(scene, 3);
        const row = await desk.world.row();
        if (kind.startsWith('github')) {
          assert.deepEqual([row.state, row.reason], ['closed', 'fixed']);
          assert.match(row.lastError ?? '', /deleted in the tracker/);
        } else {
          assert.equal(row.state, 'open');
          assert.match(row.lastError ?? '', /404/);
        }
        assert.deepEqual(
          [fake.state.issues.length, issue.comments.filter(({ system }) => !system).length],
          [1, 1],
        );
        assert.equal(desk.world.count(`svc_issues_closed_total ${row.channelKind} fixed`), 0);
      });

      test('a person closes an issue of which it was not known whether it was opened: it is found, and not filed again', async (t) => {
        const desk = await open(t);
        const { fake } = await desk.channel(kind);
        await desk.world.scan(1, ['CVE-1']);
        fake.faults.inject({ act: 'create' }, 'reset after effect');
        fake.faults.at({ act: 'create' }, 'after', () => fake.state.close(fake.state.issues[0]!));
        await desk.file();
        for (let minute = 0; minute < 20; minute += 1) {
          desk.world.clock.advance(MINUTE);
          await desk.file();
        }
        assert.equal(fake.state.issues.length, 1);
        assert.equal((await desk.world.row()).issue?.id, String(fake.state.issues[0]?.id));
      });

      test('a person opens one with our marker in it: it is not taken for ours', async (t) => {
        const desk = await open(t);
        const { fake } = await desk.channel(kind);
        await desk.world.scan(1, ['CVE-1']);
        fake.faults.inject({ act: 'create' }, 'reset before effect');
        await desk.file();
        const { marker } = await desk.world.row();
        const project = fake.state.projects[0]?.path ?? '';
        fake.state.open({ project, title: 'x', body: `<!-- ${marker} -->`, labels: [marker ?? ''] });
        for (let look = 0; look < 14; look += 1) {
          desk.world.clock.advance(10 * MINUTE);
          await desk.file();
        }
        const own = fake.state.issues.filter(({ author }) => author.login === 'ipo-bot');
        assert.deepEqual([fake.state.issues.length, own.length], [2, 1]);
        assert.equal((await desk.world.row()).issue?.id, String(own[0]?.id));
      });
    });

  test('the lead changes hands between two processes with databases connections of their own: nothing is doubled', async (t) => {
    const desk = await open(t);
    const { world } = desk;
    const { fake } = await desk.channel('github', { dailyCap: 500, firstRunSummary: false });
    const cves = Array.from({ length: 10 }, (_, n) => `CVE-${n}`);
    await world.scan(1, cves);
    const processes = [desk.joined];
    const act = async (): Promise<void> => {
      await Promise.all(processes.flatMap(({ filing, sweep }) => [filing.run(), sweep.run()]));
      world.clock.advance(10 * MINUTE);
      processes.push(await desk.start());
    };
    for (let turn = 0; turn < 4; turn += 1) await act();
    await world.scan(1, []);
    for (let turn = 0; turn < 4; turn += 1) await act();
    world.clock.advance(DAY);
    assert.equal(fake.state.issues.length, 10);
    assert.ok(fake.state.issues.every((issue) => issue.state === 'closed' && commentsOf(issue).length === 1));
  });
});
