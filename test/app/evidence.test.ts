import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { KeysBody, OnePackageBody, PackagesBody } from '../../src/api/contract/evidence.ts';
import type { ServiceClient } from '../../src/adapters/service/index.ts';
import { verifyPackage, recompute, toEvidenceKey } from '../../src/evidence/index.ts';
import { importExport } from '../../src/store/ledger/import.ts';
import { startTsa, type FakeTsa } from '../evidence/fake-tsa.ts';
import { openBytesPackage, unzip } from '../evidence/open-bytes.ts';
import { openWhole } from '../store/made-ledger.ts';
import { makeCertificate, withoutOpenssl } from './certificate.ts';
import { startRunning, type Running } from './running.ts';

const SHOP = gunzipSync(
  readFileSync(new URL('../../fixtures/ledger/shop.ndjson.gz', import.meta.url)),
).toString('utf8');
const PERIOD = { from: '2026-10-21T00:00:00Z', to: '2026-11-25T00:00:00Z' };

async function ended(service: ServiceClient, id: string): Promise<OnePackageBody> {
  for (;;) {
    const { body } = await service.json<OnePackageBody>('GET /evidence/{id}', { params: { id } });
    if (body.state === 'done' || body.state === 'failed') return body;
    await sleep(100);
  }
}

