import assert from 'node:assert/strict';
import { createServer as createNet, type Socket } from 'node:net';
import { test } from 'node:test';
import { AnswerError, happenedBy } from '../../../src/adapters/transport/index.ts';
import { TrackerError, type TrackerFault } from '../../../src/trackers/index.ts';
import { startLoopback, toTransport } from './loopback.ts';
import { keepRunning } from '../../keep-running.ts';

interface Cell {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly fault: TrackerFault;
  readonly happened: 'no' | 'unknown';
  readonly quietMs?: number | null;
}

/** Every answer that is no success, and what it says of a write. */
const CELLS: readonly Cell[] = [
  ...[300, 301, 302, 303, 304, 305, 307, 308].map((status): Cell => ({
    status,
    fault: 'moved',
    happened: 'no',
  })),
  { status: 400, fault: 'invalid', happened: 'no' },
  { status: 401, fault: 'unauthorized', happened: 'no' },
  { status: 403, fault: 'forbidden', happened: 'no' },
  { status: 404, fault: 'not_found', happened: 'no' },
  { status: 405, fault: 'server', happened: 'no' },
  { status: 405, body: 'Non GET methods are not allowed for moved projects', fault: 'moved', happened: 'no' },
  { status: 410, fault: 'gone', happened: 'no' },
  { status: 413, fault: 'invalid', happened: 'no' },
  { status: 422, fault: 'invalid', happened: 'no' },
  { status: 429, fault: 'rate_limited', happened: 'no', quietMs: 60_000 },
  { status: 429, headers: { 'retry-after': '9' }, fault: 'rate_limited', happened: 'no', quietMs: 9000 },
  { status: 403, headers: { 'retry-after': '12' }, fault: 'rate_limited', happened: 'no', quietMs: 12_000 },
  {
    status: 403,
    headers: { 'x-ratelimit-remaining': '0' },
    fault: 'rate_limited',
    happened: 'no',
    quietMs: 60_000,
  },
  { status: 403, headers: { 'x-ratelimit-remaining': '4999' }, fault: 'forbidden', happened: 'no' },
  {
    status: 403,
    body: '{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}',
    fault: 'rate_limited',
    happened: 'no',
    quietMs: 60_000,
  },
  {
    status: 403,
    body: 'You have triggered an abuse detection mechanism',
    fault: 'rate_limited',
    happened: 'no',
    quietMs: 60_000,
  },
  ...[402, 406, 408, 409, 411, 415, 418, 423, 451].map((status): Cell => ({
    status,
    fault: 'server',
    happened: 'unknown',
  })),
  ...[500, 501, 502, 503, 504, 520, 599].map((status): Cell => ({
    status,
    fault: 'server',
    happened: 'unknown',
  })),
  { status: 503, headers: { 'retry-after': '120' }, fault: 'server', happened: 'unknown', quietMs: 120_000 },
];

for (const { status, headers = {}, body = '{"message":"no"}', fault, happened, quietMs = null } of CELLS) {
  const name = [status, ...Object.entries(headers).flat()].join(' ');
  test(`a write answered with ${name} is ${fault}, and whether it was done is ${happened}`, async (t) => {
    const server = await startLoopback(t, (_seen, response) => {
      response.writeHead(status, headers);
      response.end(status === 304 ? undefined : body);
    });
    const transport = toTransport(server.url);
    await assert.rejects(
      transport.send({ method: 'POST', url: `${server.url}/issues`, body: '{}' }),
      (error) => {
        assert.ok(error instanceof AnswerError, String(error));
        assert.deepEqual([error.fault, error.happened, error.quietMs], [fault, happened, quietMs]);
        return true;
      },
    );
    assert.equal(server.seen.length, 1);
    assert.equal(happenedBy(status), happened);
  });
}

test('of a read nothing can have happened, whatever becomes of it', async (t) => {
  const server = await startLoopback(t, ({ url }, response, socket) => {
    if (url === '/cut') socket.destroy();
    else response.writeHead(502).end('<html>');
  });
  const transport = toTransport(server.url);
  for (const path of ['/cut', '/502'])
    await assert.rejects(
      transport.send({ method: 'GET', url: `${server.url}${path}` }),
      (error) => error instanceof TrackerError && error.happened === 'no',
    );
});

