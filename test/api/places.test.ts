import assert from 'node:assert/strict';
import { request } from 'node:http';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { z } from 'zod';
import { route, type Apart, type ApartCall, type Route } from '../../src/api/index.ts';
import { Places } from '../../src/api/places.ts';
import { startApi, type Started } from './service.ts';

const LIMITS = { perAccount: 2, exports: 1, all: 4, bytes: 1000 };

test('an account has so many places, and a place is free once all who held it have left', () => {
  const places = new Places(LIMITS);
  const first = places.enter('read', 'a', 0);
  places.enter('read', 'a', 0);
  assert.throws(() => places.enter('read', 'a', 0), { code: 'rate_limited', retryAfter: 2 });
  places.enter('read', 'b', 0);
  places.enter('export', 'a', 0);
  assert.throws(() => places.enter('export', 'a', 0), { code: 'rate_limited' });
  assert.throws(() => places.enter('read', 'c', 0), { code: 'unavailable' }, 'all of them are taken');
  first.hold();
  first.leave();
  assert.throws(() => places.enter('read', 'a', 0), { code: 'rate_limited' }, 'the work goes on');
  first.leave();
  places.enter('read', 'a', 0);
});

test('bodies of imports are bounded together, and one is always taken', () => {
  const places = new Places(LIMITS);
  const large = places.enter('import', 'a', 5000);
  assert.throws(() => places.enter('import', 'b', 1), { code: 'unavailable', retryAfter: 2 });
  large.leave();
  places.enter('import', 'a', 600);
  places.enter('import', 'b', 400);
  assert.throws(() => places.enter('import', 'c', 1), { code: 'unavailable' });
});

const ROUTES: Route[] = [
  route({
    key: 'GET /images',
    id: 'list',
    tag: 'images',
    summary: 'List',
    query: z.strictObject({ limit: z.coerce.number().optional() }),
    work: 'read',
    answers: { 200: { description: 'The list', schema: z.object({ here: z.boolean() }) } },
    handle: () => ({ body: { here: true } }),
  }),
  route({
    key: 'POST /scans',
    id: 'import',
    tag: 'scans',
    summary: 'Import',
    body: z.strictObject({ a: z.number() }),
    work: 'import',
    answers: { 200: { description: 'Done', schema: z.object({ here: z.boolean() }) } },
    handle: () => ({ body: { here: true } }),
  }),
];

/** A server whose costly calls wait until the test lets them go. */
async function started(t: TestContext): Promise<Started & { calls: ApartCall[]; go: () => void }> {
  const calls: ApartCall[] = [];
  const going = Promise.withResolvers<void>();
  const apart: Apart = {
    run: async (_work, _account, call) => {
      calls.push(call);
      await going.promise;
      return { type: 'application/json', body: Buffer.from('{"here":false}') };
    },
  };
  t.after(() => going.resolve());
  return { ...(await startApi(t, ROUTES, { apart, places: LIMITS })), calls, go: () => going.resolve() };
}

test('one account is turned away beyond its places with 429 and Retry-After, another is answered', async (t) => {
  const { as, calls, go } = await started(t);
  const own = [as('viewer').json('GET /images'), as('viewer').json('GET /images', { query: { limit: 3 } })];
  while (calls.length < 2) await new Promise(setImmediate);
  await assert.rejects(as('viewer').json('GET /images'), { code: 'rate_limited', retryAfter: 2 });
  const other = as('deployer').json('GET /images');
  go();
  assert.deepEqual(
    (await Promise.all([...own, other])).map(({ body }) => body),
    Array.from({ length: 3 }, () => ({ here: false })),
    'they were answered apart',
  );
  assert.deepEqual(
    calls.map(({ query }) => query),
    [{}, { limit: 3 }, {}],
  );
  await as('viewer').json('GET /images');
});

test('a call keeps its place after its client left, as long as the work goes on', async (t) => {
  const { as, calls, url, go } = await started(t);
  for (let i = 0; i < 2; i += 1) {
    const left = request(`${url}/api/v1/images`, { headers: { authorization: 'Bearer viewer-token' } });
    left.on('error', () => {}).end();
    while (calls.length < i + 1) await new Promise(setImmediate);
    left.destroy();
    await new Promise((closed) => left.once('close', closed));
  }
  await assert.rejects(as('viewer').json('GET /images'), { code: 'rate_limited' });
  go();
  for (;;) {
    const again = await as('viewer')
      .json('GET /images')
      .catch(() => null);
    if (again !== null) break;
  }
});

test('a body beyond the places is refused before it is read, and one within is handed on unread', async (t) => {
  const { as, calls, url, go } = await started(t);
  const headers = { authorization: 'Bearer deployer-token', 'content-type': 'application/json' };
  const first = as('deployer').json('POST /scans', { body: { a: 'not a number' } });
  while (calls.length < 1) await new Promise(setImmediate);
  assert.equal(Buffer.concat(calls[0]?.body ?? []).toString(), '{"a":"not a number"}');
  const refused = request(`${url}/api/v1/scans`, {
    method: 'POST',
    headers: { ...headers, 'content-length': 50_000_000 },
  });
  refused.on('error', () => {}).flushHeaders();
  const [answer] = (await once(refused, 'response')) as [{ statusCode: number; headers: object }];
  assert.equal(answer.statusCode, 503, 'other bodies are under way');
  refused.destroy();
  go();
  await first;
});