test('a package is asked for, made beside the service, downloaded, verified and deleted', async (t) => {
  const clock = { now: () => Date.parse('2026-11-25T00:00:00Z') };
  const tsa = withoutOpenssl === false ? await startTsa(t) : null;
  // Of all tests of it one service, since starting one costs more than a package.
  const { service, as, data } = await startRunning(t, {
    clock,
    env: {
      IPO_EVIDENCE_ORGANISATION: 'Example Shop',
      IPO_EVIDENCE_FRAMEWORKS: 'soc2',
      ...(tsa !== null && { IPO_EVIDENCE_TIMESTAMP_URL: tsa.url }),
    },
  });
  await t.test('what cannot be asked for is said, and who may do what is held', () => holdRefusals(as));
  await importExport(service.store, await openWhole(SHOP), { at: Date.parse('2026-11-20T06:00:00Z') });
  const deployer = as('deployer');
  const administrator = as('administrator');
  await administrator.json('POST /declarations', { body: { statement: '  All clusters report here.  ' } });

  const asked = await deployer.json<OnePackageBody>('POST /evidence', { body: PERIOD });
  assert.equal(asked.status, 202);
  assert.equal(asked.headers['location'], `/api/v1/evidence/${asked.body.id}`);
  assert.deepEqual([asked.body.state, asked.body.request.frameworks], ['queued', ['soc2']]);
  await assert.rejects(deployer.stream('GET /evidence/{id}/download', { params: { id: asked.body.id } }), {
    code: 'conflict',
  });
  const done = await ended(deployer, asked.body.id);
  assert.equal(done.state, 'done', done.error ?? '');
  assert.equal(done.progress.rows, done.progress.total);
  assert.deepEqual(
    done.summary?.frameworks.map(({ id }) => id),
    ['soc2'],
  );
  assert.equal(Date.parse(done.kept_until ?? '') - Date.parse(done.ended_at ?? ''), 400 * 86_400_000);

  const { body, headers } = await deployer.stream('GET /evidence/{id}/download', {
    params: { id: done.id },
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  assert.match(headers['content-disposition'] ?? '', /evidence-2026-10-21-2026-11-25-[a-z2-7]{6}\.zip/);
  assert.equal(bytes.length, done.bytes);
  assert.equal(createHash('sha256').update(bytes).digest('hex'), done.sha256);
  assert.equal(
    headers['repr-digest'],
    `sha-256=:${Buffer.from(done.sha256 ?? '', 'hex').toString('base64')}:`,
  );

  const { body: keys } = await as('anonymous').json<KeysBody>('GET /evidence/public-key');
  assert.equal(keys.keys.length, 1);
  const { body: pem } = await as('anonymous').text('GET /evidence/public-key', { query: { format: 'pem' } });
  const pkg = await openBytesPackage(bytes);
  const result = await verifyPackage(pkg, { keys: [toEvidenceKey(pem, 'key')], ledgerKeys: [], kept: [] });
  assert.deepEqual([result.holds, result.vouched], [true, true], JSON.stringify(result.checks));
  assert.deepEqual((await recompute(pkg, '0.0.0-test')).differences, []);
  if (tsa !== null)
    await t.test('it has a time stamp that openssl verifies', () => holdTimestamp(tsa, bytes));
  const { organisation, generation } = pkg.document;
  assert.equal(organisation.name, 'Example Shop');
  assert.equal(generation.key_id, keys.keys[0]?.id);
  assert.ok(!('note' in organisation.declarations));
  assert.deepEqual(
    organisation.declarations.map(({ statement }) => statement),
    ['All clusters report here.'],
  );

  await assert.rejects(deployer.json('DELETE /evidence/{id}', { params: { id: done.id } }), {
    code: 'forbidden',
  });
  await administrator.json('DELETE /evidence/{id}', { params: { id: done.id } });
  const { body: list } = await deployer.json<PackagesBody>('GET /evidence');
  assert.deepEqual(list, { items: [], total: 0 });
  assert.deepEqual(await service.store.read.selectFrom('evidence_pieces').select('number').execute(), []);
  const { body: audit } = await administrator.json<{
    items: readonly { action: string; target: string }[];
  }>('GET /audit');
  assert.deepEqual(
    audit.items.filter(({ action }) => /^(evidence|declaration)_/.test(action)).map(({ action }) => action),
    [
      ...['evidence_delete', 'evidence_download', 'evidence_create', 'declaration_create'],
      // Of the refusals only what came about.
      ...['evidence_delete', 'evidence_delete', 'evidence_create', 'evidence_cancel', 'evidence_create'],
    ],
  );
  assert.ok(readFileSync(join(data, 'evidence-key.pem'), 'utf8').includes('PRIVATE KEY'));
});

async function holdTimestamp(tsa: FakeTsa, bytes: Buffer): Promise<void> {
  const files = unzip(bytes);
  const signature = Buffer.from(String(files.get('evidence.json.sig')), 'base64');
  writeFileSync(join(tsa.folder, 'evidence.json.der'), signature);
  writeFileSync(join(tsa.folder, 'evidence.tsr'), files.get('evidence.tsr') ?? '');
  const verify = ['ts', '-verify', '-data', 'evidence.json.der', '-in', 'evidence.tsr', '-CAfile', 'tsa.pem'];
  const said = execFileSync('openssl', verify, {
    ...{ cwd: tsa.folder, encoding: 'utf8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  assert.match(said, /Verification: OK/);

  const pkg = await openBytesPackage(bytes);
  const none = { keys: [], ledgerKeys: [], kept: [] };
  const stateWith = async (authorities: readonly string[], of = pkg) =>
    (await verifyPackage(of, { ...none, authorities })).checks.find(({ check }) => check === 'timestamp')
      ?.state;
  assert.equal(await stateWith([]), 'not_checked');
  assert.equal(await stateWith([tsa.pem]), 'held');
  const other = makeCertificate(tsa.folder, 'other');
  assert.equal(await stateWith([readFileSync(other.cert, 'utf8')]), 'failed');
  const damaged = {
    ...pkg,
    read: async (name: string) =>
      name === 'evidence.tsr' ? Buffer.from('not a time stamp') : pkg.read(name),
  };
  assert.equal(await stateWith([], damaged), 'failed');
}

/** On a service without rows. Leaves nothing. */
async function holdRefusals(as: Running['as']): Promise<void> {
  const deployer = as('deployer');
  const administrator = as('administrator');
  for (const [body, text] of [
    [
      { ...PERIOD, frameworks: ['sox'] },
      /unknown framework "sox"; the frameworks are nist-800-53, .*essential-eight/,
    ],
    [{ from: PERIOD.to, to: PERIOD.from }, /ends before that/],
    [
      { from: PERIOD.from, to: '2026-12-01T00:00:00Z' },
      /the period ends in the future: at 2026-12-01T00:00:00Z; it is 2026-11-25/,
    ],
    [{ from: '2024-01-01T00:00:00Z', to: PERIOD.to }, /longer than 400 days/],
  ] as const)
    await assert.rejects(deployer.json('POST /evidence', { body }), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'invalid_request');
      assert.match(error.message, text);
      return true;
    });
  await assert.rejects(as('viewer').json('POST /evidence', { body: PERIOD }), { code: 'forbidden' });
  await assert.rejects(deployer.json('GET /evidence/{id}', { params: { id: 'a'.repeat(16) } }), {
    code: 'not_found',
  });
  await assert.rejects(deployer.json('POST /declarations', { body: { statement: 'x' } }), {
    code: 'forbidden',
  });
  for (const body of [{ statement: '  ' }, { statement: 'x', valid_until: '2020-01-01T00:00:00Z' }])
    await assert.rejects(administrator.json('POST /declarations', { body }), { code: 'invalid_request' });

  // One that waits or is made can be cancelled, and another is asked for.
  const { body: asked } = await deployer.json<OnePackageBody>('POST /evidence', { body: PERIOD });
  const { body: cancelled } = await deployer.json<OnePackageBody>('POST /evidence/{id}/cancel', {
    params: { id: asked.id },
  });
  assert.deepEqual([cancelled.state, cancelled.error, cancelled.bytes], ['failed', 'cancelled', null]);
  await assert.rejects(deployer.json('POST /evidence/{id}/cancel', { params: { id: asked.id } }), {
    code: 'conflict',
  });
  const { body: again } = await deployer.json<OnePackageBody>('POST /evidence', { body: PERIOD });
  const done = await ended(deployer, again.id);
  assert.equal(done.state, 'done', 'a ledger without rows has a package too');
  assert.equal(done.summary?.rows, 0);
  for (const { id } of [asked, done]) await administrator.json('DELETE /evidence/{id}', { params: { id } });
}
