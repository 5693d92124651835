import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FAKE_KINDS } from '../../fakes/index.ts';
import { recordProofs } from '../../src/store/scans/scans.ts';
import { forEachEngine } from '../store/engines.ts';
import { digestOf } from '../store/image-records.ts';
import { actsOf, commentsOf, desksOf } from './tables-world.ts';
import { DAY, MINUTE } from './virtual-clock.ts';

const SIX = ['CVE-1', 'CVE-2', 'CVE-3', 'CVE-4', 'CVE-5', 'CVE-6'];

forEachEngine('the additional rules of a "Tracking history row"', (engine) => {
  const open = desksOf(engine);
  const kinds = engine.name === 'sqlite' ? FAKE_KINDS : (['github'] as const);

  for (const kind of kinds)
    suite(kind, () => {
      test('The unit of closing is the issue. Each finding on it is judged on its own with its own reason. One comment per issue per sweep lists the findings that ended and why. The issue is closed once, when its last finding ends', async (t) => {
        const desk = await open(t);
        const { world } = desk;
        const { fake } = await desk.channel(kind);
        await world.scan(1, SIX);
        await desk.file();
        const [issue] = fake.state.issues;
        await world.triage(1, 'CVE-1', world.clock.now() + 30 * DAY);
        await world.scan(1, ['CVE-1', 'CVE-3', 'CVE-4', 'CVE-5', 'CVE-6']);
        await desk.sweep();
        await desk.sweep();
        const [first = '', ...more] = commentsOf(issue!);
        assert.equal(more.length, 0, 'one comment');
        assert.match(first, /CVE-1\b[^\n]*\btriaged\b/);
        assert.match(first, /CVE-2\b[^\n]*\bfixed\b/);
        assert.match(first, /\b4\b[^\n]*remain/, 'how many remain');
        assert.equal(issue?.state, 'open');
        await world.scan(1, []);
        await desk.sweep();
        await desk.sweep();
        assert.equal(commentsOf(issue!).length, 2);
        assert.equal(actsOf(fake).filter((act) => act === 'close').length, 1);
        assert.equal(issue?.state, 'closed');
      });

      test('A disabled channel keeps closing (using the stored credential)', async (t) => {
        const desk = await open(t);
        const { id, fake } = await desk.channel(kind);
        await desk.world.scan(1, ['CVE-1']);
        await desk.file();
        await desk.change(id, { enabled: false });
        await desk.world.scan(1, ['CVE-2']);
        await desk.file();
        await desk.sweep();
        assert.deepEqual(actsOf(fake), ['create', 'comment', 'close']);
        assert.equal((await desk.world.row()).reason, 'fixed');
      });

      test('A deleted channel cannot close: its rows stay open forever, the sweep logs once per sweep that it cannot resolve the channel, issues need manual closing, and the open rows keep blocking a new channel from refiling those findings', async (t) => {
        const desk = await open(t);
        const { world } = desk;
        const { id, fake } = await desk.channel(kind);
        await world.scan(1, ['CVE-1', 'CVE-2']);
        await desk.file();
        await desk.joined.channels.remove(id, 'any');
        const other = await desk.channel(kind);
        await world.scan(1, ['CVE-1']);
        for (let sweep = 1; sweep <= 3; sweep += 1) {
          await desk.sweep();
          await desk.file();
          const told = world.log.filter(({ message }) => message.includes('cannot resolve the channel'));
          assert.equal(told.length, sweep);
          world.clock.advance(DAY);
        }
        assert.ok((await world.rows()).every(({ state }) => state === 'open'));
        assert.deepEqual([actsOf(fake), actsOf(other.fake)], [['create', 'create'], []]);
      });

      test('The closing comment names the reason in the same words as the row', async (t) => {
        const desk = await open(t);
        const { world } = desk;
        const { fake } = await desk.channel(kind);
        for (const image of [1, 2, 3]) {
          await world.seen(image, world.clock.now());
          await world.scan(image, ['CVE-1']);
        }
        await desk.file();
        await world.scan(1, []);
        await world.triage(2, 'CVE-1', world.clock.now() + 2 * DAY);
        world.clock.advance(DAY);
        await world.swept('prod', world.clock.now());
        await desk.sweep();
        for (const row of await world.rows()) {
          const issue = fake.state.issues.find(({ id }) => String(id) === row.issue?.id);
          const [comment = ''] = commentsOf(issue!);
          const named = ['fixed', 'triaged', 'image_retired'].filter((reason) =>
            new RegExp(`CVE-1\\b[^\\n]*\\b${reason}\\b`).test(comment),
          );
          assert.deepEqual(named, [row.reason], comment);
        }
      });
    });

  test('`fixed` is read from findings rows, not from a severity count. A count that dropped because a trusted producer statement was accepted is not a fix', async (t) => {
    const desk = await open(t);
    const { world } = desk;
    const { fake } = await desk.channel('github');
    await world.scan(1, ['CVE-1', 'CVE-2']);
    await desk.file();
    const unsigned = { payload: null, signature: null, payloadType: null };
    const vex = ['not_affected', 'fixed'].map((status, n) => ({
      ...{ identity: 'https://github.com/acme/web', issuer: 'https://issuer.example', ...unsigned },
      ...{ cve: `CVE-${n + 1}`, status },
    }));
    await world.store.write((transaction) =>
      recordProofs(transaction, digestOf(1), { vex }, world.clock.now()),
    );
    await desk.sweep();
    // The count of criticals drops to nothing, and each finding is still among the rows.
    await world.scan(1, ['CVE-1', 'CVE-2'], { severity: 'HIGH' });
    await desk.sweep();
    assert.deepEqual(actsOf(fake), ['create', 'create']);
    assert.ok((await world.rows()).every(({ state }) => state === 'open'));
  });

  for (const kind of FAKE_KINDS.filter((one) => one.startsWith('jira')))
    test(`Jira without doneTransitionId: the comment is posted and the issue is left open, and the comment says so (${kind})`, async (t) => {
      const desk = await open(t);
      const { world } = desk;
      const { fake } = await desk.channel(kind, { doneTransitionId: null });
      await world.scan(1, ['CVE-1']);
      await desk.file();
      await world.scan(1, []);
      for (let sweep = 0; sweep < 3; sweep += 1) {
        await desk.sweep();
        world.clock.advance(10 * MINUTE);
      }
      const [issue] = fake.state.issues;
      const [comment = '', ...more] = commentsOf(issue!);
      assert.deepEqual([issue?.state, more.length], ['open', 0]);
      assert.match(comment, /doneTransitionId/);
      assert.match(comment, /left open|stays open/i);
      const { state, reason, issueLeftOpen } = await world.row();
      assert.deepEqual([state, reason, issueLeftOpen], ['closed', 'fixed', true]);
    });
});

