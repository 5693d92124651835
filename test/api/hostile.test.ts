import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { route } from '../../src/api/index.ts';
import { problemSchema } from '../../src/api/contract/problem.ts';
import { IpoError } from '../../src/base/index.ts';
import { validated } from '../../src/api/validate.ts';
import { principal, signIn, startApi, type Started } from './service.ts';

const create = route({
  key: 'POST /policies',
  id: 'createPolicy',
  tag: 'policies',
  summary: 'Create a policy',
  body: z.strictObject({ name: z.string().optional(), list: z.array(z.unknown()).optional() }),
  answers: { 200: { description: 'What came' } },
  handle: ({ body }) => ({ body: { got: body } }),
});
const show = route({
  key: 'GET /policies/{name}',
  id: 'showPolicy',
  tag: 'policies',
  summary: 'Show a policy',
  params: z.strictObject({ name: z.string() }),
  query: z.strictObject({ limit: z.string().optional() }),
  answers: { 200: { description: 'The policy' } },
  handle: ({ params: { name } }) => {
    if (name === 'defect') throw new TypeError('secret detail of a defect');
    if (name === 'busy') throw new IpoError('unavailable', 'the database is gone', { retryAfter: 2.2 });
    if (name === 'string') throw 'a text';
    return { body: { name } };
  },
});

/** Sends bytes as they are and gives everything that came back until the other side ended. */
function exchange({ url }: Started, ...parts: (string | Buffer)[]): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    let got = '';
    const socket: Socket = connect(Number(port), '127.0.0.1', () => {
      for (const part of parts) socket.write(part);
    });
    socket.on('data', (bytes) => (got += bytes.toString('latin1')));
    socket.on('close', () => resolve(got));
    socket.on('error', reject);
  });
}

const head = (lines: readonly string[]): string =>
  [...lines, 'Host: x', 'Connection: close', 'Authorization: Bearer administrator-token', '', ''].join(
    '\r\n',
  );

function problemOf(answer: string): z.infer<typeof problemSchema> {
  assert.match(answer, /^content-type: application\/problem\+json\r$/im);
  const problem = problemSchema
    .partial({ request_id: true })
    .parse(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)));
  assert.doesNotMatch(JSON.stringify(problem), /\.ts\b|node_modules|at [A-Za-z]+ \(/);
  return problem as z.infer<typeof problemSchema>;
}

/** Every header that keeps a browser from running, framing or guessing what we send. */
function holdHeaders(answer: string): void {
  for (const header of [
    /^content-security-policy: default-src 'none';/im,
    /^x-content-type-options: nosniff\r$/im,
    /^x-frame-options: DENY\r$/im,
    /^cache-control: no-store\r$/im,
  ])
    assert.match(answer, header);
}

const BODIES: readonly (readonly [name: string, body: string | Buffer, detail: RegExp])[] = [
  ['cut off', '{"name":', /is not valid JSON/],
  ['empty', '', /needs a body/],
  ['a list', '[]', /./],
  ['null', 'null', /./],
  ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), /not UTF-8/],
  ['101 deep', `{"list":${'['.repeat(100)}${']'.repeat(100)}}`, /deeper than 100 levels/],
  ['500,000 deep', '['.repeat(500_000), /deeper than 100 levels/],
  ['a field twice', '{"name":"a","name":"b"}', /"name" twice/],
  ['a field twice by an escape', '{"name":"a","n\\u0061me":"b"}', /"name" twice/],
  ['a field twice within', '{"list":[{"a":1,"a":2}]}', /"a" twice/],
  ['a prototype', '{"__proto__":{"x":1}}', /__proto__/],
  ['a prototype by an escape', '{"\\u005f_proto__":1}', /__proto__/],
  ['an unknown field', '{"naem":"a"}', /unknown field "naem"; did you mean "name"\?/],
  ['a wrong type', '{"name":7}', /name: /],
];

test('a wrong body of a call is refused with a sentence, whatever it is', async (t) => {
  const started = await startApi(t, [create]);
  for (const [name, body, detail] of BODIES) {
    const answer = await exchange(
      started,
      head([
        'POST /api/v1/policies HTTP/1.1',
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
      ]),
      body,
    );
    assert.match(answer, /^HTTP\/1\.1 400 /, name);
    const problem = problemOf(answer);
    assert.match(problem.detail, detail, name);
    assert.equal(problem.code, 'invalid_request', name);
    holdHeaders(answer);
  }
  const deep = `{"list":${'['.repeat(99)}${']'.repeat(99)}}`;
  const answer = await started.api.inject({
    method: 'POST',
    url: '/api/v1/policies',
    headers: { authorization: 'Bearer administrator-token', 'content-type': 'application/json' },
    payload: deep,
  });
  assert.equal(answer.statusCode, 200, 'exactly as deep as allowed');
});

