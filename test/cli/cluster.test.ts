import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditBody } from '../../src/api/contract/audit.ts';
import type { ReplicasBody } from '../../src/api/contract/replicas.ts';
import { replicaStore } from '../../src/store/cluster/replicas.ts';
import { openShell } from '../accounts/cli.ts';
import { startRunning } from '../app/running.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const HOUR = 3_600_000;

test('ipo cluster shows which replica may hold rows and since when, and forgets one that is missing', async (t) => {
  const running = await startRunning(t, { clock: { now: () => NOW } });
  const { env, ipo } = openShell(t);
  const as = (somebody: 'administrator' | 'viewer'): void => {
    Object.assign(env, { IPO_SERVER: running.url, IPO_TOKEN: running.secretOf(somebody) ?? '' });
  };
  const replicas = replicaStore(running.service.store);
  const lost = { name: 'ipo-2-4d5e6f', cluster: '', life: 1, at: NOW - HOUR, holdingSince: null, rows: 12 };
  await replicas.begin({ ...lost, holdingSince: NOW - 2 * HOUR });
  await replicas.begin({ ...lost, name: 'ipo-1-0a0b0c', rows: 0 });
  await replicas.end('ipo-1-0a0b0c', 1, NOW - HOUR);

  as('viewer');
  const listed = await ipo(['cluster', 'replicas']);
  assert.equal(listed.code, 0, listed.err);
  assert.match(listed.out, /^name +state +seen \(UTC\) +may hold rows since \(UTC\) +rows\n/);
  assert.match(listed.out, /\nipo-1-0a0b0c +ended +2026-11-20 11:00 +- +0\n/);
  assert.match(listed.out, /\nipo-2-4d5e6f +missing +2026-11-20 11:00 +2026-11-20 10:00 +12\n/);
  assert.match(listed.out, / answers +2026-11-20 12:00 +- +0\n/);
  assert.match(
    listed.out,
    /\nSweeps skip the pods that ipo-2-4d5e6f may have reviewed\.\n.*forget-replica NAME\.\n$/,
  );
  const body = JSON.parse((await ipo(['cluster', 'replicas', '-o', 'json'])).out) as ReplicasBody;
  assert.deepEqual([body.total, body.items[1]?.holding_since], [3, '2026-11-20T10:00:00Z']);
  const own = body.items.find(({ state }) => state === 'answers')?.name ?? '';
  assert.equal((await ipo(['cluster', 'forget-replica', lost.name, '--yes'])).code, 3);

  as('administrator');
  const wrong = await ipo(['cluster', 'forget-replica', 'ipo-2-4d5e6e', '--yes']);
  assert.deepEqual([wrong.code, /Did you mean ipo-2-4d5e6f\?/.test(wrong.err)], [1, true], wrong.err);
  const live = await ipo(['cluster', 'forget-replica', own, '--yes']);
  assert.equal(live.code, 3);
  assert.match(live.err, /answers, and holds no rows\n.*Only a replica that is missing can be forgotten/);
  const no = await ipo(['cluster', 'forget-replica', lost.name], { answers: [[/\[y\/N\]/, 'n\n']] });
  assert.deepEqual([no.code, /nothing was changed/.test(no.err)], [1, true], no.err);
  const yes = await ipo(['cluster', 'forget-replica', lost.name, '--yes']);
  assert.deepEqual(
    [yes.code, yes.out, yes.err],
    [0, '', `ipo: replica ${lost.name} is forgotten; the next sweep no longer waits for it\n`],
  );
  assert.match(
    (await ipo(['cluster', 'replicas'])).out,
    /\nipo-2-4d5e6f +forgotten +2026-11-20 11:00 +- +12\n/,
  );
  const { body: audit } = await running
    .as('administrator')
    .json<AuditBody>('GET /audit', { query: { action: 'replica_forget' } });
  assert.deepEqual(
    audit.items.map(({ actor, target }) => [actor, target]),
    [['An Administrator', lost.name]],
  );
});
