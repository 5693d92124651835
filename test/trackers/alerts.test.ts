import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runText } from '../../src/store/sql/dialect.ts';
import { filingStore } from '../../src/store/tracking/filing.ts';
import { issueFacts } from '../../src/store/tracking/issue-facts.ts';
import type { NewClaim } from '../../src/trackers/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { digestOf } from '../store/image-records.ts';
import { DAY, HOUR, MINUTE } from './virtual-clock.ts';
import { said, worldsOf, type World } from './world.ts';

const SHELL = 'Terminal shell in container';

interface Reported {
  readonly rule?: string;
  readonly alerted?: boolean;
  readonly cluster?: string;
  readonly effect?: string;
  readonly notified?: boolean;
}

/** An event of the n-th image comes now, and is decided. */
async function report(world: World, image: number, more: Reported = {}): Promise<void> {
  const { rule = SHELL, alerted = true, cluster = 'prod', effect = alerted ? 'notify' : 'record' } = more;
  const at = world.clock.now();
  await world.run(
    `insert into runtime_events (at, received_at, decided_at, rule, priority, output, digest, image, cluster, namespace, workload, effect, alerted, notified)
     values (?, ?, ?, ?, 'Warning', 'told', ?, ?, ?, 'shop', 'deployment/web', ?, ?, ?)`,
    [
      ...[at, at, at, rule, digestOf(image), `docker.io/team/app${image}:1`, cluster, effect],
      ...[alerted ? 1 : 0, more.notified === true ? 1 : 0],
    ],
  );
}

/** What came of the events, in the order in which they came. */
function effects(world: World): Promise<readonly { effect: string; notified: number }[]> {
  return runText(world.store.read, 'select effect, notified from runtime_events order by id', []);
}

