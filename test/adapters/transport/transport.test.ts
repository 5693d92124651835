import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { eachOf, openRedactor, toFetch, TooLong } from '../../../src/adapters/transport/index.ts';
import { Secret } from '../../../src/base/index.ts';
import { TrackerError } from '../../../src/trackers/index.ts';
import { CANARY, startLoopback, toTransport } from './loopback.ts';

const MIB = 1_048_576;

test('a call carries the credential, our own headers and its body, once, on a connection of its own', async (t) => {
  const server = await startLoopback(t, (_seen, response) => response.writeHead(201).end('{"id":1}'));
  const transport = toTransport(`${server.url}/api/v4`);
  const answer = await transport.send({
    method: 'POST',
    url: `${server.url}/api/v4/projects/a%2Fb/issues?x=%20y`,
    headers: { 'content-type': 'application/json', 'user-agent': 'a library' },
    body: '{"title":"ü"}',
  });
  assert.equal(answer.status, 201);
  const [seen] = server.seen;
  assert.equal(seen?.url, '/api/v4/projects/a%2Fb/issues?x=%20y');
  assert.equal(seen?.headers.authorization, `Bearer ${CANARY}`);
  assert.equal(seen?.headers['user-agent'], 'ipo/test');
  assert.equal(seen?.headers.connection, 'close');
  assert.equal(seen?.body, '{"title":"ü"}');
  assert.deepEqual([server.seen.length, server.connections()], [1, 1]);
});

test('an address outside the base of the channel is never called', async (t) => {
  const server = await startLoopback(t, (_seen, response) => response.end('{}'));
  const transport = toTransport(`${server.url}/api/v4`);
  const outside = [
    `${server.url}/other`,
    `${server.url}/api/v4/../../other`,
    `${server.url}/api/v4/%2e%2e/%2e%2e/other`,
    `${server.url}/api/v44/x`,
    `http://user@127.0.0.1:${server.port}/api/v4/x`,
    'http://127.0.0.1:1/api/v4/x',
    'https://good.example/api/v4/x',
    '//good.example/api/v4/x',
    '/other',
    'file:///api/v4/x',
  ];
  for (const url of outside)
    await assert.rejects(
      transport.send({ method: 'GET', url }),
      (error) => error instanceof TrackerError && error.fault === 'address' && error.happened === 'no',
      url,
    );
  assert.equal(server.connections(), 0);
});

test('packed answers are unpacked, and one that is packed in an unknown way is not read', async (t) => {
  const packed: Readonly<Record<string, Buffer>> = {
    gzip: gzipSync('{"a":1}'),
    deflate: deflateSync('{"a":1}'),
    br: brotliCompressSync('{"a":1}'),
    identity: Buffer.from('{"a":1}'),
  };
  const server = await startLoopback(t, ({ url }, response) => {
    const encoding = url.slice(1);
    response.writeHead(200, { 'content-encoding': encoding });
    response.end((Object.hasOwn(packed, encoding) ? packed[encoding] : undefined) ?? gzipSync('{"a":1}'));
  });
  const transport = toTransport(server.url);
  for (const encoding of Object.keys(packed)) {
    const { text } = await transport.send({ method: 'GET', url: `${server.url}/${encoding}` });
    assert.equal(text, '{"a":1}');
  }
  for (const encoding of ['zstd', 'gzip,gzip', '__proto__'])
    await assert.rejects(
      transport.send({ method: 'POST', url: `${server.url}/${encoding}` }),
      (error) =>
        error instanceof TrackerError && error.fault === 'unreadable' && error.happened === 'unknown',
    );
});