forEachEngine('First-run summary', (engine) => {
  const open = desksOf(engine);

  test("A channel's first run with more than 5 candidates files one summary issue listing all of them", async (t) => {
    const desk = await open(t);
    const { fake } = await desk.channel('gitlab');
    await desk.world.scan(1, SIX);
    await desk.file();
    const [issue, ...more] = fake.state.issues;
    assert.equal(more.length, 0);
    for (const cve of SIX) assert.ok(String(issue?.body).includes(cve), cve);
  });

  test('Each finding still gets its own row, all pointing at that issue', async (t) => {
    const desk = await open(t);
    const { fake } = await desk.channel('github');
    await desk.world.scan(1, SIX);
    await desk.file();
    const rows = await desk.world.rows();
    assert.deepEqual(rows.map(({ cve }) => cve).toSorted(), SIX);
    assert.deepEqual([...new Set(rows.map(({ issue }) => issue?.id))], [String(fake.state.issues[0]?.id)]);
  });

  test('From the second run on, one issue per finding', async (t) => {
    const desk = await open(t);
    const { fake } = await desk.channel('jira-cloud');
    await desk.world.scan(1, SIX);
    await desk.file();
    await desk.world.scan(2, SIX);
    await desk.file();
    assert.equal(fake.state.issues.length, 7);
  });

  test('When `firstRunSummary` is off, individual issues are filed, still subject to the cap. A summary counts as one against the cap', async (t) => {
    const desk = await open(t);
    const off = await desk.channel('github', { firstRunSummary: false, dailyCap: 4 });
    await desk.world.scan(1, SIX);
    await desk.file();
    assert.equal(off.fake.state.issues.length, 4);
    const other = await open(t);
    const { fake } = await other.channel('github', { dailyCap: 3 });
    await other.world.scan(1, SIX);
    await other.file();
    await other.world.scan(2, SIX);
    await other.file();
    assert.equal(fake.state.issues.length, 3, 'the summary and two more');
  });
});
