import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import type { OnePackageBody } from '../../src/api/contract/evidence.ts';
import { openTimestamps } from '../../src/adapters/timestamps/index.ts';
import { evidenceJobs } from '../../src/app/evidence/jobs.ts';
import { timestampRequest, toRequest, verifyPackage } from '../../src/evidence/index.ts';
import { openStore, packageStore, packageWork } from '../../src/store/index.ts';
import { makeCertificate, withoutOpenssl } from '../app/certificate.ts';
import { startRunning } from '../app/running.ts';
import { sqlite } from '../store/engines.ts';
import { startTsa } from './fake-tsa.ts';
import { openBytesPackage, unzip } from './open-bytes.ts';

const NEVER = new AbortController().signal;

test('a package has a time stamp that openssl verifies', { skip: withoutOpenssl }, async (t) => {
  const tsa = await startTsa(t);
  const { as } = await startRunning(t, { env: { IPO_EVIDENCE_TIMESTAMP_URL: tsa.url } });
  const deployer = as('deployer');
  const day = 86_400_000;
  const { body: asked } = await deployer.json<OnePackageBody>('POST /evidence', {
    body: {
      from: new Date(Date.now() - day).toISOString(),
      to: new Date().toISOString(),
      frameworks: ['soc2'],
    },
  });
  const made = async (): Promise<OnePackageBody> =>
    (await deployer.json<OnePackageBody>('GET /evidence/{id}', { params: { id: asked.id } })).body;
  while (['queued', 'running'].includes((await made()).state)) await sleep(100);
  assert.equal((await made()).error, null);
  const { body } = await deployer.stream('GET /evidence/{id}/download', { params: { id: asked.id } });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
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
  const { readFileSync } = await import('node:fs');
  assert.equal(await stateWith([readFileSync(other.cert, 'utf8')]), 'failed');
  const damaged = {
    ...pkg,
    read: async (name: string) =>
      name === 'evidence.tsr' ? Buffer.from('not a time stamp') : pkg.read(name),
  };
  assert.equal(await stateWith([], damaged), 'failed');
});

test(
  'a request is one that openssl reads, and an authority that fails says how',
  { skip: withoutOpenssl },
  async (t) => {
    const tsa = await startTsa(t);
    const query = timestampRequest(Buffer.from('a signature'));
    writeFileSync(join(tsa.folder, 'own.tsq'), query);
    const text = execFileSync('openssl', ['ts', '-query', '-in', 'own.tsq', '-text'], {
      ...{ cwd: tsa.folder, encoding: 'utf8' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    assert.match(text, /Hash Algorithm: sha256[^]*Certificate required: yes/);
    const authority = openTimestamps(tsa.url, undefined);
    assert.ok((await authority.stamp(query, NEVER)).length > 100);
    for (const [answer, message] of [
      [{ status: 503, body: 'busy' }, /answers 503: busy/],
      [{ status: 302, body: '' }, /answers 302/],
      [{ status: 200, body: 'x'.repeat(70_000) }, /more than any time stamp/],
    ] as const) {
      tsa.answer = answer;
      await assert.rejects(authority.stamp(query, NEVER), { code: 'network', message });
    }
    await assert.rejects(openTimestamps('http://127.0.0.1:9/', undefined).stamp(query, NEVER), {
      message: /refuses connections/,
    });
  },
);

test('a package that cannot be stamped is tried five times, and then says why', async (t) => {
  const store = await openStore({ url: await sqlite.migrated() });
  t.after(() => store.close());
  const packages = packageStore(store);
  const request = toRequest({ from: 0, to: 1 }, Date.now());
  await packages.add({ id: 'a'.repeat(16), accountId: 'b'.repeat(16), createdAt: 0, request }, 20);
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const outcomes: unknown[] = [];
  let [now, tries] = [0, 0];
  const [job] = evidenceJobs({
    ...{ work: packageWork(store), store: packages, task: {} as never, days: 0, log: quiet },
    checkpoint: async () => undefined,
    retention: { now: async () => 0 },
    clock: { now: () => 5 },
    monotonic: () => (now += 100_000),
    count: { add: (_name: string, labels: unknown) => void outcomes.push(labels) } as never,
    stamp: () => Promise.reject(new Error('not asked')),
    make: async () => {
      tries += 1;
      return { fault: { code: 'network', message: 'the time stamp authority is away' } };
    },
  });
  // The first try is at once; each other waits for a while.
  for (let turn = 0; turn < 10; turn += 1) await job?.run(NEVER);
  const kept = await packages.get('a'.repeat(16));
  assert.deepEqual([kept?.state, kept?.error], ['failed', 'the time stamp authority is away']);
  assert.deepEqual(outcomes, [{ outcome: 'failed' }]);
  assert.equal(tries, 5);
});
