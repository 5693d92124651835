import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../store/engines.ts';
import { digestOf } from '../store/image-records.ts';
import { worldsOf } from './world.ts';
import { DAY, HOUR, MINUTE } from './virtual-clock.ts';

forEachEngine('filing', (engine) => {
  const open = worldsOf(engine);

  test('a critical finding is claimed before the tracker is called, then one issue is opened', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1']);
    const order: string[] = [];
    world.hook = (step, place) => {
      if (place === 'before' && ['claim', 'beginAttempt', 'create', 'recordIssue'].includes(step))
        order.push(step);
    };
    await world.file();
    assert.deepEqual(order, ['claim', 'beginAttempt', 'create', 'recordIssue']);
    const row = await world.row();
    assert.equal(row.state, 'open');
    assert.deepEqual(row.issue, fake.issues[0]?.ref);
    assert.equal(row.channelId, 'main');
    assert.equal(row.digest, digestOf(1));
    assert.equal(row.image, 'docker.io/team/app1:1');
    assert.equal(row.openedAt, world.clock.now());
    assert.equal(world.count('svc_issues_opened_total github'), 1);
    await world.file();
    assert.equal(fake.issues.length, 1);
  });

  test('a finding that has a row is counted as dedup once for each scan, and the cluster is added', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.seen(1, world.clock.now(), { cluster: 'east' });
    await world.scan(1, ['CVE-1']);
    await world.file();
    await world.file();
    assert.equal(world.count('svc_issues_skipped_total dedup'), 0);
    assert.deepEqual((await world.row()).clusters, ['east']);
    await world.seen(1, world.clock.now(), { cluster: 'west' });
    await world.scan(1, ['CVE-1']);
    await world.file();
    await world.file();
    assert.equal(world.count('svc_issues_skipped_total dedup'), 1);
    assert.deepEqual((await world.row()).clusters, ['east', 'west']);
    assert.equal(fake.issues.length, 1);
  });

  test('the cap of a rolling 24 hours holds, is counted and warned of once a day, and frees as the window rolls', async () => {
    const world = await open();
    const fake = await world.channel('main', { dailyCap: 2, firstRunSummary: false });
    await world.scan(1, ['CVE-1', 'CVE-2', 'CVE-3', 'CVE-4', 'CVE-5']);
    await world.file();
    assert.equal(fake.issues.length, 2);
    assert.equal(world.count('svc_issues_skipped_total cap'), 3);
    for (let hour = 0; hour < 23; hour += 1) {
      world.clock.advance(HOUR);
      await world.file();
    }
    assert.equal(fake.issues.length, 2);
    const warnings = () => world.log.filter(({ message }) => message.includes('daily cap')).length;
    assert.equal(warnings(), 1);
    world.clock.advance(HOUR);
    await world.file();
    assert.equal(fake.issues.length, 4);
    assert.equal(warnings(), 2);
    assert.equal(world.count('svc_issues_skipped_total cap'), 3);
    world.clock.advance(DAY);
    await world.file();
    assert.equal(fake.issues.length, 5);
  });

  test('a first run with more than five candidates files one summary, which counts one against the cap', async () => {
    const world = await open();
    const fake = await world.channel('main', { dailyCap: 2 });
    await world.scan(1, ['CVE-1', 'CVE-2', 'CVE-3']);
    await world.scan(2, ['CVE-1', 'CVE-2', 'CVE-3']);
    await world.file();
    assert.deepEqual(
      fake.issues.map(({ title }) => title),
      ['6 findings'],
    );
    const rows = await world.rows();
    assert.equal(rows.length, 6);
    assert.equal(new Set(rows.map(({ issue }) => issue?.key)).size, 1);
    assert.ok(rows.every(({ summary, state }) => summary && state === 'open'));
    assert.equal(world.count('svc_issues_opened_total github'), 1);
    await world.scan(3, ['CVE-1', 'CVE-2', 'CVE-3', 'CVE-4', 'CVE-5', 'CVE-6', 'CVE-7']);
    await world.file();
    assert.deepEqual(
      fake.issues.map(({ title }) => title),
      ['6 findings', 'CVE-1'],
    );
  });

  test('exactly five candidates are filed one by one, and that was the first run', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.file();
    assert.equal((await world.channelState('main')).firstRunAt, null);
    await world.scan(1, ['CVE-1', 'CVE-2', 'CVE-3', 'CVE-4', 'CVE-5']);
    await world.file();
    assert.equal(fake.issues.length, 5);
    assert.notEqual((await world.channelState('main')).firstRunAt, null);
    await world.scan(2, ['CVE-1', 'CVE-2', 'CVE-3', 'CVE-4', 'CVE-5', 'CVE-6', 'CVE-7']);
    await world.file();
    assert.equal(fake.issues.length, 12);
  });

  test('with firstRunSummary off individual issues are filed, under the cap', async () => {
    const world = await open();
    const fake = await world.channel('main', { firstRunSummary: false, dailyCap: 4 });
    await world.scan(1, ['CVE-1', 'CVE-2', 'CVE-3', 'CVE-4', 'CVE-5', 'CVE-6', 'CVE-7']);
    await world.file();
    assert.equal(fake.issues.length, 4);
    assert.ok((await world.rows()).every(({ summary }) => !summary));
  });

  test('the first enabled channel under its cap claims, in order of creation', async () => {
    const world = await open();
    const off = await world.channel('off', { enabled: false });
    const unsubscribed = await world.channel('unsubscribed', { subscriptions: ['nodes_over'] });
    const first = await world.channel('first', { dailyCap: 2, firstRunSummary: false });
    const second = await world.channel('second', { flavour: 'gitlab', firstRunSummary: false });
    await world.scan(1, ['CVE-1', 'CVE-2', 'CVE-3']);
    await world.file();
    assert.deepEqual(
      [off, unsubscribed, first, second].map(({ issues }) => issues.length),
      [0, 0, 2, 1],
    );
    assert.equal(world.count('svc_issues_skipped_total cap'), 0);
  });

  test('findings that are known to be exploited are filed first', async () => {
    const world = await open();
    const fake = await world.channel('main', { dailyCap: 1, firstRunSummary: false });
    await world.scan(1, ['CVE-1', 'CVE-2'], {});
    await world.scan(2, ['CVE-3', 'CVE-4'], { exploited: ['CVE-4'] });
    await world.file();
    assert.deepEqual(
      fake.issues.map(({ title }) => title),
      ['CVE-4'],
    );
  });

  test('a finding below CRITICAL, a triaged one and one of an incomplete scan are not candidates', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1'], { severity: 'HIGH' });
    await world.scan(2, ['CVE-2']);
    await world.triage(2, 'CVE-2', world.clock.now() + HOUR);
    await world.file();
    assert.equal(fake.issues.length, 0);
    world.clock.advance(HOUR);
    await world.file();
    assert.deepEqual(
      fake.issues.map(({ title }) => title),
      ['CVE-2'],
    );
  });

  test('a call that failed is noted on row and channel, counted, and the row is retried', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1', 'CVE-2']);
    fake.fault = () => 'refused';
    await world.file();
    const [row, ...more] = await world.rows();
    assert.equal(more.length, 0, 'nothing more is claimed while the host does not answer');
    assert.equal(row?.lastError, 'no connection: refused');
    assert.equal(row.attemptId, null);
    assert.equal((await world.channelState('main')).lastError, 'no connection: refused');
    assert.equal(world.count('svc_issues_skipped_total error'), 1);
    fake.fault = () => null;
    world.clock.advance(MINUTE);
    await world.file();
    assert.equal(fake.issues.length, 2);
    assert.equal((await world.channelState('main')).lastError, null);
    assert.ok((await world.rows()).every(({ lastError }) => lastError === null));
  });

  test('a credential that does not open files nothing, counts the findings, and says so on the channel', async () => {
    const world = await open();
    const fake = await world.channel('main');
    const spare = await world.channel('spare');
    world.unreadable.add('main');
    await world.scan(1, ['CVE-1', 'CVE-2']);
    await world.file();
    assert.deepEqual([fake.calls, spare.calls], [[], []]);
    assert.equal((await world.rows()).length, 0);
    assert.equal(world.count('svc_issues_skipped_total error'), 2);
    assert.equal((await world.channelState('main')).lastError, 'the stored token cannot be read');
    world.unreadable.delete('main');
    await world.file();
    assert.equal(fake.issues.length, 2);
  });

  test('a disabled channel files nothing, not even what it had claimed', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1']);
    fake.fault = () => 'refused';
    await world.file();
    await world.setChannel('main', { enabled: false });
    fake.fault = () => null;
    world.clock.advance(HOUR);
    await world.file();
    assert.equal(fake.issues.length, 0);
    await world.setChannel('main', { enabled: true });
    await world.file();
    assert.equal(fake.issues.length, 1);
  });
});
