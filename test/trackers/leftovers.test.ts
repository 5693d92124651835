import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../store/engines.ts';
import { digestOf } from '../store/image-records.ts';
import { MINUTE } from './virtual-clock.ts';
import { BEGIN, worldsOf } from './world.ts';

forEachEngine('what others left behind', (engine) => {
  const open = worldsOf(engine);

  test('a row that a release before markers claimed without an issue is retried, not left for ever', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1']);
    await world.run(
      `insert into tracking (kind, digest, cve, channel_id, channel_kind, clusters, severity, state, claimed_at, last_error)
       values ('finding', ?, 'CVE-1', 'main', 'github', '["prod"]', 'CRITICAL', 'open', ?, 'timed out')`,
      [digestOf(1), BEGIN],
    );
    await world.file();
    const row = await world.row();
    assert.deepEqual([row.issue?.key, row.generation, row.lastError], ['team/shop#1', 2, null]);
    await world.file();
    assert.equal(fake.issues.length, 1);
  });

  test('a row that a release before markers filed blocks its finding, and is closed', async () => {
    const world = await open();
    const fake = await world.channel('main');
    const issue = fake.plant('none');
    await world.scan(1, ['CVE-1']);
    await world.run(
      `insert into tracking (kind, digest, cve, channel_id, channel_kind, clusters, severity, state, claimed_at, opened_at, issue_key, issue_url)
       values ('finding', ?, 'CVE-1', 'main', 'github', '["prod"]', 'CRITICAL', 'open', ?, ?, ?, ?)`,
      [digestOf(1), BEGIN, BEGIN, issue.ref.id, issue.ref.url],
    );
    await world.file();
    assert.deepEqual(fake.calls, []);
    await world.scan(1, []);
    await world.sweep();
    assert.equal((await world.row()).reason, 'fixed');
    assert.equal(issue.comments.length, 1);
  });

  test('rows of a deleted channel that were being closed are told of too, and a channel that adopts them goes on', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1']);
    await world.file();
    await world.scan(1, []);
    fake.fault = (operation) => (operation === 'close' ? 'server' : null);
    await world.sweep();
    await world.deleteChannel('main');
    world.log.length = 0;
    world.clock.advance(10 * MINUTE);
    await world.sweep();
    const lines = world.log.filter(({ message }) => message.includes('cannot resolve the channel'));
    assert.deepEqual(
      lines.map(({ keys }) => keys['channels']),
      [{ main: 1 }],
    );
    const heir = await world.channel('heir');
    heir.issues.push(...fake.issues);
    await world.run('update tracking set closed_via = ?', ['heir']);
    world.clock.advance(10 * MINUTE);
    await world.sweep();
    assert.equal((await world.row()).state, 'closed');
    assert.equal(heir.issues[0]?.comments.length, 1);
  });
});