/** A server below HTTP: what it does with a connection. */
async function startRaw(
  act: (socket: Socket) => void,
): Promise<{ port: number; connections: () => number; end: () => void }> {
  let connections = 0;
  const server = createNet((socket) => {
    connections += 1;
    socket.on('error', () => {});
    act(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as { port: number };
  return { port, connections: () => connections, end: () => server.close() };
}

const CUT: readonly {
  name: string;
  fault: TrackerFault;
  happened: 'no' | 'unknown';
  act: (socket: Socket) => void;
}[] = [
  { name: 'closed at once', fault: 'reset', happened: 'unknown', act: (socket) => socket.destroy() },
  {
    name: 'reset once the request is in',
    fault: 'reset',
    happened: 'unknown',
    act: (socket) => socket.once('data', () => socket.resetAndDestroy()),
  },
  {
    name: 'closed in the middle of the head',
    fault: 'reset',
    happened: 'unknown',
    act: (socket) => socket.once('data', () => socket.end('HTTP/1.1 201 Cre')),
  },
  {
    name: 'closed in the middle of the body',
    fault: 'reset',
    happened: 'unknown',
    act: (socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 201 Created\r\ncontent-length: 50\r\n\r\n{"id":1')),
  },
  {
    name: 'answered with no HTTP',
    fault: 'reset',
    happened: 'unknown',
    act: (socket) => socket.once('data', () => socket.end('220 smtp ready\r\n')),
  },
  { name: 'never answered', fault: 'timeout', happened: 'unknown', act: () => {} },
  {
    name: 'answered a byte at a time without an end',
    fault: 'timeout',
    happened: 'unknown',
    act: (socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 201 Created\r\ncontent-length: 5000\r\n\r\n');
        const drip = setInterval(() => socket.write(' '), 20);
        socket.on('close', () => clearInterval(drip));
      });
    },
  },
];

for (const { name, fault, happened, act } of CUT) {
  test(`a write whose connection is ${name} is ${fault}, whether it was done is ${happened}, and it is sent once`, async (t) => {
    const sockets = new Set<Socket>();
    let bytes = 0;
    const server = await startRaw((socket) => {
      sockets.add(socket);
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.toString('latin1').split('POST ').length - 1;
      });
      act(socket);
    });
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      server.end();
    });
    const url = `http://127.0.0.1:${server.port}`;
    const transport = toTransport(url, { timeoutMs: 300 });
    await assert.rejects(transport.send({ method: 'POST', url: `${url}/issues`, body: '{}' }), (error) => {
      assert.ok(error instanceof TrackerError, String(error));
      assert.deepEqual([error.fault, error.happened], [fault, happened], error.message);
      return true;
    });
    assert.ok(bytes <= 1, `${bytes} POSTs`);
  });
}

test('a connection that is refused, a name that is unknown and a TLS that fails send nothing', async (t) => {
  const plain = await startLoopback(t, (_seen, response) => response.end('{}'));
  const closed = await startRaw(() => {});
  closed.end();
  const cases: readonly (readonly [string, RegExp])[] = [
    [`http://127.0.0.1:${closed.port}`, /refuses connections/],
    [`https://127.0.0.1:${plain.port}`, /does not speak HTTPS|cut the connection|cannot be called/],
  ];
  for (const [url, sentence] of cases) {
    await assert.rejects(toTransport(url).send({ method: 'POST', url: `${url}/x`, body: '{}' }), (error) => {
      assert.ok(error instanceof TrackerError);
      assert.deepEqual([error.fault, error.happened], ['network', 'no'], error.message);
      assert.match(error.message, sentence);
      return true;
    });
  }
  const unknown = toTransport('http://localhost:9', {
    lookup: (_host, _options, callback) =>
      callback(Object.assign(new Error('x'), { code: 'ENOTFOUND' }), '', 0),
  });
  await assert.rejects(unknown.send({ method: 'POST', url: 'http://localhost:9/x' }), (error) => {
    assert.ok(error instanceof TrackerError);
    assert.deepEqual([error.fault, error.happened], ['network', 'no']);
    return true;
  });
  assert.equal(plain.seen.length, 0);
});

test('a look-up that does not end is cut off, and nothing was sent', async (t) => {
  keepRunning(t);
  const transport = toTransport('http://localhost:9', { timeoutMs: 100, lookup: () => {} });
  await assert.rejects(transport.send({ method: 'POST', url: 'http://localhost:9/x' }), (error) => {
    assert.ok(error instanceof TrackerError);
    assert.deepEqual([error.fault, error.happened], ['network', 'no']);
    return true;
  });
});