test('an answer of more than 1 MiB is not read, nor one that unpacks to more', async (t) => {
  const bombs: Readonly<Record<string, [Buffer, Record<string, string>]>> = {
    '/plain': [Buffer.alloc(MIB + 1, 97), {}],
    '/gzip': [gzipSync(Buffer.alloc(256 * MIB, 97)), { 'content-encoding': 'gzip' }],
    '/br': [brotliCompressSync(Buffer.alloc(64 * MIB, 97)), { 'content-encoding': 'br' }],
  };
  const server = await startLoopback(t, ({ url }, response) => {
    if (url === '/whole') response.end(Buffer.alloc(MIB, 97));
    else if (url === '/endless') {
      response.writeHead(200);
      const more = (): void => {
        while (response.write(Buffer.alloc(65_536, 97)));
        response.once('drain', more);
      };
      more();
    } else {
      const [bytes, headers] = bombs[url] ?? [Buffer.alloc(0), {}];
      response.writeHead(200, headers);
      response.end(bytes);
    }
  });
  const transport = toTransport(server.url);
  assert.equal((await transport.send({ method: 'GET', url: `${server.url}/whole` })).text.length, MIB);
  for (const path of [...Object.keys(bombs), '/endless'])
    await assert.rejects(transport.send({ method: 'GET', url: `${server.url}${path}` }), TooLong, path);
});

test('a refusal whose body is endless is still that refusal', async (t) => {
  const server = await startLoopback(t, (_seen, response) => {
    response.writeHead(404);
    response.end(Buffer.alloc(3 * MIB, 97));
  });
  await assert.rejects(
    toTransport(server.url).send({ method: 'POST', url: `${server.url}/x` }),
    (error) => error instanceof TrackerError && error.fault === 'not_found' && error.happened === 'no',
  );
});

test('no redirect is followed, and the error says where to, without its query', async (t) => {
  const other = await startLoopback(t, (_seen, response) => response.end('{}'));
  const server = await startLoopback(t, ({ url }, response) => {
    response.writeHead(301, {
      location: url === '/there' ? `${other.url}/new?private_token=x#y` : '/here?x',
    });
    response.end();
  });
  const transport = toTransport(server.url);
  await assert.rejects(transport.send({ method: 'POST', url: `${server.url}/there` }), (error) => {
    assert.ok(error instanceof TrackerError);
    assert.match(error.message, new RegExp(`channel moved to ${other.url}/new \\(`));
    assert.doesNotMatch(error.message, /private_token|#y/);
    return true;
  });
  await assert.rejects(transport.send({ method: 'POST', url: `${server.url}/here` }), /moved to \/here \(/);
  assert.deepEqual([server.seen.length, other.connections()], [2, 0]);
});

test('a write is held back before its first byte when the guard says so, also while the connection is made', async (t) => {
  const server = await startLoopback(t, (_seen, response) => response.end('{}'));
  for (const answers of [[false], [true, false]]) {
    const left = [...answers];
    const transport = toTransport(server.url, { guard: () => left.shift() ?? false });
    await assert.rejects(
      transport.send({ method: 'POST', url: `${server.url}/x`, body: '{}' }),
      (error) => error instanceof TrackerError && error.fault === 'stopped' && error.happened === 'no',
    );
    assert.equal((await transport.send({ method: 'GET', url: `${server.url}/x` })).text, '{}');
  }
  assert.deepEqual(
    server.seen.map(({ method }) => method),
    ['GET', 'GET'],
  );
});

test('nothing of a credential shows in an error, however the tracker sends it back', async (t) => {
  const coats = [
    CANARY,
    encodeURIComponent(CANARY),
    Buffer.from(CANARY).toString('base64'),
    Buffer.from(CANARY).toString('hex'),
    Buffer.from(CANARY).toString('base64url'),
    JSON.stringify(CANARY),
    `Bearer ${CANARY}`,
    Buffer.from(`Bearer ${CANARY}`).toString('base64'),
  ];
  const server = await startLoopback(t, ({ url }, response) => {
    response.writeHead(url === '/moved' ? 302 : 400, {
      location: `http://x.example/${encodeURIComponent(CANARY)}`,
    });
    response.end(coats.join(' '));
  });
  const transport = toTransport(server.url);
  await assert.rejects(transport.send({ method: 'POST', url: `${server.url}/x`, body: '{}' }), (error) => {
    assert.ok(error instanceof Error);
    for (const shown of [
      error.message,
      JSON.stringify(error),
      inspect(error, { depth: 20, showHidden: true }),
    ])
      for (const coat of coats) assert.ok(!shown.includes(coat), shown);
    assert.doesNotMatch(error.message, /canary/);
    return true;
  });
  await assert.rejects(transport.send({ method: 'GET', url: `${server.url}/moved` }), (error) => {
    assert.doesNotMatch(String(error), /canary/);
    return true;
  });
  await assert.rejects(
    toTransport('http://127.0.0.1:1').send({ method: 'GET', url: 'http://127.0.0.1:1/x' }),
    (error) => {
      assert.doesNotMatch(inspect(error, { depth: 20, showHidden: true }), /canary/);
      return true;
    },
  );
});

test('a credential that does not fit a header is sent nowhere, and does not show', async (t) => {
  const server = await startLoopback(t, (_seen, response) => response.end('{}'));
  for (const value of [`${CANARY}\r\nx-other: 1`, `${CANARY}\n`, `${CANARY}\0`, `${CANARY}\u20ac`]) {
    const credential = { authorization: new Secret(value) };
    const call = toTransport(server.url, { credential }).send({
      method: 'POST',
      url: `${server.url}/x`,
      body: '{}',
    });
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof TrackerError && error.happened === 'no', String(error));
      assert.doesNotMatch(inspect(error, { depth: 20, showHidden: true }), /canary/);
      return true;
    });
  }
  assert.equal(server.seen.length, 0);
});

