import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTimestamps } from '../../src/adapters/timestamps/index.ts';
import { evidenceJobs } from '../../src/app/evidence/jobs.ts';
import { timestampRequest, toRequest } from '../../src/evidence/index.ts';
import { openStore, packageStore, packageWork } from '../../src/store/index.ts';
import { withoutOpenssl } from '../app/certificate.ts';
import { sqlite } from '../store/engines.ts';
import { startTsa } from './fake-tsa.ts';

const NEVER = new AbortController().signal;

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