forEachEngine('issues for runtime alerts', (engine) => {
  const open = worldsOf(engine);

  async function begun(options: Parameters<World['channel']>[1] = {}): Promise<World> {
    const world = await open();
    await world.channel('main', { subscriptions: ['runtime_alert'], ...options });
    return world;
  }

  test('an alert opens one issue for its image and rule, and counts as notified; what only notified before stays', async () => {
    const world = await begun();
    await report(world, 1);
    await report(world, 1, { alerted: false });
    await report(world, 1, { effect: 'stop' });
    await report(world, 1, { rule: 'Other', notified: true });
    await report(world, 2);
    await report(world, 3, { alerted: false });
    await world.file();
    await world.file();
    const rows = await world.rows();
    assert.deepEqual(
      rows.map(({ kind, digest, cve, state, severity, clusters, generation }) => [
        ...[kind, digest, cve, state, severity, clusters.join(), generation],
      ]),
      [
        ['runtime', digestOf(1), SHELL, 'open', 'Warning', 'prod', 1],
        ['runtime', digestOf(1), 'Other', 'open', 'Warning', 'prod', 1],
        ['runtime', digestOf(2), SHELL, 'open', 'Warning', 'prod', 1],
      ],
    );
    assert.ok(rows.every(({ issue, lastEventAt }) => issue !== null && lastEventAt === world.clock.now()));
    assert.equal(world.fake().issues.length, 3);
    assert.deepEqual(
      (await effects(world)).map(({ effect, notified }) => `${effect} ${notified}`),
      ['issue 1', 'record 0', 'stop 1', 'issue 1', 'issue 1', 'record 0'],
    );
    assert.equal(world.count('svc_runtime_alerts_notified_total'), 3, 'one was notified before');
    assert.equal(world.count('svc_issues_opened_total github'), 3);
    // A later alert while the issue is open opens no other, and nobody was told of it.
    world.clock.advance(2 * HOUR);
    await report(world, 1);
    await world.file();
    assert.equal(world.fake().issues.length, 3);
    assert.deepEqual((await effects(world)).at(-1), { effect: 'notify', notified: 0 });
  });

  test('without a subscription nothing is filed, and an alert takes no first run from findings', async () => {
    const world = await begun({ subscriptions: ['critical_finding'] });
    await report(world, 1);
    await world.file();
    assert.deepEqual(await world.rows(), []);
    assert.equal((await effects(world))[0]?.effect, 'notify');
    const second = await world.channel('second', { subscriptions: ['runtime_alert', 'critical_finding'] });
    await world.file();
    assert.equal(second.issues.length, 1);
    assert.equal((await world.channelState('second')).firstRunAt, null);
  });

  test('the cap of a channel is one for alerts and findings, and alerts come first', async () => {
    const world = await begun({
      subscriptions: ['runtime_alert', 'critical_finding'],
      dailyCap: 2,
      firstRunSummary: false,
    });
    await world.scan(1, ['CVE-1', 'CVE-2', 'CVE-3']);
    await report(world, 9);
    await world.file();
    assert.deepEqual(
      (await world.rows()).map(({ kind }) => kind),
      ['runtime', 'finding'],
    );
    await report(world, 8);
    await world.file();
    assert.equal(world.fake().issues.length, 2);
    world.clock.advance(DAY + MINUTE);
    await world.file();
    assert.deepEqual(
      (await world.rows()).map(({ kind }) => kind),
      ['runtime', 'finding', 'runtime', 'finding'],
    );
  });

  test('of many claims at once for one image and rule one is made', async () => {
    const world = await begun();
    await report(world, 1);
    const store = filingStore(world.store);
    const fence = world.process.parts.leader.fence();
    const claim = (n: number): NewClaim => ({
      ...{ channelId: 'main', channelKind: 'github', candidates: [], summary: false },
      alert: { digest: digestOf(1), rule: SHELL },
      ...{ at: world.clock.now(), tick: 0, cap: { cap: 20, since: -DAY } },
      marker: (row, generation) => `ipo-1-${n}-${row}-${generation}`,
    });
    const made = await Promise.all(Array.from({ length: 8 }, (_, n) => store.claim(claim(n), fence)));
    assert.equal(made.filter((one) => typeof one === 'object').length, 1);
    assert.equal(made.filter((one) => one === 'none').length, 7);
    assert.equal((await world.rows()).length, 1);
  });

  test('a process that dies between the create and its record leaves one issue, which the next adopts', async () => {
    const world = await begun();
    await report(world, 1);
    world.hook = (step, place) => {
      if (step === 'recordIssue' && place === 'before') throw new Error('died');
    };
    await assert.rejects(world.file(), /died/);
    assert.equal((await world.row()).issue, null);
    assert.equal((await effects(world))[0]?.effect, 'notify');
    world.hook = () => {};
    await world.start();
    for (let minute = 0; minute < 10; minute += 1) {
      world.clock.advance(MINUTE);
      await world.file();
    }
    const fake = world.fake();
    assert.equal(fake.issues.length, 1);
    assert.deepEqual((await world.row()).issue, fake.issues[0]?.ref);
    assert.deepEqual(await effects(world), [{ effect: 'issue', notified: 1 }]);
    assert.equal(fake.calls.filter((call) => call === 'create').length, 1);
  });

  test('a quiet rule closes its issue, not while the detector is silent; a later alert opens another', async () => {
    const world = await begun();
    await report(world, 1);
    await world.seen(1, world.clock.now());
    await world.file();
    world.clock.advance(3 * DAY);
    await report(world, 1, { alerted: false });
    const last = world.clock.now();
    const wait = async (days: number): Promise<void> => {
      world.clock.advance(days * DAY);
      await world.seen(1, world.clock.now());
      await world.sweep();
    };
    await wait(6);
    assert.equal((await world.row()).lastEventAt, last, 'each event counts, not only alerts');
    await wait(1);
    const silent = await world.row();
    assert.equal(silent.state, 'open');
    assert.match(silent.withheld ?? '', /the detector has sent nothing/);
    // Another cluster's detector says nothing of this one.
    await report(world, 5, { alerted: false, cluster: 'other' });
    await world.sweep();
    assert.equal((await world.row()).state, 'open');
    await report(world, 6, { alerted: false });
    await world.sweep();
    const closed = await world.row();
    assert.deepEqual([closed.state, closed.reason, closed.withheld], ['closed', 'quiet', null]);
    assert.equal(closed.lastEventAt, last);
    const [issue] = world.fake().issues;
    assert.deepEqual([issue?.state, issue?.reason, issue?.comments.length], ['closed', 'quiet', 1]);
    assert.equal(world.count('svc_issues_closed_total github quiet'), 1);
    await world.file();
    assert.equal(world.fake().issues.length, 1);
    world.clock.advance(HOUR);
    await report(world, 1);
    await world.file();
    assert.deepEqual(
      (await world.rows()).map(({ generation, state }) => [generation, state]),
      [
        [1, 'closed'],
        [2, 'open'],
      ],
    );
    assert.equal(world.fake().issues.length, 2);
  });

  test('an image that nothing runs any more ends its row as image_retired, with nothing said of a CVE', async () => {
    const world = await begun();
    await report(world, 1);
    await world.seen(1, world.clock.now());
    await world.file();
    world.clock.advance(2 * DAY);
    await world.swept('prod', world.clock.now());
    await world.sweep();
    const row = await world.row();
    assert.deepEqual([row.state, row.reason, row.successorHasCve], ['closed', 'image_retired', null]);
    assert.equal(world.fake().issues[0]?.state, 'closed');
  });

  test('a restored service does not file an alert again whose issue was opened since the backup', async () => {
    const world = await begun();
    world.begins = () => [said(digestOf(1))];
    await report(world, 1);
    await world.file();
    await world.run('delete from tracking', []);
    await world.run('delete from tracking_issues', []);
    await world.run(`update runtime_events set effect = 'notify', notified = 0`, []);
    await world.run('update channels set paused_since = ?', [world.clock.now() - HOUR]);
    await world.file();
    assert.deepEqual(await world.rows(), [], 'nothing while it is paused');
    await world.run('update channels set resume_asked_at = ?', [world.clock.now()]);
    await world.file();
    await world.file();
    const fake = world.fake();
    assert.equal(fake.issues.length, 1);
    const row = await world.row();
    assert.deepEqual([row.kind, row.cve, row.issue?.key], ['runtime', SHELL, fake.issues[0]?.ref.key]);
    assert.deepEqual(await effects(world), [{ effect: 'issue', notified: 1 }]);
  });

  test('an issue tells how often, since when and where its rule was seen', async () => {
    const world = await begun();
    await report(world, 1);
    const first = world.clock.now();
    world.clock.advance(HOUR);
    await report(world, 1, { alerted: false, cluster: 'west' });
    assert.deepEqual(await issueFacts(world.store).alert(digestOf(1), SHELL), {
      ...{ digest: digestOf(1), rule: SHELL, priority: 'Warning', image: 'docker.io/team/app1:1' },
      ...{ first, last: world.clock.now(), count: 2 },
      places: [
        { cluster: 'west', namespace: 'shop', workload: 'deployment/web', last: world.clock.now() },
        { cluster: 'prod', namespace: 'shop', workload: 'deployment/web', last: first },
      ],
    });
    assert.equal(await issueFacts(world.store).alert(digestOf(2), SHELL), null);
  });
});
