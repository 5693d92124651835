import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adoptionStore } from '../../src/store/channels/adopt.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { trackingHistory } from '../../src/store/tracking/history.ts';
import { forEachEngine } from '../store/engines.ts';
import { MINUTE } from './virtual-clock.ts';
import { worldsOf, type World } from './world.ts';

forEachEngine('how often a repository was not there is counted from the beginning', (engine) => {
  const open = worldsOf(engine);

  /** As two answers of 404 leave it. */
  const turnedAway = (world: World): Promise<void> =>
    world.run(`update tracking set away_target = 'team/gone', away_answer = '404', away_times = 2`, []);

  async function counted({ store }: World): Promise<readonly unknown[]> {
    const [row] = await runText<Record<string, unknown>>(
      store.read,
      'select away_target, away_answer, away_times, state from tracking',
      [],
    );
    return Object.values(row ?? {});
  }
  const FORGOTTEN = [null, null, 0, 'open'];

  test('by an issue that is opened again', async () => {
    const world = await open();
    await world.channel('main', { firstRunSummary: false });
    await world.scan(1, ['CVE-1']);
    await world.file();
    world.clock.advance(10 * MINUTE);
    await world.scan(1, []);
    await world.sweep();
    await world.scan(1, ['CVE-1']);
    await world.sweep();
    await turnedAway(world);
    const { id } = await world.row();
    const reopened = await trackingHistory(world.store).reopen(id, world.clock.now(), () => 'marker');
    assert.equal(typeof reopened, 'object');
    assert.deepEqual(await counted(world), FORGOTTEN);
  });

  test('by a finding that is claimed again after it ended without an issue', async () => {
    const world = await open();
    const fake = await world.channel('main', { firstRunSummary: false });
    await world.scan(1, ['CVE-1']);
    fake.fault = () => 'redirect';
    await world.file();
    await turnedAway(world);
    await world.scan(1, []);
    await world.sweep();
    assert.deepEqual((await counted(world)).at(-1), 'closed');
    await world.scan(1, ['CVE-1']);
    world.clock.advance(60 * MINUTE);
    await world.file();
    assert.equal((await world.row()).generation, 2);
    assert.deepEqual(await counted(world), FORGOTTEN);
  });

  test('by the channel that adopts a claim', async () => {
    const world = await open();
    const fake = await world.channel('main', { firstRunSummary: false });
    await world.channel('other', { firstRunSummary: false });
    await world.scan(1, ['CVE-1']);
    fake.fault = () => 'redirect';
    await world.file();
    await turnedAway(world);
    await world.deleteChannel('main');
    const other = await world.channelState('other');
    assert.deepEqual(await adoptionStore(world.store).adopt('main', other, null), { adopted: 1, left: 0 });
    assert.deepEqual(await counted(world), FORGOTTEN);
  });

  test('and a claim that its channel tries again goes on counting', async () => {
    const world = await open();
    const fake = await world.channel('main', { firstRunSummary: false });
    await world.scan(1, ['CVE-1']);
    fake.fault = () => 'redirect';
    await world.file();
    await turnedAway(world);
    world.clock.advance(60 * MINUTE);
    await world.file();
    assert.deepEqual(await counted(world), ['team/gone', '404', 2, 'open']);
  });
});
