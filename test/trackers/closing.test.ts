import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyReader } from '../../src/store/history/read.ts';
import { trackingHistory } from '../../src/store/tracking/history.ts';
import { forEachEngine } from '../store/engines.ts';
import { digestOf } from '../store/image-records.ts';
import { DAY, HOUR, MINUTE } from './virtual-clock.ts';
import { worldsOf, type World } from './world.ts';

const SUMMARY = ['CVE-1', 'CVE-2', 'CVE-3', 'CVE-4', 'CVE-5', 'CVE-6'];

/** A day later nobody has seen the image run, and the clusters were swept. */
async function retire(world: World, clusters: readonly string[] = ['prod']): Promise<void> {
  world.clock.advance(DAY);
  for (const cluster of clusters) await world.swept(cluster, world.clock.now());
}

forEachEngine('closing', (engine) => {
  const open = worldsOf(engine);

  async function filed(cves: readonly string[] = ['CVE-1']): Promise<World> {
    const world = await open();
    await world.channel('main');
    await world.scan(1, cves);
    await world.file();
    world.clock.advance(10 * MINUTE);
    return world;
  }

  test('the newest scan no longer reports the CVE: comment, close, and only then the row is closed as fixed', async () => {
    const world = await filed();
    const fake = world.fake();
    await world.sweep();
    assert.deepEqual(fake.calls, ['create'], 'nothing ended, so nobody is asked');
    await world.scan(1, ['CVE-2']);
    const [before] = await world.rows();
    fake.calls.length = 0;
    fake.beforeClose = () => fake.calls.push('find');
    const order: string[] = [];
    world.hook = (step, place) => {
      if (place === 'after' && ['comment', 'close', 'finishClosing'].includes(step)) order.push(step);
    };
    await world.sweep();
    assert.deepEqual(order, ['comment', 'close', 'finishClosing']);
    const row = await world.row();
    assert.equal(before?.state, 'open');
    assert.equal(row.state, 'closed');
    assert.equal(row.reason, 'fixed');
    assert.equal(row.closedAt, world.clock.now());
    assert.equal(fake.issues[0]?.state, 'closed');
    assert.equal(fake.issues[0]?.reason, 'fixed');
    assert.match(fake.issues[0]?.comments[0]?.text ?? '', /CVE-1 fixed/);
    assert.equal(world.count('svc_issues_closed_total github fixed'), 1);
    await world.sweep();
    assert.equal(fake.issues[0]?.comments.length, 1);
  });

  test('an unexpired triage decision on that CVE of that image closes the row as triaged', async () => {
    const world = await filed();
    await world.triage(2, 'CVE-1', world.clock.now() + DAY);
    await world.triage(1, 'CVE-2', world.clock.now() + DAY);
    await world.triage(1, 'CVE-1', world.clock.now() + DAY, world.clock.now());
    await world.triage(1, 'CVE-1', world.clock.now());
    await world.sweep();
    assert.equal((await world.row()).state, 'open');
    await world.triage(1, 'CVE-1', world.clock.now() + DAY);
    await world.sweep();
    assert.equal((await world.row()).reason, 'triaged');
    assert.equal(world.fake().issues[0]?.reason, 'triaged');
  });

  test('a triage decision that expires while the finding is there opens a new row and a new issue; the closed row stays', async () => {
    const world = await filed();
    await world.triage(1, 'CVE-1', world.clock.now() + HOUR);
    await world.sweep();
    await world.file();
    assert.equal((await world.row()).state, 'closed');
    world.clock.advance(HOUR);
    await world.file();
    const [first, second] = await world.rows();
    assert.deepEqual([first?.state, first?.reason, first?.generation], ['closed', 'triaged', 1]);
    assert.deepEqual([second?.state, second?.reason, second?.generation], ['open', null, 2]);
    assert.notEqual(second?.marker, first?.marker);
    assert.equal(world.fake().issues.length, 2);
    assert.notEqual(second?.issue?.key, first?.issue?.key);
  });

  test('no pod for 24 hours and a whole sweep within 24 hours: the row is closed as image_retired, with what took its place', async () => {
    const world = await open();
    await world.channel('main');
    const { clock } = world;
    await world.seen(1, clock.now());
    await world.scan(1, ['CVE-1']);
    await world.file();
    await world.seen(2, clock.now() + HOUR, { since: clock.now() + MINUTE });
    await world.scan(2, ['CVE-9']);
    clock.advance(DAY - 1);
    await world.swept('prod', clock.now());
    await world.sweep();
    assert.equal((await world.rows())[0]?.state, 'open', 'a millisecond is missing');
    clock.advance(1);
    await world.sweep();
    const [row] = await world.rows();
    assert.equal(row?.reason, 'image_retired');
    assert.equal(row.supersededBy, digestOf(2));
    assert.equal(row.successorHasCve, false);
    assert.equal(world.count('svc_issues_closed_total github image_retired'), 1);
  });

  test('a retirement is withheld without a recent whole sweep, and the row says why', async () => {
    const world = await open();
    await world.channel('main');
    await world.seen(1, world.clock.now());
    await world.scan(1, ['CVE-1']);
    await world.file();
    await world.swept('prod', world.clock.now());
    await world.swept('prod', null);
    world.clock.advance(DAY + 1);
    await world.sweep();
    const row = await world.row();
    assert.equal(row.state, 'open');
    assert.match(row.withheld ?? '', /prod had no whole reconciliation sweep/);
    await world.swept('prod', world.clock.now());
    await world.sweep();
    const closed = await world.row();
    assert.deepEqual([closed.reason, closed.withheld], ['image_retired', null]);
  });

  test('with several clusters each listed one must have been swept, unless it was forgotten', async () => {
    const world = await open();
    await world.channel('main');
    await world.seen(1, world.clock.now(), { cluster: 'east' });
    await world.seen(1, world.clock.now(), { cluster: 'west' });
    await world.scan(1, ['CVE-1']);
    await world.file();
    await retire(world, ['east']);
    await world.sweep();
    assert.match((await world.row()).withheld ?? '', /west had no/);
    await world.run(
      'insert into clusters (name, first_seen_at, last_seen_at, forgotten_at) values (?, 0, 0, ?)',
      ['west', world.clock.now()],
    );
    await world.sweep();
    assert.equal((await world.row()).reason, 'image_retired');
  });

  test('fixed waits for a scanner of the same name with a database no older, the row says why, and a person may confirm', async () => {
    const world = await open();
    await world.channel('main');
    await world.scan(1, ['CVE-1'], { db: '2026-11-20T00:00:00Z' });
    await world.file();
    const withheld = async (what: RegExp): Promise<void> => {
      await world.sweep();
      const row = await world.row();
      assert.equal(row.state, 'open');
      assert.match(row.withheld ?? '', what);
    };
    await world.scan(1, [], { scanner: 'grype', db: '2026-11-21T00:00:00Z' });
    await withheld(/found by trivy, and that scan is by grype/);
    await world.scan(1, [], { db: null });
    await withheld(/does not say how old its database is/);
    await world.scan(1, [], { db: '2026-11-19T00:00:00Z' });
    await withheld(/older than the one that found it/);
    await world.scan(1, [], { db: '2026-11-20T00:00:00Z' });
    await world.sweep();
    assert.deepEqual([(await world.row()).reason, (await world.row()).withheld], ['fixed', null]);
  });

  test('an import that does not say how old its database was closes nothing, nor does one with an older database', async () => {
    const world = await open();
    await world.channel('main');
    await world.scan(1, ['CVE-1'], { db: '2026-11-20T00:00:00Z' });
    await world.file();
    const state = async (report: object): Promise<(string | null)[]> => {
      await world.import(1, report);
      await world.sweep();
      const { state: is, reason, withheld } = await world.row();
      return [is, reason, withheld];
    };
    const [is, , why] = await state({ Trivy: { Version: '0.72.0' } });
    assert.equal(is, 'open');
    assert.match(why ?? '', /that scan does not say how old its database is/);
    const old = { Version: '0.72.0', VulnerabilityDB: { Version: 2, UpdatedAt: '2026-08-22T00:00:00Z' } };
    const [stays, , older] = await state({ Trivy: old });
    assert.equal(stays, 'open');
    assert.match(older ?? '', /its database is older than the one that found it/);
    const fresh = { ...old, VulnerabilityDB: { Version: 2, UpdatedAt: '2026-11-20T06:00:00Z' } };
    assert.deepEqual(await state({ Trivy: fresh }), ['closed', 'fixed', null]);
  });

  test('what an import without that date found waits for a database that was made since', async () => {
    const world = await open();
    await world.channel('main');
    await world.scan(1, ['CVE-1'], { db: null });
    await world.file();
    const withheld = async (): Promise<string> => {
      await world.sweep();
      const row = await world.row();
      assert.equal(row.state, 'open');
      return row.withheld ?? '';
    };
    await world.scan(1, [], { db: null });
    assert.match(await withheld(), /that scan does not say how old its database is/);
    await world.scan(1, [], { db: '2026-11-20T00:00:00Z' });
    assert.match(
      await withheld(),
      /only one that was made since 2026-11-21T09:00:00Z is known to be no older/,
    );
    world.clock.advance(DAY);
    await world.scan(1, [], { db: new Date(world.clock.now()).toISOString() });
    await world.sweep();
    assert.deepEqual([(await world.row()).reason, (await world.row()).withheld], ['fixed', null]);
  });

  test('what a person confirms has ended in the history too, and not before', async () => {
    const world = await open();
    await world.channel('main');
    await world.scan(1, ['CVE-1'], { db: '2026-11-20T00:00:00Z' });
    await world.file();
    const { id } = await world.row();
    const confirm = () => trackingHistory(world.store).confirm(id, 'Ada', world.clock.now());
    const endedBy = async (): Promise<unknown> =>
      (await historyReader(world.store).image(digestOf(1)))?.findings.map((episode) => episode.endedBy);
    assert.equal(await confirm(), 'not_withheld');
    await world.scan(1, [], { scanner: 'grype' });
    assert.deepEqual(await endedBy(), [null]);
    await confirm();
    assert.deepEqual(await endedBy(), ['person']);
    await world.scan(1, ['CVE-1']);
    assert.deepEqual(await endedBy(), ['person', null], 'and it is back');
  });

  test('each finding of a summary is judged on its own; one comment per sweep; the issue closes once, with its last', async () => {
    const world = await filed(SUMMARY);
    const fake = world.fake();
    await world.triage(1, 'CVE-1', world.clock.now() + 30 * DAY);
    await world.triage(1, 'CVE-2', world.clock.now() + 30 * DAY);
    await world.scan(1, ['CVE-1', 'CVE-2', 'CVE-4', 'CVE-5', 'CVE-6']);
    await world.sweep();
    const [issue] = fake.issues;
    assert.equal(issue?.comments.length, 1);
    assert.deepEqual(
      world.plans[0]?.ended.map(({ row, reason }) => `${row.cve} ${reason}`),
      ['CVE-1 triaged', 'CVE-2 triaged', 'CVE-3 fixed'],
    );
    assert.equal(world.plans[0]?.remaining, 3);
    assert.equal(issue.state, 'open');
    assert.deepEqual(
      (await world.rows()).map(({ reason }) => reason),
      ['triaged', 'triaged', 'fixed', null, null, null],
    );
    assert.equal(world.count('svc_issues_closed_total github fixed'), 0);
    await world.sweep();
    assert.equal(issue.comments.length, 1);
    await world.scan(1, ['CVE-1', 'CVE-2']);
    await world.sweep();
    assert.equal(issue.comments.length, 2);
    assert.equal(world.plans[1]?.remaining, 0);
    assert.equal(issue.state, 'closed');
    assert.equal(fake.calls.filter((call) => call === 'close').length, 1);
    assert.equal(world.count('svc_issues_closed_total github fixed'), 1);
  });

  test('a disabled channel keeps closing', async () => {
    const world = await filed();
    await world.setChannel('main', { enabled: false });
    await world.scan(1, []);
    await world.sweep();
    assert.equal((await world.row()).reason, 'fixed');
    assert.equal(world.fake().issues[0]?.state, 'closed');
  });

  test('a deleted channel cannot close: its rows stay open and keep blocking, and each sweep says so once', async () => {
    const world = await filed(SUMMARY);
    await world.deleteChannel('main');
    const other = await world.channel('other');
    await world.scan(1, ['CVE-1']);
    await world.sweep();
    await world.file();
    await world.sweep();
    assert.ok((await world.rows()).every(({ state, channelId }) => state === 'open' && channelId === 'main'));
    assert.equal(other.issues.length, 0);
    const lines = world.log.filter(({ message }) => message.includes('cannot resolve the channel'));
    assert.deepEqual(
      lines.map(({ keys }) => keys['channels']),
      [{ main: 6 }, { main: 6 }],
    );
  });

  test('a channel that adopted the rows of a deleted one closes them', async () => {
    const world = await filed();
    const { issues } = world.fake();
    await world.deleteChannel('main');
    const other = await world.channel('other');
    other.issues.push(...issues);
    await world.run('update tracking set closed_via = ?', ['other']);
    await world.scan(1, []);
    await world.sweep();
    const row = await world.row();
    assert.deepEqual([row.state, row.channelId, row.closedVia], ['closed', 'main', 'other']);
    assert.equal(issues[0]?.state, 'closed');
  });

  test('Jira without doneTransitionId: the comment is posted once, the issue left open, the row closed, and nothing counted', async () => {
    const world = await open();
    const fake = await world.channel('main', { flavour: 'jira-datacenter' });
    fake.closes = false;
    await world.scan(1, ['CVE-1']);
    await world.file();
    await world.scan(1, []);
    await world.sweep();
    await world.sweep();
    const row = await world.row();
    assert.deepEqual([row.state, row.reason, row.issueLeftOpen], ['closed', 'fixed', true]);
    assert.equal(fake.issues[0]?.comments.length, 1);
    assert.equal(fake.issues[0]?.state, 'open');
    assert.equal(world.plans[0]?.leftOpen, true);
    assert.ok([...world.counts.keys()].every((key) => !key.startsWith('svc_issues_closed_total')));
  });

  test('a call that fails leaves the row open with the error, and the next sweep retries', async () => {
    const world = await filed();
    const fake = world.fake();
    await world.scan(1, []);
    fake.fault = (operation) => (operation === 'comment' ? 'secondary' : null);
    await world.sweep();
    const row = await world.row();
    assert.deepEqual([row.state, row.lastError], ['open', 'secondary rate limit']);
    assert.equal((await world.channelState('main')).lastError, 'secondary rate limit');
    fake.fault = () => null;
    world.clock.advance(10 * MINUTE);
    await world.sweep();
    assert.deepEqual([(await world.row()).state, (await world.row()).lastError], ['closed', null]);
    assert.equal(fake.issues[0]?.comments.length, 1);
  });

  test('a person closed the issue meanwhile: the comment still names the reason, and the row is closed', async () => {
    const world = await filed();
    const fake = world.fake();
    const [issue] = fake.issues;
    if (issue !== undefined) issue.state = 'closed';
    await world.file();
    await world.sweep();
    assert.equal((await world.row()).state, 'open', 'the finding is still there');
    assert.equal(fake.issues.length, 1);
    await world.scan(1, []);
    await world.sweep();
    assert.equal((await world.row()).reason, 'fixed');
    assert.equal(issue?.comments.length, 1);
    assert.ok(!fake.calls.includes('close'));
  });

  test('a person deleted the issue meanwhile: nothing is written, and the row is closed when its finding ends', async () => {
    const world = await filed();
    const fake = world.fake();
    const [issue] = fake.issues;
    if (issue !== undefined) issue.gone = true;
    await world.scan(1, []);
    await world.sweep();
    const row = await world.row();
    assert.deepEqual([row.state, row.reason], ['closed', 'fixed']);
    assert.match(row.lastError ?? '', /deleted in the tracker/);
    assert.equal(issue?.comments.length, 0);
    assert.equal(world.count('svc_issues_closed_total github fixed'), 0);
  });

  test('a person moved the issue meanwhile: the row follows it', async () => {
    const world = await filed();
    const [issue] = world.fake().issues;
    const movedTo = {
      key: 'team/other#9',
      url: 'https://tracker.example/team/other#9',
      id: issue?.ref.id ?? '',
    };
    if (issue !== undefined) issue.movedTo = movedTo;
    await world.scan(1, []);
    await world.sweep();
    const row = await world.row();
    assert.deepEqual([row.state, row.issue], ['closed', movedTo]);
    assert.equal(issue?.state, 'closed');
  });

  test('a finding that comes back after it was fixed is marked, blocks a refile, and can be reopened by a person', async () => {
    const world = await filed();
    await world.scan(1, []);
    await world.sweep();
    world.clock.advance(HOUR);
    await world.scan(1, ['CVE-1']);
    await world.file();
    await world.sweep();
    const row = await world.row();
    assert.deepEqual([row.state, row.returnedAt], ['closed', world.clock.now()]);
    assert.equal(world.fake().issues.length, 1);
    const { parts } = world.process;
    const { trackingHistory } = await import('../../src/store/tracking/history.ts');
    const history = trackingHistory(world.store);
    assert.equal((await history.list({ returned: true }, { limit: 10, offset: 0 })).total, 1);
    const reopened = await history.reopen(row.id, world.clock.now(), (...of) => parts.markers.issue(...of));
    assert.ok(typeof reopened !== 'string');
    assert.deepEqual([reopened.state, reopened.generation, reopened.issue], ['open', 2, null]);
    assert.equal(reopened.openedAt, row.openedAt, 'it was raised when it was raised first');
    assert.equal(await history.reopen(row.id, world.clock.now(), () => 'm'), 'not_returned');
    await world.file();
    assert.equal(world.fake().issues.length, 2);
    assert.equal((await world.row()).issue?.key, world.fake().issues[1]?.ref.key);
  });

  test('an image that was retired and is only scanned again did not come back; one that runs again did', async () => {
    const world = await open();
    await world.channel('main');
    await world.seen(1, world.clock.now());
    await world.scan(1, ['CVE-1']);
    await world.file();
    await retire(world);
    await world.sweep();
    assert.equal((await world.row()).reason, 'image_retired');
    world.clock.advance(HOUR);
    await world.scan(1, ['CVE-1']);
    await world.sweep();
    assert.equal((await world.row()).returnedAt, null);
    await world.seen(1, world.clock.now());
    await world.sweep();
    assert.equal((await world.row()).returnedAt, world.clock.now());
  });

  test('a finding that ends before its issue was opened closes the row without a word, and is filed when it returns', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1']);
    fake.fault = () => 'refused';
    await world.file();
    await world.scan(1, []);
    fake.calls.length = 0;
    await world.sweep();
    assert.deepEqual(
      [(await world.row()).state, (await world.row()).issue, fake.calls],
      ['closed', null, []],
    );
    fake.fault = () => null;
    await world.scan(1, ['CVE-1']);
    world.clock.advance(MINUTE);
    await world.file();
    const row = await world.row();
    assert.deepEqual([row.state, row.generation, fake.issues.length], ['open', 2, 1]);
  });

  test('a finding of lower severity now is still reported, so it is not fixed', async () => {
    const world = await filed();
    await world.scan(1, ['CVE-1'], { severity: 'HIGH' });
    await world.sweep();
    assert.equal((await world.row()).state, 'open');
  });
});
