import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { z } from 'zod';
import type { RouteKey } from '../../src/accounts/index.ts';
import { openApi, route } from '../../src/api/index.ts';
import { keptLog, signIn, startApi } from './service.ts';

const show = route({
  key: 'GET /policies/{name}',
  id: 'showPolicy',
  tag: 'policies',
  summary: 'Show a policy',
  params: z.strictObject({ name: z.string() }),
  query: z.strictObject({ limit: z.string().optional() }),
  answers: { 200: { description: 'The policy' } },
  handle: ({ params, principal, path }) => ({ body: { name: params.name, by: principal?.role, path } }),
});
const create = route({
  key: 'POST /policies',
  id: 'createPolicy',
  tag: 'policies',
  summary: 'Create a policy',
  body: z.strictObject({ name: z.string() }),
  answers: { 201: { description: 'The policy' } },
  handle: ({ body }) => ({ status: 201, body, headers: { ETag: '"1"' } }),
});

test('a call reaches its route with what its schemas let through', async (t) => {
  const { as } = await startApi(t, [show, create]);
  const shown = await as('viewer').json('GET /policies/{name}', { params: { name: 'a b/c' } });
  assert.deepEqual(shown.body, { name: 'a b/c', by: 'viewer', path: 'GET /api/v1/policies/a%20b%2Fc' });
  const created = await as('administrator').json('POST /policies', { body: { name: 'x' } });
  assert.equal(created.status, 201);
  assert.equal(created.headers['etag'], '"1"');
});

test('what a schema refuses is told by its path', async (t) => {
  const { as } = await startApi(t, [show, create]);
  await assert.rejects(as('administrator').json('POST /policies', { body: { naem: 'x' } }), {
    code: 'invalid_request',
    status: 400,
  });
  await assert.rejects(
    as('viewer').json('GET /policies/{name}', { params: { name: 'x' }, query: { limits: 1 } }),
    { code: 'invalid_request', message: 'unknown parameter "limits"; did you mean "limit"?' },
  );
});

test('nobody, and somebody of a lesser role, are refused', async (t) => {
  const { as } = await startApi(t, [show, create]);
  await assert.rejects(as('anonymous').json('POST /policies', { body: {} }), {
    code: 'unauthenticated',
    status: 401,
  });
  await assert.rejects(as('disabled').json('POST /policies', { body: {} }), {
    code: 'unauthenticated',
    status: 401,
  });
  await assert.rejects(as('viewer').json('POST /policies', { body: {} }), { code: 'forbidden', status: 403 });
});

test('a stream goes out as fast as it is read, and ends when its reader leaves', async (t) => {
  let given = 0;
  const [aborted, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const exported = route({
    key: 'GET /ledger/export',
    id: 'exportLedger',
    tag: 'ledger',
    summary: 'Export',
    answers: { 200: { description: 'Lines', type: 'application/x-ndjson' } },
    handle: ({ signal }) => {
      signal.addEventListener('abort', () => aborted.resolve());
      const stream = new Readable({
        read() {
          given += 1;
          this.push(Buffer.alloc(65_536, 0x61));
        },
      });
      stream.on('close', () => closed.resolve());
      return { stream, type: 'application/x-ndjson' };
    },
  });
  const { as } = await startApi(t, [exported]);
  const { body, headers } = await as('viewer').stream('GET /ledger/export');
  assert.equal(headers['content-type'], 'application/x-ndjson');
  let read = 0;
  for await (const chunk of body) {
    read += chunk.length;
    if (read > 1_000_000) break;
  }
  await Promise.all([aborted.promise, closed.promise]);
  assert.ok(given * 65_536 < 40_000_000, 'what nobody reads is not made');
});

test('the address of a client is the one that a trusted proxy says, and no other', async (t) => {
  const seen: string[] = [];
  const whose = route({
    key: 'GET /system/health',
    id: 'showHealth',
    tag: 'system',
    summary: 'Health',
    answers: { 204: { description: 'Nothing' } },
    handle: ({ address }) => {
      seen.push(address);
      return { status: 204 };
    },
  });
  const headers = { authorization: 'Bearer viewer-token', 'x-forwarded-for': '203.0.113.9, 198.51.100.7' };
  for (const trustedProxies of [[], ['10.0.0.0/8'], ['127.0.0.1'], ['127.0.0.0/8', '198.51.100.0/24']]) {
    const { url } = await startApi(t, [whose], { trustedProxies });
    await fetch(`${url}/api/v1/system/health`, { headers });
  }
  assert.deepEqual(seen, ['via 127.0.0.1', '127.0.0.1', '198.51.100.7', '203.0.113.9']);
});

test('a route that the table of access does not have cannot be served', () => {
  const unheard = { ...show, key: 'GET /nothing' as RouteKey };
  assert.throws(() => openApi({ routes: [unheard], signIn, log: keptLog() }), /not in the table of access/);
  const __proto = { ...show, key: 'toString' as RouteKey };
  assert.throws(() => openApi({ routes: [__proto], signIn, log: keptLog() }), /not in the table of access/);
  assert.throws(() => openApi({ routes: [show, show], signIn, log: keptLog() }), /already declared/);
});
