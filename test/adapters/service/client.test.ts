import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer as createTcpServer } from 'node:net';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import {
  openServiceClient,
  parseServer,
  type ServiceClient,
  type ServiceOptions,
} from '../../../src/adapters/service/index.ts';
import { makeCertificate, withoutOpenssl } from '../../app/certificate.ts';
import { scratchDirectory } from '../../app/running.ts';

const TOKEN = 'canary-token';

/** A service that answers as it is told; it ends with its test. */
async function serving(
  t: TestContext,
  handle: RequestListener,
  options: Partial<Pick<ServiceOptions, 'timeoutMs' | 'wait' | 'again'>> = {},
): Promise<{ client: ServiceClient; server: string }> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  const client = openServiceClient({ server: url, token: TOKEN, ...options });
  t.after(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return { client, server: url };
}

test('addresses of services are read as people write them, and no token goes out over plain HTTP', () => {
  const good: readonly (readonly [text: string, server: string])[] = [
    ['https://ipo.example.com', 'https://ipo.example.com'],
    ['ipo.example.com', 'https://ipo.example.com'],
    ['HTTPS://IPO.example.com:8443/', 'https://ipo.example.com:8443'],
    ['https://example.com/ipo/', 'https://example.com/ipo'],
    ['https://example.com/api/v1', 'https://example.com'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://127.1:8080', 'http://127.0.0.1:8080'],
    ['http://[::1]:8080/', 'http://[::1]:8080'],
  ];
  for (const [text, server] of good) assert.equal(parseServer(text), server);
  const bad: readonly (readonly [text: string, message: RegExp])[] = [
    ['http://ipo.example.com', /plain HTTP/],
    ['http://127.0.0.1.example.com', /plain HTTP/],
    ['http://10.0.0.1', /plain HTTP/],
    ['https://user:canary@example.com', /name or password/],
    ['https://example.com/?x=1', /query/],
    ['htps://example.com', /scheme htps/],
    ['ftp://example.com', /scheme ftp/],
    ['https://', /not a valid address/],
    ['', /not a valid address/],
  ];
  for (const [text, message] of bad) {
    assert.throws(
      () => parseServer(text),
      (error: Error) => message.test(error.message) && !/canary/.test(error.message),
      text,
    );
  }
});

test('a call carries its parameters, its token and its body, each in its place', async (t) => {
  const seen: unknown[] = [];
  const { client } = await serving(t, (request, response) => {
    let body = '';
    request.on('data', (text: Buffer) => (body += text.toString()));
    request.on('end', () => {
      const { method, url, headers } = request;
      seen.push([method, url, headers.authorization, headers['if-match'], body]);
      response.setHeader('etag', '"7"').end('{"a":  1}');
    });
  });
  const answer = await client.json<{ a: number }>('PUT /policies/{name}', {
    params: { name: '../é b' },
    query: { limit: 5, left_out: undefined },
    headers: { 'if-match': '"6"' },
    body: { spec: {} },
  });
  assert.deepEqual(
    [answer.status, answer.body, answer.text, answer.headers['etag']],
    [200, { a: 1 }, '{"a":  1}', '"7"'],
  );
  await client.text('DELETE /policies/{name}', { params: { name: '..' } });
  assert.deepEqual(seen, [
    ['PUT', '/api/v1/policies/..%2F%C3%A9%20b?limit=5', `Bearer ${TOKEN}`, '"6"', '{"spec":{}}'],
    ['DELETE', '/api/v1/policies/%2E%2E', `Bearer ${TOKEN}`, undefined, ''],
  ]);
});

test('a redirect is not followed, so that the token goes nowhere else', async (t) => {
  let elsewhere = 0;
  const { server: other } = await serving(t, (_request, response) => {
    elsewhere += 1;
    response.end('{}');
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const { client } = await serving(t, (_request, response) =>
      response.writeHead(status, { location: `${other}/x` }).end(),
    );
    await assert.rejects(client.json('GET /policies'), {
      code: 'network',
      message: new RegExp(`has moved to ${other}`),
    });
  }
  assert.equal(elsewhere, 0);
});

test('a problem is thrown with its code, its hint and its time; anything else is told by its status', async (t) => {
  const problem = (body: object): string => JSON.stringify(body);
  const cases: readonly (readonly [status: number, body: string, expected: object])[] = [
    [
      400,
      problem({ code: 'unknown_source', detail: 'no policy x', hint: 'Try y' }),
      { code: 'unknown_source', message: 'no policy x', hint: 'Try y', status: 400 },
    ],
    [429, problem({ code: 'rate_limited', detail: 'slow down' }), { code: 'rate_limited', retryAfter: 7 }],
    [
      400,
      problem({
        code: 'invalid_request',
        detail: 'two faults',
        errors: [{ path: 'a', message: 'one' }, { path: 'b', message: 'two' }, 7],
      }),
      { message: 'two faults: a: one; b: two' },
    ],
    [418, problem({ code: 'of_the_future', detail: 'new' }), { code: 'server_fault', message: 'new' }],
    [502, '<html>Bad gateway</html>', { code: 'network', status: 502 }],
    [401, '', { code: 'unauthenticated' }],
    [500, problem({ code: 7, detail: {} }), { code: 'network' }],
    [503, '[]', { code: 'network' }],
  ];
  for (const [status, body, expected] of cases) {
    const { client } = await serving(
      t,
      (_request, response) =>
        response
          .writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '7' })
          .end(body),
      { again: 0 },
    );
    await assert.rejects(client.json('GET /policies'), expected, body);
  }
  const { client, server } = await serving(t, (_request, response) =>
    response.writeHead(401).end(problem({ code: 'unauthenticated', detail: 'ended' })),
  );
  await assert.rejects(client.json('GET /policies'), { hint: `Sign in with \`ipo login ${server}\`` });
});

