import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLOSE_REASONS } from '../../src/trackers/index.ts';
import { trackingHistory } from '../../src/store/tracking/history.ts';
import { forEachEngine } from '../store/engines.ts';
import { digestOf } from '../store/image-records.ts';
import { actsOf, desksOf } from './tables-world.ts';
import { DAY, HOUR, MINUTE } from './virtual-clock.ts';

forEachEngine('the fields of a "Tracking history row"', (engine) => {
  const open = desksOf(engine);

  test('image digest, CVE id: "Together the deduplication key, with no time window."', async (t) => {
    const desk = await open(t);
    const { world } = desk;
    const { fake } = await desk.channel('github');
    await world.scan(1, ['CVE-1']);
    await desk.file();
    for (const days of [1, 30, 365, 10 * 365]) {
      world.clock.advance(days * DAY);
      await world.scan(1, ['CVE-1']);
      await desk.file();
    }
    assert.deepEqual(actsOf(fake), ['create']);
    await world.scan(2, ['CVE-1']);
    await world.scan(1, ['CVE-1', 'CVE-2']);
    await desk.file();
    assert.deepEqual(
      (await world.rows()).map(({ digest, cve }) => [digest, cve]),
      [
        [digestOf(1), 'CVE-1'],
        [digestOf(2), 'CVE-1'],
        [digestOf(1), 'CVE-2'],
      ],
      'another digest and another CVE are other rows',
    );
  });

  test('channel id: "The channel that filed it. It stays on the row if the channel is deleted."', async (t) => {
    const desk = await open(t);
    const { id } = await desk.channel('gitlab');
    await desk.world.scan(1, ['CVE-1']);
    await desk.file();
    const before = await desk.world.row();
    assert.equal(before.channelId, id);
    await desk.joined.channels.remove(id, 'any');
    await desk.sweep();
    assert.deepEqual(await desk.world.row(), before);
  });

  test('cluster names: "List recorded on the row, from the `clusterName` chart value of each installation. Not part of the key."', async (t) => {
    const desk = await open(t);
    const { world } = desk;
    const { fake } = await desk.channel('jira-cloud');
    for (const cluster of ['west', 'east', 'north']) {
      await world.seen(1, world.clock.now(), { cluster });
      await world.scan(1, ['CVE-1']);
      await desk.file();
    }
    assert.deepEqual((await world.row()).clusters, ['east', 'north', 'west']);
    assert.deepEqual(actsOf(fake), ['create']);
  });

  test('issue reference: "The tracker issue. Several rows point at one issue for a first-run summary."', async (t) => {
    const desk = await open(t);
    const { fake } = await desk.channel('jira-gateway');
    await desk.world.scan(1, ['CVE-1', 'CVE-2', 'CVE-3', 'CVE-4', 'CVE-5', 'CVE-6']);
    await desk.file();
    const [issue] = fake.state.issues;
    const reference = { key: 'SEC-1', url: `${fake.webUrl}/browse/SEC-1`, id: String(issue?.id) };
    assert.deepEqual(
      (await desk.world.rows()).map((row) => row.issue),
      Array.from({ length: 6 }, () => reference),
    );
  });

  test('state: "`open` or `closed`"; reason: "One of `fixed`, `triaged`, `image_retired` once closed."', async (t) => {
    const desk = await open(t);
    const { world } = desk;
    await desk.channel('github-enterprise');
    for (const image of [1, 2, 3]) {
      await world.seen(image, world.clock.now());
      await world.scan(image, ['CVE-1']);
    }
    await desk.file();
    assert.ok((await world.rows()).every(({ state, reason }) => state === 'open' && reason === null));
    await world.scan(1, []);
    await world.triage(2, 'CVE-1', world.clock.now() + 2 * DAY);
    world.clock.advance(DAY);
    await world.swept('prod', world.clock.now());
    await desk.sweep();
    assert.deepEqual(
      (await world.rows()).map(({ state, reason }) => [state, reason]),
      CLOSE_REASONS.map((reason) => ['closed', reason]),
    );
  });

  test('last error: "Recorded when a provider call fails."', async (t) => {
    const desk = await open(t);
    const { world } = desk;
    const { fake } = await desk.channel('gitlab');
    await world.scan(1, ['CVE-1']);
    fake.faults.inject(
      { act: 'create' },
      { kind: 'answer', status: 403, body: { message: '403 Forbidden' } },
    );
    await desk.file();
    const { host } = new URL(fake.url);
    assert.equal((await world.row()).lastError, `${host} answers 403: 403 Forbidden`);
    world.clock.advance(MINUTE);
    await desk.file();
    assert.equal((await world.row()).lastError, null, 'it went well since');
  });

  test('opened / closed times: "Used for the evidence rows and for hours open."', async (t) => {
    const desk = await open(t);
    const { world } = desk;
    await desk.channel('jira-datacenter');
    const began = world.clock.now();
    await world.scan(1, ['CVE-1']);
    await desk.file();
    assert.deepEqual([(await world.row()).openedAt, (await world.row()).closedAt], [began, null]);
    world.clock.advance(36 * HOUR);
    await world.scan(1, []);
    await desk.sweep();
    assert.deepEqual(
      [(await world.row()).openedAt, (await world.row()).closedAt],
      [began, world.clock.now()],
    );
    const { items } = await trackingHistory(world.store).list({}, { limit: null, offset: 0 });
    assert.deepEqual(items, await world.rows());
  });
});