test('what looks like a credential of a provider is taken out, whosever it is', () => {
  const redact = openRedactor([new Secret('')]);
  for (const text of [
    'ghp_0123456789abcdefABCDEF0123456789abcd',
    'github_pat_11ABCDEFG0abcdefghijkl_x',
    'glpat-abcdefghij0123456789',
    'ATATT3xFfGF0abcdefghijklmnop',
    'Authorization: Basic YWxhZGRpbjpvcGVuc2VzYW1l',
  ])
    assert.match(redact(`bad ${text} end`), /\[redacted\].*end/);
  assert.equal(redact('CVE-2026-1234 in ghcr.io/acme/shop'), 'CVE-2026-1234 in ghcr.io/acme/shop');
});

test('what a tracker says comes on one line, printable and short', async (t) => {
  const server = await startLoopback(t, ({ url }, response) => {
    response.writeHead(400);
    response.end(
      url === '/page' ? '<!doctype html><h1>Sign in</h1>' : `\u001b[31mred\r\n\u202e${'x'.repeat(5000)}`,
    );
  });
  const transport = toTransport(server.url);
  await assert.rejects(transport.send({ method: 'GET', url: `${server.url}/x` }), (error) => {
    assert.ok(error instanceof Error && error.message.length < 400);
    assert.doesNotMatch(error.message, /[\p{Cc}\u202e]/u);
    return true;
  });
  await assert.rejects(
    transport.send({ method: 'GET', url: `${server.url}/page` }),
    /answers 400 Bad Request$/,
  );
});

test('as fetch it makes the calls of a channel and no others', async (t) => {
  const server = await startLoopback(t, (_seen, response) =>
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}'),
  );
  const fetch = toFetch(toTransport(server.url));
  assert.deepEqual(await (await fetch(`${server.url}/x`)).json(), {});
  await assert.rejects(fetch(`${server.url}/x`, { method: 'DELETE' }), TrackerError);
  assert.equal(server.seen.length, 1);
});

test('a list is read to its end, in smaller pages where one is too long, without a gap or a repetition', async () => {
  const all = Array.from({ length: 47 }, (_, at) => at);
  const asked: string[] = [];
  const found = [];
  for await (const item of eachOf([10, 5, 1], async (size, page) => {
    asked.push(`${size}/${page}`);
    const items = all.slice((page - 1) * size, page * size);
    if (size > 1 && items.includes(23)) throw new TooLong('unreadable', 'long', { happened: 'no' });
    return items;
  }))
    found.push(item);
  assert.deepEqual(found, all);
  assert.deepEqual(asked.slice(0, 5), ['10/1', '10/2', '10/3', '5/5', '1/21']);
  await assert.rejects(async () => {
    for await (const _ of eachOf([2, 1], async () => [1, 2]));
  }, TrackerError);
});
