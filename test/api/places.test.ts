import assert from 'node:assert/strict';
import { request } from 'node:http';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { z } from 'zod';
import { route, type Apart, type ApartCall, type Route } from '../../src/api/index.ts';
import { Places } from '../../src/api/places.ts';
import { startApi, type Started } from './service.ts';

const LIMITS = { perAccount: 2, exports: 1, all: 4, bytes: 1000, wait: 20, waiting: 8 };
const { signal } = new AbortController();

test('an account has so many places, and a place is free once all who held it have left', async () => {
  const places = new Places(LIMITS);
  const first = await places.enter('read', 'a', 0, signal);
  await places.enter('read', 'a', 0, signal);
  await assert.rejects(places.enter('read', 'a', 0, signal), { code: 'rate_limited', retryAfter: 2 });
  await places.enter('read', 'b', 0, signal);
  await places.enter('export', 'a', 0, signal);
  await assert.rejects(places.enter('export', 'a', 0, signal), { code: 'rate_limited' });
  await assert.rejects(places.enter('read', 'c', 0, signal), { code: 'unavailable' }, 'all are taken');
  first.hold();
  first.leave();
  await assert.rejects(places.enter('read', 'a', 0, signal), { code: 'rate_limited' }, 'the work goes on');
  first.leave();
  await places.enter('read', 'a', 0, signal);
});

test('bodies of imports are bounded together, and one is always taken', async () => {
  const places = new Places(LIMITS);
  const large = await places.enter('import', 'a', 5000, signal);
  await assert.rejects(places.enter('import', 'b', 1, signal), { code: 'unavailable', retryAfter: 2 });
  large.leave();
  await places.enter('import', 'a', 600, signal);
  await places.enter('import', 'b', 400, signal);
  await assert.rejects(places.enter('import', 'c', 1, signal), { code: 'unavailable' });
});

test('who waits for a place gets the next one, before who asks after it, accounts in turn', async () => {
  const places = new Places({ ...LIMITS, wait: 60_000 });
  const held = await Promise.all(['a', 'a', 'b', 'b'].map((by) => places.enter('read', by, 0, signal)));
  const served: string[] = [];
  const asking = ['a1', 'a2', 'a3', 'b1', 'b2'].map(async (name) => {
    const place = await places.enter('read', name.slice(0, 1), 0, signal);
    served.push(name);
    return place;
  });
  for (const place of held) {
    place.leave();
    await new Promise(setImmediate);
  }
  assert.deepEqual(served, ['a1', 'a2', 'b1', 'b2'], 'each has as many as it may');
  (await asking[0])?.leave();
  const late = places.enter('read', 'a', 0, signal).then(() => served.push('late'));
  (await asking[2])?.leave();
  (await asking[1])?.leave();
  await late;
  assert.deepEqual(served.slice(4), ['a3', 'late']);
});

test('a call whose client left waits no more, and beyond those that may wait it is turned away at once', async () => {
  const places = new Places({ ...LIMITS, wait: 60_000, waiting: 2 });
  const [first] = await Promise.all([1, 2].map(() => places.enter('read', 'a', 0, signal)));
  const leaving = new AbortController();
  const left = places.enter('read', 'a', 0, leaving.signal);
  const next = places.enter('read', 'a', 0, signal);
  await assert.rejects(places.enter('read', 'a', 0, signal), { code: 'rate_limited' });
  leaving.abort(new Error('gone'));
  await assert.rejects(left, { message: 'gone' });
  first?.leave();
  await next;
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
