import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scanStore } from '../../src/store/scans/scans.ts';
import { worldsOf } from '../trackers/world.ts';
import { forEachEngine } from './engines.ts';
import { digestOf, finding, scanOf } from './image-records.ts';

const DB = '2026-02-02T00:00:00Z';

forEachEngine('scans that are committed out of the order of their numbers', (engine) => {
  const open = worldsOf(engine);
  // SQLite has one writer.
  const skip = engine.name === 'sqlite';

  test('are counted by the trackers all the same, whichever was committed first', { skip }, async () => {
    const world = await open();
    await world.channel('main');
    await world.seen(1, world.clock.now(), { cluster: 'east' });
    await world.scan(1, ['CVE-1']);
    await world.file();
    assert.deepEqual((await world.row()).clusters, ['east']);
    await world.seen(1, world.clock.now(), { cluster: 'west' });
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const { promise: recorded, resolve: isRecorded } = Promise.withResolvers<void>();
    const findings = [finding('CVE-1', 'CRITICAL'), finding('CVE-2', 'HIGH')];
    const late = world.store.write(async () => {
      const scannedAt = '2026-11-21T08:00:00Z';
      const scanner = { name: 'trivy', version: '2', dbUpdatedAt: DB };
      const scan = scanOf(findings, { scannedAt, scanner });
      const names = ['docker.io/team/app1:1'];
      await scanStore(world.store).record({
        ...{ digest: digestOf(1), names, source: null, scan, at: world.clock.now() },
      });
      isRecorded();
      await mayCommit;
    });
    await recorded;
    // A later number, and the earlier commit.
    await world.scan(2, ['CVE-3']);
    await world.file();
    assert.equal(world.count('svc_issues_skipped_total dedup'), 0);
    commit();
    await late;
    await world.file();
    assert.equal(world.count('svc_issues_skipped_total dedup'), 1);
    const row = (await world.rows()).find(({ cve }) => cve === 'CVE-1');
    assert.deepEqual(row?.clusters, ['east', 'west']);
    await world.file();
    assert.equal(world.count('svc_issues_skipped_total dedup'), 1, 'once');
  });
});

forEachEngine('a scan that found the same again', (engine) => {
  const open = worldsOf(engine);

  test('is counted again, with what it was made with, though its findings keep their number', async () => {
    const world = await open();
    await world.channel('main');
    await world.scan(1, ['CVE-1']);
    await world.file();
    await world.scan(1, ['CVE-1'], { db: DB });
    assert.equal(world.count('svc_issues_skipped_total dedup'), 0);
    await world.file();
    await world.file();
    assert.equal(world.count('svc_issues_skipped_total dedup'), 1);
    const found = await world.store.read.selectFrom('tracking').select('found_db_at').execute();
    assert.deepEqual(found, [{ found_db_at: Date.parse(DB) }]);
    const scans = await world.store.read.selectFrom('scans').select(['current', 'db_updated_at']).execute();
    assert.deepEqual(
      scans.toSorted((a, b) => a.current - b.current),
      [
        { current: 0, db_updated_at: Date.parse('2026-01-01T00:00:00Z') },
        { current: 1, db_updated_at: Date.parse(DB) },
      ],
      'the record of the one before is kept',
    );
  });
});
