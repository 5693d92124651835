import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../store/engines.ts';
import { digestOf } from '../store/image-records.ts';
import { HOUR, MINUTE } from './virtual-clock.ts';
import { said, worldsOf, type World } from './world.ts';

/** Puts the database back to before anything was filed, as a restore does. */
async function putBack(world: World, ...forget: readonly string[]): Promise<void> {
  for (const statement of forget) await world.run(statement, []);
  await world.run('update channels set paused_since = ?', [world.clock.now() - HOUR]);
}

const ask = (world: World) =>
  world.run('update channels set resume_asked_at = ? where paused_since is not null', [world.clock.now()]);

forEachEngine('a restored service', (engine) => {
  const open = worldsOf(engine);

  test('files nothing while it is paused, then knows what was filed since the backup', async () => {
    const world = await open();
    world.begins = () => [said(digestOf(1))];
    const fake = await world.channel('main', { firstRunSummary: false });
    await world.scan(1, ['CVE-1', 'CVE-12']);
    await world.file();
    assert.equal(fake.issues.length, 2);
    await putBack(world, 'delete from tracking', 'delete from tracking_issues');
    await world.scan(1, ['CVE-1', 'CVE-12', 'CVE-3']);
    await world.file();
    await world.sweep();
    assert.deepEqual([fake.issues.length, (await world.rows()).length], [2, 0]);

    await ask(world);
    world.clock.advance(MINUTE);
    await world.file();
    assert.equal((await world.channelState('main')).paused, undefined);
    const rows = await world.rows();
    assert.deepEqual(rows.map(({ cve, issue }) => `${cve} ${issue?.key}`).toSorted(), [
      `CVE-1 ${fake.issues[0]?.ref.key}`,
      `CVE-12 ${fake.issues[1]?.ref.key}`,
      `CVE-3 ${fake.issues[2]?.ref.key}`,
    ]);
    assert.equal(fake.issues.length, 3);
    await world.file();
    assert.equal(fake.issues.length, 3);
  });

  test('finds the issue of a claim that the backup has without one', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await world.scan(1, ['CVE-1']);
    await world.file();
    await putBack(
      world,
      'update tracking set issue_key = null, issue_url = null, issue_id = null, opened_at = null',
    );
    await world.file();
    assert.equal(fake.issues.length, 1);
    await ask(world);
    await world.file();
    assert.deepEqual([(await world.row()).issue, fake.issues.length], [fake.issues[0]?.ref, 1]);
  });

  test('waits with new issues until every tracker goes on, and says what keeps one from it', async () => {
    const world = await open();
    const [first, second] = [await world.channel('first'), await world.channel('second')];
    await putBack(world);
    await world.scan(1, ['CVE-1']);
    first.fault = () => null;
    second.fault = (operation) => (operation === 'filed' ? 'refused' : null);
    await ask(world);
    await world.file();
    assert.equal((await world.channelState('first')).paused, undefined);
    assert.match((await world.channelState('second')).paused?.error ?? '', /no connection/);
    assert.equal(first.issues.length + second.issues.length, 0);
    second.fault = () => null;
    await world.file();
    await world.file();
    assert.equal(first.issues.length + second.issues.length, 1);
  });
});