test('what reads is made again when a service that is busy says, and what writes is not', async (t) => {
  const waited: number[] = [];
  let busy = 3;
  const { client } = await serving(
    t,
    (request, response) => {
      const code = request.url?.endsWith('/audit') === true ? 'locked_out' : 'rate_limited';
      const seconds = request.url?.endsWith('/triage') === true ? '60' : '2';
      if (busy === 0) return void response.end('{}');
      busy -= 1;
      response.writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': seconds });
      response.end(JSON.stringify({ code, detail: 'busy' }));
    },
    { wait: async (ms) => void waited.push(ms) },
  );
  await client.json('GET /ledger/rows');
  assert.deepEqual(waited, [2000, 2000, 2000]);
  busy = 1;
  await client.json('POST /scans', { body: {} });
  for (const key of ['POST /triage', 'GET /triage', 'GET /audit'] as const) {
    busy = 1;
    await assert.rejects(client.json(key, key === 'POST /triage' ? { body: {} } : {}), { status: 429 }, key);
  }
  assert.equal(waited.length, 4);
  busy = Infinity;
  await assert.rejects(client.json('GET /images'), { code: 'rate_limited', retryAfter: 2 });
  assert.equal(waited.length, 34);
});

test('an answer that cannot be used is said, and is bounded', async (t) => {
  const { client: html } = await serving(t, (_request, response) => response.end('<html>'));
  await assert.rejects(html.json('GET /policies'), {
    code: 'network',
    message: /an answer that is not JSON/,
  });
  const { client: endless } = await serving(t, (_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 0x20))) {}
    };
    response.on('drain', more);
    more();
  });
  await assert.rejects(endless.json('GET /policies', { maxBytes: 1_048_576 }), {
    code: 'network',
    message: /more than 1 MiB/,
  });
  const { client: cut } = await serving(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{');
    setImmediate(() => response.destroy());
  });
  await assert.rejects(cut.json('GET /policies'), { code: 'network', message: /cut off/ });
  const { client: bytes } = await serving(t, (_request, response) => response.end(Buffer.from([0xff, 0xfe])));
  await assert.rejects(bytes.text('GET /audit.csv'), { code: 'network', message: /UTF-8/ });
  const { client: silent } = await serving(t, () => {}, { timeoutMs: 40 });
  await assert.rejects(silent.json('GET /policies'), { code: 'network', message: /no answer in time/ });
  const { client: stopping } = await serving(t, (_request, response) => void response.write('{'), {
    timeoutMs: 40,
  });
  await assert.rejects(stopping.json('GET /policies'), { code: 'network', message: /stopped on the way/ });
  const { client: given } = await serving(t, () => {});
  const gone = new AbortController();
  const call = given.json('GET /policies', { signal: gone.signal });
  gone.abort();
  await assert.rejects(call, { code: 'network', message: /given up/ });
});