test('a body that is too large, or of another type, is told from a wrong one', async (t) => {
  const started = await startApi(t, [create]);
  const declared = await exchange(
    started,
    head(['POST /api/v1/policies HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 99999999999']),
  );
  assert.match(declared, /^HTTP\/1\.1 413 /);
  assert.equal(problemOf(declared).code, 'too_large');
  const chunk = `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`;
  const chunked = await exchange(
    started,
    head(['POST /api/v1/policies HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked']),
    chunk.repeat(17),
  ).catch((error: NodeJS.ErrnoException) => error.code ?? '');
  assert.match(chunked, /^HTTP\/1\.1 413 |^ECONNRESET$|^EPIPE$/);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense']) {
    const other = await exchange(
      started,
      head(['POST /api/v1/policies HTTP/1.1', `Content-Type: ${type}`, 'Content-Length: 2']),
      '{}',
    );
    assert.match(other, /^HTTP\/1\.1 415 /, type);
    assert.match(other, /^accept: application\/json\r$/im);
    problemOf(other);
  }
});

test('of countless faults no more are worded than an answer tells', () => {
  const countless = Array.from({ length: 5000 }, (_, i) => [`field${i}`, 1] as const);
  const list = z.strictObject({ list: z.array(z.string()).optional() });
  const wrong: readonly (readonly ['body' | 'query', z.ZodType | undefined, unknown])[] = [
    ['body', create.body, Object.fromEntries(countless)],
    ['body', list, { list: countless.map(() => 1) }],
    ['query', undefined, Object.fromEntries(countless)],
  ];
  for (const [part, schema, value] of wrong) {
    assert.throws(
      () => validated(part, schema, value),
      (error: unknown) => error instanceof IpoError && error.fields?.length === 100,
    );
  }
});

test('an account that is disabled while its body arrives does nothing with it', async (t) => {
  let enabled = true;
  const asked: string[] = [];
  let heard = (): void => {};
  const started = await startApi(t, [create], {
    signIn: {
      ...signIn,
      principalOf: async (secret) => {
        asked.push(secret);
        heard();
        return enabled ? principal('administrator') : null;
      },
    },
  });
  const { port } = new URL(started.url);
  const socket = connect(Number(port), '127.0.0.1');
  let got = '';
  socket.on('data', (bytes) => (got += bytes.toString('latin1')));
  const ended = new Promise((resolve) => socket.on('close', resolve));
  const admitted = new Promise<void>((resolve) => (heard = resolve));
  socket.write(
    head(['POST /api/v1/policies HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 12']),
  );
  await admitted;
  enabled = false;
  socket.write('{"name":"a"}');
  await ended;
  assert.match(got, /^HTTP\/1\.1 401 /);
  assert.equal(problemOf(got).code, 'unauthenticated');
  assert.equal(asked.length, 2);
});

test('paths and methods that are not there are refused as such', async (t) => {
  const started = await startApi(t, [create, show]);
  const cases: readonly (readonly [line: string, status: number, detail: RegExp])[] = [
    ['GET /api/v1/nothing HTTP/1.1', 404, /nothing at/],
    ['GET / HTTP/1.1', 404, /nothing at/],
    ['GET /api/v1/policies/%zz HTTP/1.1', 400, /path .* cannot be read/],
    ['GET /api/v1/policies/%00%0d%0aX:y HTTP/1.1', 200, /./],
    [`GET /api/v1/policies/${'a'.repeat(400)} HTTP/1.1`, 400, /cannot be read/],
    ['DELETE /api/v1/policies/x HTTP/1.1', 405, /does not take DELETE, only GET, HEAD/],
    ['OPTIONS /api/v1/policies HTTP/1.1', 405, /only POST/],
    ['PROPFIND /api/v1/policies HTTP/1.1', 405, /only POST/],
    ['GET /api/v1/policies/x?limit=1&limit=2 HTTP/1.1', 400, /given more than once/],
    ['GET /api/v1/policies/x?__proto__=1 HTTP/1.1', 400, /unknown parameter "__proto__"/],
    ['GET /api/v1/policies/x?%zz HTTP/1.1', 400, /unknown parameter/],
    ['GET /api/v1/policies/defect HTTP/1.1', 500, /a fault of its own/],
    ['GET /api/v1/policies/string HTTP/1.1', 500, /a fault of its own/],
    ['GET /api/v1/policies/busy HTTP/1.1', 503, /the database is gone/],
    ['FOO /api/v1/policies HTTP/1.1', 400, /not an HTTP request/],
    ['GET /api/v1/policies/x HTTP/9.9', 400, /not an HTTP request/],
    [`GET /api/v1/policies/x HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}`, 431, /head of the request/],
    [
      'POST /api/v1/policies HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked',
      400,
      /not an HTTP request/,
    ],
    ['GET /api/v1/policies/x HTTP/1.1\r\nAccept: text/html', 406, /answers with application\/json/],
    ['GET /api/v1/policies/x HTTP/1.1\r\nAccept: text/html, */*;q=0.1', 200, /./],
  ];
  for (const [line, status, detail] of cases) {
    const answer = await exchange(started, head([line]));
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), `${line}\n${answer.slice(0, 300)}`);
    holdHeaders(answer);
    if (status === 200) continue;
    assert.match(problemOf(answer).detail, detail, line);
  }
  const busy = await exchange(started, head(['GET /api/v1/policies/busy HTTP/1.1']));
  assert.match(busy, /^retry-after: 3\r$/im);
  assert.ok(
    started.log.lines.some(({ level, keys }) => level === 'error' && keys['error'] instanceof TypeError),
    'the log has the defect',
  );
});

