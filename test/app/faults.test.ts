import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { ServiceError } from '../../src/adapters/service/service-error.ts';
import { forEachEngine } from '../store/engines.ts';
import { cutOff } from './cut-off.ts';
import { oneRow } from './one-row.ts';
import { startRunning } from './running.ts';

const draft = (name: string) => ({
  apiVersion: 'ipo.dev/v1',
  kind: 'ImagePolicy',
  metadata: { name },
  spec: { severityThreshold: 'HIGH' },
});

/** The problem that a call is refused with. */
async function refusal(call: Promise<unknown>): Promise<ServiceError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: 'the call was answered' });
}

test('a database that is full, or read-only, refuses writes, and reads go on; room that is made is used', async (t) => {
  const { service, as, url, log } = await startRunning(t);
  const administrator = as('administrator');
  await administrator.json('POST /policies', { body: draft('before') });
  const pragma = (text: string): Promise<unknown> =>
    service.store.write((transaction) => sql.raw(`pragma ${text}`).execute(transaction));
  const { rows } = await service.store.read.executeQuery<{ page_count: number }>(
    sql`pragma page_count`.compile(service.store.read),
  );
  const size = rows[0]?.page_count ?? 0;

  await pragma(`max_page_count = ${size}`);
  let full: ServiceError | null = null;
  for (let i = 0; i < 500 && full === null; i += 1) {
    const allowedRegistries = Array.from({ length: 100 }, (_, n) => `registry-${n}.example.com/${i}`);
    const body = { ...draft(`full-${i}`), spec: { allowedRegistries } };
    full = await administrator.json('POST /policies', { body }).then(
      () => null,
      (error: unknown) => error as ServiceError,
    );
  }
  assert.equal(full?.status, 503);
  assert.equal(full?.code, 'unavailable');
  assert.match(full?.message ?? '', /full/);
  assert.ok((full?.retryAfter ?? 0) > 0);
  assert.equal(
    (await administrator.json<{ name: string }>('GET /policies/{name}', { params: { name: 'before' } }))
      .status,
    200,
  );
  await pragma('max_page_count = 1073741823');
  await administrator.json('POST /policies', { body: draft('after-full') });

  await pragma('query_only = on');
  const readOnly = await refusal(administrator.json('POST /policies', { body: draft('read-only') }));
  assert.deepEqual([readOnly.status, readOnly.code], [503, 'unavailable']);
  assert.match(readOnly.message, /read-only/);
  assert.equal((await fetch(`${url}/readyz`)).status, 200, 'reads are answered');
  await service.close(0);
  assert.match(
    log.join(''),
    /"job":"checkpoint".*is read-only.*"message":"job failed; it is tried again"/,
    'what could not be signed is said',
  );
});

forEachEngine('a service whose database goes away', (engine) => {
  if (engine.name === 'sqlite') return;

  test('answers 503 with Retry-After, is not ready, keeps rows in the spool, and recovers by itself', async (t) => {
    const way = await cutOff(t, await engine.migrated());
    const { service, as, url, log } = await startRunning(t, { env: { IPO_DATABASE_URL: way.url } });
    const viewer = as('viewer');
    await viewer.json('GET /policies');
    assert.equal((await fetch(`${url}/readyz`)).status, 200);

    way.cut();
    const gone = await refusal(viewer.json('GET /policies'));
    assert.deepEqual([gone.status, gone.code], [503, 'unavailable']);
    assert.ok((gone.retryAfter ?? 0) > 0);
    const ready = await fetch(`${url}/readyz`);
    assert.equal(ready.status, 503);
    assert.match(await ready.text(), /the database does not answer/);
    assert.equal((await fetch(`${url}/healthz`)).status, 200, 'the process lives');
    assert.match(await (await fetch(`${url}/metrics`)).text(), /^svc_database_up 0$/m);
    const spooled = await service.append.append(oneRow('6f7b8c1e-0000-4000-8000-00000000000a'));
    assert.equal(spooled.delayed, true);

    way.restore();
    assert.equal((await viewer.json('GET /policies')).status, 200);
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    await service.close();
    assert.doesNotMatch(log.join(''), /uncaught|nothing caught/);
  });

  test('is not ready while nothing comes through', async (t) => {
    const way = await cutOff(t, await engine.migrated());
    const { url } = await startRunning(t, { env: { IPO_DATABASE_URL: way.url } });
    way.stall();
    const ready = await fetch(`${url}/readyz`);
    assert.equal(ready.status, 503);
    way.restore();
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
  });
});