test('a stream is given as it comes, and its faults are sentences too', async (t) => {
  const { client } = await serving(t, (_request, response) => {
    response.write('one\n');
    setImmediate(() => response.end('two\n'));
  });
  let text = '';
  for await (const chunk of (await client.stream('GET /ledger/export')).body)
    text += Buffer.from(chunk).toString();
  assert.equal(text, 'one\ntwo\n');
  const { client: cut } = await serving(t, (_request, response) => {
    response.write('one\n');
    setImmediate(() => response.destroy());
  });
  const stream = await cut.stream('GET /ledger/export');
  const read = async (): Promise<void> => {
    for await (const _chunk of stream.body);
  };
  await assert.rejects(read, { code: 'network', message: /cut off/ });
});

test('what keeps from a service is told by its cause, without the token', async (t) => {
  const tcp = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const { port } = tcp.address() as { port: number };
  t.after(() => tcp.close());
  const call = async (server: string): Promise<Error & { code?: string }> => {
    const client = openServiceClient({ server, token: TOKEN });
    try {
      await client.json('GET /policies');
    } catch (error) {
      return error as Error;
    } finally {
      await client.close();
    }
    throw new Error('answered');
  };
  const faults = [
    await call(`http://127.0.0.1:${port}`),
    await call(`https://127.0.0.1:${port}`),
    await call('http://127.0.0.1:1'),
  ];
  for (const fault of faults) {
    assert.equal(fault.code, 'network');
    assert.doesNotMatch(fault.message, /canary|unknown fault|UND_ERR/);
  }
  assert.match(faults[0]?.message ?? '', /the server there does not speak HTTP$/);
  assert.match(faults[1]?.message ?? '', /the server there does not speak HTTPS$/);
  assert.match(faults[2]?.message ?? '', /nothing listens there/);
});

test('a certificate is held against the authority that is named', { skip: withoutOpenssl }, async (t) => {
  const folder = scratchDirectory(t);
  const [one, two] = [makeCertificate(folder, 'one'), makeCertificate(folder, 'two')];
  const read = (path: string): string => readFileSync(path, 'utf8');
  const server = createTlsServer({ cert: read(one.cert), key: read(one.key) }, (_request, response) =>
    response.end('{}'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const call = async (ca: string | undefined, host = '127.0.0.1'): Promise<unknown> => {
    const client = openServiceClient({ server: `https://${host}:${port}`, token: TOKEN, ca });
    try {
      return await client.json('GET /policies');
    } finally {
      await client.close();
    }
  };
  await call(read(one.cert));
  await assert.rejects(call(undefined), { code: 'network', message: /signed by itself/ });
  await assert.rejects(call(read(two.cert)), { code: 'network', message: /certificate/ });
  await assert.rejects(call(read(one.cert), 'localhost'), { code: 'network', message: /for another name/ });
});

test('a proxy is given a tunnel to the service, and never the token', { skip: withoutOpenssl }, async (t) => {
  const { cert, key } = makeCertificate(scratchDirectory(t), 'one');
  const ca = readFileSync(cert, 'utf8');
  const options = { cert: ca, key: readFileSync(key, 'utf8') };
  const server = createTlsServer(options, (_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const seen: string[] = [];
  let refuses = false;
  const proxy = createServer((_request, response) => response.writeHead(500).end());
  proxy.on('connect', (request, socket) => {
    seen.push(`${request.url} ${JSON.stringify(request.headers)}`);
    if (refuses) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const through = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    through.pipe(socket).pipe(through);
    socket.on('error', () => through.destroy());
    through.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const one of [server, proxy]) {
      one.closeAllConnections();
      one.close();
    }
  });
  const [to, by] = [server, proxy].map((one) => (one.address() as { port: number }).port);
  const call = async (except: string): Promise<unknown> => {
    const client = openServiceClient({
      server: `https://127.0.0.1:${to}`,
      token: TOKEN,
      ca,
      proxy: { url: `127.0.0.1:${by}`, except },
    });
    try {
      return await client.json('GET /policies');
    } finally {
      await client.close();
    }
  };
  await call('');
  assert.equal(seen.length, 1);
  assert.match(seen[0] ?? '', new RegExp(`^127\\.0\\.0\\.1:${to} `));
  assert.doesNotMatch(seen.join(''), /canary/);
  await call('localhost, 127.0.0.1');
  assert.equal(seen.length, 1, 'a host that is excepted is reached without it');
  refuses = true;
  await assert.rejects(call(''), { code: 'network', message: /the proxy let no tunnel through/ });
  assert.throws(
    () =>
      openServiceClient({
        server: 'https://x.example',
        token: null,
        proxy: { url: 'socks5://canary@h', except: '' },
      }),
    (error: Error & { code?: string }) => error.code === 'usage' && !/canary/.test(error.message),
  );
});