test('HEAD answers as GET does, without the body', async (t) => {
  const started = await startApi(t, [show]);
  const got = await exchange(started, head(['GET /api/v1/policies/x HTTP/1.1']));
  const headed = await exchange(started, head(['HEAD /api/v1/policies/x HTTP/1.1']));
  assert.match(headed, /^HTTP\/1\.1 200 /);
  assert.equal(/content-length: (\d+)/i.exec(headed)?.[1], /content-length: (\d+)/i.exec(got)?.[1]);
  assert.ok(headed.endsWith('\r\n\r\n'));
  const nobody = await started.api.inject({ method: 'HEAD', url: '/api/v1/policies/x' });
  assert.equal(nobody.statusCode, 401);
});

test('a page of another site cannot make a browser act, and a program with a bearer can', async (t) => {
  const started = await startApi(t, [create]);
  const call = (headers: Record<string, string>): Promise<{ statusCode: number }> =>
    started.api.inject({
      method: 'POST',
      url: '/api/v1/policies',
      headers: { 'content-type': 'application/json', ...headers },
      payload: '{}',
    });
  const cookie = 'ipo=administrator-token';
  assert.equal((await call({ cookie })).statusCode, 403);
  assert.equal((await call({ cookie, 'sec-fetch-site': 'cross-site' })).statusCode, 403);
  assert.equal((await call({ cookie, 'sec-fetch-site': 'same-origin' })).statusCode, 200);
  assert.equal((await call({ authorization: 'Bearer administrator-token' })).statusCode, 200);
  assert.equal(
    (await call({ authorization: 'Bearer administrator-token', cookie: 'ipo=viewer-token' })).statusCode,
    200,
  );
  assert.equal(
    (await call({ authorization: 'Basic YTpi', cookie })).statusCode,
    401,
    'another scheme is no sign-in',
  );
  assert.equal((await call({ authorization: `Bearer ${'x'.repeat(600)}` })).statusCode, 401);
});

test('random bytes where a request should be never end the server', async (t) => {
  const started = await startApi(t, [create, show]);
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
      const answer = await exchange(
        started,
        Buffer.concat([Buffer.from(bytes), Buffer.from('\r\n\r\n\r\n')]),
      ).catch(() => '');
      if (answer !== '') assert.match(answer, /^HTTP\/1\.1 4\d\d /);
    }),
    { numRuns: 60 },
  );
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 6 }), fc.integer({ min: 0, max: 20 }), async (json, cut) => {
      const payload = json.slice(0, Math.max(1, json.length - cut));
      const answer = await started.api.inject({
        method: 'POST',
        url: '/api/v1/policies',
        headers: { authorization: 'Bearer administrator-token', 'content-type': 'application/json' },
        payload,
      });
      assert.ok([200, 400].includes(answer.statusCode), payload);
    }),
    { numRuns: 300 },
  );
  const alive = await exchange(started, head(['GET /api/v1/policies/x HTTP/1.1']));
  assert.match(alive, /^HTTP\/1\.1 200 /);
});

test('a body that does not come to its end is cut off in time', async (t) => {
  const started = await startApi(t, [create], {
    limits: { requestTimeout: 60, headersTimeout: 50, checkingInterval: 20 },
  });
  const answer = await exchange(
    started,
    head(['POST /api/v1/policies HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 20']),
    '{"name":',
  );
  assert.match(answer, /^HTTP\/1\.1 408 /);
  problemOf(answer);
});

test('a head that does not come to its end is cut off in time', async (t) => {
  const started = await startApi(t, [show], { limits: { headersTimeout: 50, checkingInterval: 20 } });
  const answer = await exchange(started, 'GET /api/v1/policies/x HTTP/1.1\r\nHost: x\r\n');
  assert.match(answer, /^HTTP\/1\.1 408 /);
  problemOf(answer);
});
