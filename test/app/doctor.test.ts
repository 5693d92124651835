import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import type { DoctorBody } from '../../src/api/contract/doctor.ts';
import type { CheckResult } from '../../src/doctor/index.ts';
import { clusterIds, writeFault } from '../../src/store/index.ts';
import { run } from '../../src/store/sql/run.ts';
import { openShell } from '../accounts/cli.ts';
import { DOCUMENTS } from '../channels/documents.ts';
import { policyOf } from '../configuration/world.ts';
import { holdsFault, wrong } from '../doctor/seeded.ts';
import { forEachEngine } from '../store/engines.ts';
import { scratchDirectory, startRunning, type Running } from './running.ts';

const DATA_KEY = randomBytes(32).toString('base64');

async function examined(running: Running): Promise<readonly CheckResult[]> {
  const { body } = await running.as('administrator').json<DoctorBody>('GET /system/doctor');
  assert.equal(body.total, body.checks.length);
  return body.checks as readonly CheckResult[];
}

async function sound(t: TestContext, env: Readonly<Record<string, string>> = {}): Promise<Running> {
  const running = await startRunning(t, { env: { DATA_KEY, ...env } });
  await running.as('administrator').json('POST /policies', { body: policyOf('base') });
  return running;
}

test('a running service that is sound has no check that warns or fails, and the command says so', async (t) => {
  const running = await sound(t);
  assert.deepEqual(wrong(await examined(running)), []);
  const { env, ipo } = openShell(t);
  Object.assign(env, { IPO_SERVER: running.url, IPO_TOKEN: running.secretOf('administrator') ?? '' });
  const { code, out, err } = await ipo(['doctor', '--strict', '--all']);
  assert.deepEqual([code, err], [0, ''], out);
  assert.match(out, /^✓ service\.answers: http.* answers: release 0\.0\.0-test/);
  const bundle = `${scratchDirectory(t)}/report.json`;
  assert.equal((await ipo(['doctor', '--bundle', bundle])).code, 0);
  const again = await ipo(['doctor', '--bundle', bundle]);
  assert.equal(again.code, 2, 'the file is there');
  assert.match(again.err, /report\.json already exists\n.*--force/);
  assert.equal((await ipo(['doctor', '--bundle', bundle, '--force'])).code, 0);
  assert.equal(
    (await ipo(['doctor', '--for', '1.3.7'])).code,
    0,
    'a release that is not in the catalogue warns',
  );
  for (const role of ['viewer', 'deployer'] as const)
    await assert.rejects(running.as(role).json('GET /system/doctor'), { code: 'forbidden' });
  env['IPO_TOKEN'] = running.secretOf('viewer') ?? '';
  assert.equal((await ipo(['doctor'])).code, 3);
  await running.service.close(0);
  const gone = await ipo(['doctor']);
  assert.equal(gone.code, 1);
  assert.match(gone.out, /^✗ service\.answers: the service does not answer/);
});

test('nothing to examine is wrong usage', async (t) => {
  const { ipo } = openShell(t);
  const { code, err } = await ipo(['doctor']);
  assert.equal(code, 2);
  assert.match(err, /nothing to examine/);
});

test('without --kubeconfig the doctor reads KUBECONFIG, else the file of the home directory', async (t) => {
  const { env, ipo } = openShell(t);
  const home = scratchDirectory(t);
  env['HOME'] = home;
  const absent = await ipo(['doctor', '--context', 'a']);
  assert.equal(absent.code, 3);
  assert.match(absent.err, new RegExp(`${home}/\\.kube/config`));
  env['KUBECONFIG'] = `${home}/kc:${home}/other`;
  for (const more of [[], ['--namespace', 'a'], ['--data', home, '--context', 'a']]) {
    const { code, err } = await ipo(['doctor', ...more]);
    assert.deepEqual([code, err.includes(`${home}/kc:`)], [3, true], err);
  }
});

