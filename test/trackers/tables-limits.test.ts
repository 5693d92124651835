import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceJobs, type JobsParts } from '../../src/app/service/jobs.ts';
import { settingsSchema } from '../../src/app/config/settings.ts';
import { isTracker } from '../../src/channels/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { actsOf, desksOf, type Desk } from './tables-world.ts';
import { DAY, HOUR, MINUTE } from './virtual-clock.ts';

const CVES = Array.from({ length: 30 }, (_, n) => `CVE-${n}`);

forEachEngine('Limits of trackers', (engine) => {
  const open = desksOf(engine);

  async function capOf(desk: Desk, id: string): Promise<number> {
    const { channel } = await desk.joined.channels.get(id);
    assert.ok(isTracker(channel));
    return channel.settings.dailyCap;
  }

  test('Issues per channel per rolling 24 hours (`dailyCap`): 1 to 500, default 20', async (t) => {
    const desk = await open(t);
    const { world } = desk;
    const { id, fake } = await desk.channel('github', { firstRunSummary: false });
    assert.equal(await capOf(desk, id), 20);
    for (const dailyCap of [0, -1, 501, 1.5, '20', null])
      await assert.rejects(desk.change(id, { dailyCap }), (error: { fields?: { message: string }[] }) => {
        assert.equal(
          error.fields?.[0]?.message,
          'dailyCap must be between 1 and 500; disable the channel to file nothing',
        );
        return true;
      });
    for (const dailyCap of [1, 500, 20]) {
      await desk.change(id, { dailyCap });
      assert.equal(await capOf(desk, id), dailyCap);
    }
    await world.scan(1, CVES);
    const began = world.clock.now();
    await desk.file();
    assert.equal(fake.state.issues.length, 20);
    world.clock.advance(began + DAY - MINUTE - world.clock.now());
    await desk.file();
    assert.equal(fake.state.issues.length, 20, '24 hours are not over');
    world.clock.advance(2 * MINUTE);
    await desk.file();
    assert.equal(fake.state.issues.length, 30);
  });

  test('First-run summary threshold: More than 5 candidates', async (t) => {
    for (const [candidates, issues] of [
      [5, 5],
      [6, 1],
    ] as const) {
      const desk = await open(t);
      const { fake } = await desk.channel('gitlab');
      await desk.world.scan(1, CVES.slice(0, candidates));
      await desk.file();
      assert.equal(fake.state.issues.length, issues, `${candidates} candidates`);
    }
  });

  test('Closing sweep interval: 10 minutes, on the replica that holds the controller lock', async (t) => {
    const swept: unknown[] = [];
    const trackers = { file: async () => null, sweep: async (signal: unknown) => void swept.push(signal) };
    const settings = settingsSchema.parse({ data: '/none' });
    const parts = {
      trackers,
      settings,
      kev: { off: true },
      facts: [],
      history: [],
      evidence: [],
      backups: [],
      operator: [],
      notices: [],
      renewTls: null,
    };
    const jobs = serviceJobs(parts as unknown as JobsParts);
    const job = jobs.find(({ name }) => name === 'closing-sweep');
    assert.deepEqual([job?.every, job?.leaderOnly], [10 * MINUTE, true]);
    await job?.run(new AbortController().signal);
    assert.equal(swept.length, 1);

    const desk = await open(t);
    const { fake } = await desk.channel('gitlab');
    await desk.world.scan(1, ['CVE-1']);
    await desk.file();
    await desk.world.scan(1, []);
    desk.leads = false;
    await desk.sweep();
    await desk.file();
    assert.deepEqual([actsOf(fake), (await desk.world.row()).state], [['create'], 'open']);
    desk.leads = true;
    await desk.sweep();
    assert.equal((await desk.world.row()).state, 'closed');
  });

  test('Image retired: No pod observed for 24 hours, and a reconciliation sweep within the last 24 hours', async (t) => {
    for (const [what, unseen, sweptBefore, closed] of [
      ['a millisecond too early', DAY - 1, HOUR, false],
      ['exactly 24 hours, and a sweep just now', DAY, 0, true],
      ['exactly 24 hours, and a sweep of exactly 24 hours ago', DAY, DAY, true],
      ['and a sweep a millisecond too old', DAY + HOUR, DAY + 1, false],
    ] as const) {
      const desk = await open(t);
      const { world } = desk;
      await desk.channel('jira-cloud');
      await world.seen(1, world.clock.now());
      await world.scan(1, ['CVE-1']);
      await desk.file();
      world.clock.advance(unseen);
      await world.swept('prod', world.clock.now() - sweptBefore);
      await desk.sweep();
      assert.equal((await world.row()).reason, closed ? 'image_retired' : null, what);
    }
  });

  test('Deduplication: Per (digest, CVE), no time window', async (t) => {
    const desk = await open(t);
    const { world } = desk;
    const { fake } = await desk.channel('jira-datacenter');
    await world.scan(1, ['CVE-1']);
    await desk.file();
    await world.scan(1, []);
    await desk.sweep();
    assert.equal((await world.row()).reason, 'fixed');
    world.clock.advance(3 * 365 * DAY);
    await world.scan(1, ['CVE-1']);
    await desk.file();
    assert.equal(fake.state.issues.length, 1, 'a closed row blocks as an open one does');
    assert.equal(world.count('svc_issues_skipped_total dedup'), 1);
  });
});
