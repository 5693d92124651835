import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createBackup } from '../../src/app/backup/create.ts';
import { backUp, backupJobs, type ScheduleParts } from '../../src/app/backup/schedule.ts';
import { IpoError } from '../../src/base/index.ts';
import { backupHistory, openStore } from '../../src/store/index.ts';
import { ipo } from '../cli/fake-terminal.ts';
import { startFakeRegistry } from '../registry/fake-registry.ts';
import { openClient } from '../registry/open.ts';
import { sqlite } from '../store/engines.ts';
import { startRunning } from './running.ts';

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const NEVER = new AbortController().signal;

async function parts(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-schedule-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const database = await sqlite.migrated();
  const store = await openStore({ url: database });
  t.after(() => store.close());
  let now = Date.UTC(2026, 10, 26, 6);
  const made: ScheduleParts = {
    ...{ schedule: 3_600_000, directory: join(folder, 'backups'), keep: 2, database, program: 'test' },
    registry: null,
    history: backupHistory(store),
    clock: { now: () => (now += 1000) },
    log: QUIET,
    // In this process; the service under test makes one of its own.
    async make({ url, out, program }) {
      const { bytes, sha256, header } = await createBackup({
        ...{ database: url, out, keys: null, program, clock: made.clock },
      });
      return { bytes, sha256, ledgerRows: header.ledger.rows };
    },
  };
  return { made };
}

test('a backup is kept in the history, and the oldest goes', async (t) => {
  const { made } = await parts(t);
  for (let turn = 0; turn < 3; turn += 1) {
    await backUp(made, NEVER);
    if (turn === 0) writeFileSync(join(made.directory, 'notes.txt'), 'kept');
  }
  const files = readdirSync(made.directory).toSorted();
  assert.equal(files.length, 3, files.join());
  assert.ok(files.includes('notes.txt'));
  const { items, total } = await made.history.list({ limit: 1, offset: 0 });
  assert.equal(total, 3);
  const [newest] = items;
  assert.equal(newest?.bytes, statSync(newest?.target ?? '').size);
  assert.equal(await made.history.lastDone(), newest?.startedAt);
  const verified = await ipo(['backup', 'verify', newest?.target ?? '', '-o', 'json']);
  assert.equal((JSON.parse(verified.out) as { sha256: string }).sha256, newest?.sha256);
});

test('one that fails is kept in the history with why, and leaves what is there', async (t) => {
  const { made } = await parts(t);
  await backUp(made, NEVER);
  const failing = {
    ...made,
    make: () => Promise.reject(new IpoError('unwritable', 'no space left on the device')),
  };
  await assert.rejects(backUp(failing, NEVER), { code: 'unwritable' });
  const [last] = (await made.history.list({ limit: 1, offset: 0 })).items;
  assert.deepEqual([last?.error, last?.sha256], ['no space left on the device', null]);
  assert.equal(readdirSync(made.directory).length, 1);
  await assert.rejects(backUp({ ...made, database: 'sqlite:/nowhere/ipo.db' }, NEVER), {
    code: 'unreadable',
  });
});

test('one that goes to a registry leaves no file, and the oldest goes there too', async (t) => {
  const { made } = await parts(t);
  const fake = await startFakeRegistry(t);
  const { artifacts } = openClient(t);
  const registry = { artifacts, repository: { host: fake.host, path: 'backups/ipo' } };
  const pushing = { ...made, registry };
  fake.manifests.set('backups/ipo latest', { type: '', bytes: Buffer.from('{}') });
  for (let turn = 0; turn < 3; turn += 1) await backUp(pushing, NEVER);
  assert.deepEqual(readdirSync(made.directory), []);
  const tags = await artifacts.tags(registry.repository, NEVER);
  assert.equal(tags.length, 3, tags.join());
  assert.ok(tags.includes('latest'), 'what the schedule did not name stays');
  const [newest] = (await made.history.list({ limit: 1, offset: 0 })).items;
  assert.equal(newest?.target, `oci://${fake.host}/backups/ipo:${tags.toSorted().at(-2) ?? ''}`);
  const verified = await ipo(['backup', 'verify', newest?.target ?? '', '-o', 'json']);
  assert.equal((JSON.parse(verified.out) as { sha256: string }).sha256, newest?.sha256, verified.err);

  fake.answering = ({ method }, response) => {
    if (method === 'POST') response.writeHead(403).end();
    return method === 'POST';
  };
  await assert.rejects(backUp(pushing, NEVER), { code: 'forbidden' });
  assert.equal(readdirSync(made.directory).length, 1, 'what was not taken stays here');
});

test('there is no job without a schedule', async (t) => {
  const { made } = await parts(t);
  assert.deepEqual(backupJobs({ ...made, schedule: undefined }), []);
  assert.deepEqual(
    backupJobs(made).map(({ name, leaderOnly, remembered }) => [name, leaderOnly, remembered]),
    [['backup', true, true]],
  );
});

test('a service backs itself up by its schedule, lists it, and has a metric of its age', async (t) => {
  const { url, secretOf } = await startRunning(t, { env: { IPO_BACKUP_SCHEDULE: '1h' } });
  const list = async () => {
    const { out } = await ipo(['backup', 'list', '--server', url, '-o', 'json'], {
      env: { IPO_TOKEN: secretOf('viewer') ?? '' },
    });
    return JSON.parse(out) as { total: number; items: { state: string; sha256: string | null }[] };
  };
  let found = await list();
  for (let turn = 0; turn < 600 && found.items[0]?.state !== 'done'; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    found = await list();
  }
  assert.deepEqual([found.total, found.items[0]?.state], [1, 'done']);
  const text = await (await fetch(`${url}/metrics`)).text();
  assert.match(text, /^svc_backup_age_seconds \d/m);
});