test('faults of a running service are named where they are: policies, channels, keys and the proxy', async (t) => {
  const running = await startRunning(t, { env: { DATA_KEY, IPO_OUTBOUND_PROXY: 'http://127.0.0.1:1' } });
  const administrator = running.as('administrator');
  const proxied = ['outbound.proxy'];
  const first = await examined(running);
  holdsFault(first, 'no policy', 'policies.there', 'warn', /every image/, proxied);
  holdsFault(first, 'proxy wrong', 'outbound.proxy', 'fail', /ECONNREFUSED/, ['policies.there']);
  await administrator.json('POST /policies', { body: policyOf('base') });
  const { body: channel } = await administrator.json<{ id: string }>('POST /channels', {
    body: { ...DOCUMENTS.github, enabled: true },
  });
  const { body: chat } = await administrator.json<{ id: string }>('POST /channels', {
    body: DOCUMENTS.slack,
  });
  await administrator.json('PUT /channels/{id}/mute', {
    params: { id: chat.id },
    body: { for: '6h', reason: 'a move' },
  });
  holdsFault(await examined(running), 'channel muted', 'channels.muted', 'warn', /chat is muted/, proxied);
  await administrator.json('DELETE /channels/{id}/mute', { params: { id: chat.id } });
  await running.service.store.write((transaction) =>
    run(transaction, sql`update channels set paused_since = 1 where id = ${channel.id}`),
  );
  holdsFault(await examined(running), 'channel paused', 'channels.paused', 'warn', /paused/, proxied);
  await running.service.store.write((transaction) =>
    run(
      transaction,
      sql`update channels set paused_since = null, last_error = 'HTTP 401' where id = ${channel.id}`,
    ),
  );
  holdsFault(await examined(running), 'channel unauthorised', 'channels.errors', 'fail', /401/, proxied);
  await running.service.store.write((transaction) =>
    run(transaction, sql`update channels set last_error = null where id = ${channel.id}`),
  );
  await running.service.close(0);
  const again = await startRunning(t, {
    again: running.data,
    env: { DATA_KEY: randomBytes(32).toString('base64') },
  });
  await again.signIn('administrator');
  const checks = await examined(again);
  holdsFault(checks, 'DATA_KEY replaced', 'channels.credential', 'fail', /token of the channel hub/);
});

test('channels to hosts that are not allowed any more are named, each by its host', async (t) => {
  const running = await sound(t);
  const administrator = running.as('administrator');
  for (const body of [
    DOCUMENTS.slack,
    DOCUMENTS.webhook,
    DOCUMENTS.email,
    { ...DOCUMENTS.teams, enabled: false },
  ])
    await administrator.json('POST /channels', { body });
  await running.service.close(0);
  const env = { DATA_KEY, IPO_TRACKERS_ALLOWED_HOSTS: 'hook.example.com' };
  const again = await startRunning(t, { again: running.data, env });
  await again.signIn('administrator');
  const checks = await examined(again);
  holdsFault(checks, 'host not allowed', 'channels.hosts', 'fail', /chat leads to hooks\.slack\.com/);
  assert.equal(wrong(checks).length, 1, 'not the webhook, the mail, nor what is disabled');
  assert.ok(!JSON.stringify(checks).includes('canary'));
});

forEachEngine('a database for the doctor', (engine) => {
  test('takes writes, and two clusters under one name are found for a day', async (t) => {
    const store = await engine.open(t);
    assert.equal(await writeFault(store), null);
    assert.match(
      (await writeFault({ write: () => Promise.reject(new Error('read-only')) })) ?? '',
      /read-only/,
    );
    const ids = clusterIds(store);
    await ids.seen('eu', 'uid-1', 1000);
    await ids.seen('eu', 'uid-1', 2000);
    await ids.seen('eu 2', 'uid-3', 2000);
    assert.deepEqual(await ids.others('eu', 'uid-1', 0), []);
    await ids.seen('eu', 'uid-2', 3000);
    assert.deepEqual(await ids.others('eu', 'uid-1', 0), ['uid-2']);
    assert.deepEqual(await ids.others('eu', 'uid-2', 2001), [], 'the other was not seen since');
  });
});
