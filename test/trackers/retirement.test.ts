import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../store/engines.ts';
import { DAY, HOUR } from './virtual-clock.ts';
import { worldsOf, type World } from './world.ts';

forEachEngine('an image that is retired', (engine) => {
  const open = worldsOf(engine);

  /** A finding of an image in the cluster east, a day and an hour ago. */
  async function filed(): Promise<World> {
    const world = await open();
    await world.channel('main');
    await world.seen(1, world.clock.now(), { cluster: 'east' });
    await world.scan(1, ['CVE-1']);
    await world.file();
    return world;
  }

  test('waits for a cluster in which it ran since it was filed, though no scan has told the row of it', async () => {
    const world = await filed();
    world.clock.advance(HOUR);
    await world.seen(1, world.clock.now(), { cluster: 'west' });
    await world.swept('west', world.clock.now());
    world.clock.advance(DAY + HOUR);
    await world.swept('east', world.clock.now());
    await world.sweep();
    const row = await world.row();
    assert.equal(row.state, 'open');
    assert.match(row.withheld ?? '', /west had no whole reconciliation sweep/);
    await world.swept('west', world.clock.now());
    await world.sweep();
    assert.equal((await world.row()).reason, 'image_retired');
  });

  test('does not wait for a cluster that was removed, whose pods are none any more', async () => {
    const world = await filed();
    await world.seen(1, world.clock.now() + 2 * DAY, { cluster: 'west' });
    await world.run(
      'insert into clusters (name, first_seen_at, last_seen_at, forgotten_at) values (?, 0, 0, ?)',
      ['west', world.clock.now()],
    );
    world.clock.advance(DAY);
    await world.swept('east', world.clock.now());
    await world.sweep();
    assert.equal((await world.row()).reason, 'image_retired');
  });

  test('is judged by sweeps that looked at everything: one that broke off, and one of the future, tell nothing', async () => {
    const world = await filed();
    world.clock.advance(DAY);
    await world.swept('east', null);
    await world.swept('east', world.clock.now() + HOUR);
    await world.sweep();
    assert.equal((await world.row()).state, 'open');
    world.clock.advance(HOUR);
    await world.sweep();
    assert.equal((await world.row()).reason, 'image_retired');
  });
});
