import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { suite, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { REVIEW_PATH } from '../../src/admission/index.ts';
import { held, open, skip, start } from './port.ts';
import { openReviewer, policyOf, reviewOf } from './reviews.ts';

const HEAD = `POST ${REVIEW_PATH} HTTP/1.1\r\nHost: x\r\n`;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const until = async (done: () => boolean): Promise<void> => {
  while (!done()) await turn();
};

/** What a connection was told until it was closed, or until so many answers. */
async function told(socket: TLSSocket, answers: number): Promise<string[]> {
  let text = '';
  let closed = false;
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.on('close', () => (closed = true));
  const found = (): string[] => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status ?? '');
  await until(() => closed || found().length >= answers);
  return found();
}

suite('clients that crowd the port', { skip }, () => {
  test('slow bodies make room for one that comes at once', async (t) => {
    const { ask, port, listener } = await start(t, { limits: { bytes: 20_000, slowBody: -1 } });
    const slow: TLSSocket[] = [];
    for (let i = 0; i < 3; i += 1) {
      const socket = await open(t, port);
      socket.write(`${HEAD}Content-Length: 9000\r\n\r\n${'x'.repeat(5_000)}`);
      slow.push(socket);
      await until(() => listener.load.bytes === (i + 1) * 5_256);
    }
    assert.equal((await ask('POST', REVIEW_PATH, Buffer.alloc(9_000, 32))).status, 200);
    await until(() => slow[0]?.destroyed === true || slow[0]?.readableEnded === true);
    await until(() => listener.load.bytes === 2 * 5_256);
  });

  test('bodies that have just begun are not ended for another', async (t) => {
    const { ask, port, listener } = await start(t, { limits: { bytes: 10_000, slowBody: 60_000 } });
    const socket = await open(t, port);
    socket.write(`${HEAD}Content-Length: 9000\r\n\r\n${'x'.repeat(8_000)}`);
    await until(() => listener.load.bytes === 8_256);
    assert.equal((await ask('POST', REVIEW_PATH, Buffer.alloc(9_000, 32))).status, 429);
    const answered = told(socket, 1);
    socket.write('x'.repeat(1_000));
    assert.deepEqual(await answered, ['200']);
  });

  test('a body in pieces of one byte counts for what holding the pieces takes', async (t) => {
    const { port, shed } = await start(t, { limits: { bytes: 10_000 } });
    const socket = await open(t, port);
    const answered = told(socket, 1);
    socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(100)}`);
    assert.deepEqual([await answered, shed], [['429'], ['bytes']]);
  });

  test('where there is no room for a connection, the one goes that has been waiting for longest', async (t) => {
    const { reviewer, until: reviews, letGo } = held();
    const { port } = await start(t, { reviewer, limits: { connections: 3 } });
    const works = await open(t, port);
    const answered = told(works, 1);
    works.write(`${HEAD}Content-Length: 2\r\n\r\n{}`);
    await reviews(1);
    const silent = await open(t, port);
    const slow = await open(t, port);
    slow.write(`${HEAD}Content-Length: 9000\r\n\r\nx`);
    const gone: string[] = [];
    silent.resume().once('close', () => gone.push('silent'));
    slow.resume().once('close', () => gone.push('slow'));
    const late = await open(t, port);
    await until(() => gone.length === 1);
    const later = await open(t, port);
    await until(() => gone.length === 2);
    assert.deepEqual(gone, ['silent', 'slow']);
    letGo();
    assert.deepEqual(await answered, ['200']);
    for (const socket of [late, later]) {
      const alive = told(socket, 1);
      socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
      assert.deepEqual(await alive, ['200']);
    }
  });

  test('connections that never shake hands keep nobody out', async (t) => {
    const { port, ask } = await start(t, { limits: { connections: 5, handshakeTimeout: 60_000 } });
    for (let i = 0; i < 20; i += 1) {
      const socket = connectPlain(port, '127.0.0.1');
      t.after(() => socket.destroy());
      socket.on('error', () => {});
      await once(socket, 'connect');
    }
    assert.equal((await ask('POST', REVIEW_PATH, reviewOf())).status, 200);
  });

  test('a body that is too long is answered after its end, holding little, and a dry run of it writes nothing', async (t) => {
    const { reviewer, rows } = openReviewer([policyOf('{ enforcement: Enforce }')]);
    const { port, listener } = await start(t, { reviewer });
    const [before = '', after = ''] = reviewOf({ uid: 'long', dryRun: true }).toString().split('"spec":');
    const filling = 9 * 1024 * 1024;
    const socket = await open(t, port);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const head = `${before}"x":"`;
    const tail = `","spec":${after}`;
    socket.write(`${HEAD}Content-Length: ${head.length + filling + tail.length}\r\n\r\n${head}`);
    socket.write(Buffer.alloc(filling, 120));
    await until(() => listener.load.bytes > 8_000_000);
    await until(() => listener.load.bytes < 100_000);
    assert.equal(text, '', 'not while the client is still sending');
    socket.write(tail);
    await until(() => /"allowed":false/.test(text));
    assert.match(text, /"uid":"long"/);
    assert.deepEqual(rows(), []);
  });

  test('a large body that waits too long for its turn is turned away', async (t) => {
    const { reviewer, until: reviews, letGo } = held();
    const { ask, shed } = await start(t, { reviewer, limits: { largeBody: 10, largeWait: -1 } });
    // The first waits for nobody, and is turned away as well where no wait at all is allowed.
    assert.equal((await ask('POST', REVIEW_PATH, Buffer.alloc(100, 32))).status, 429);
    assert.deepEqual(shed, ['busy']);
    const small = ask('POST', REVIEW_PATH, '{}');
    await reviews(1);
    letGo();
    assert.equal((await small).status, 200);
  });
});

suite('forms of a request', { skip }, () => {
  test('requests that follow each other at once are answered in their order', async (t) => {
    const { reviewer } = openReviewer([policyOf('{}')]);
    const { port } = await start(t, { reviewer });
    const socket = await open(t, port);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const bodies = Array.from({ length: 20 }, (_, i) => reviewOf({ uid: `p-${i}` }));
    for (const body of bodies) {
      socket.write(`${HEAD}Content-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    }
    await until(() => [...text.matchAll(/HTTP\/1\.1 200/g)].length === bodies.length);
    assert.deepEqual(
      [...text.matchAll(/"uid":"(p-\d+)"/g)].map(([, uid]) => uid),
      bodies.map((_, i) => `p-${i}`),
    );
  });

  for (const [name, head] of [
    ['a length beside chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n'],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n'],
    ['a length with a sign', 'Content-Length: +2\r\n'],
    ['an unknown encoding', 'Transfer-Encoding: gzip, x\r\n'],
    ['a blank before the colon', 'Transfer-Encoding : chunked\r\n'],
    ['a folded header', 'X-A: 1\r\n Transfer-Encoding: chunked\r\n'],
  ] as const) {
    test(`${name}: refused, the connection ended, and nothing behind it is read as a request`, async (t) => {
      let reviewed = 0;
      const review = async () => ({ status: 200, body: String((reviewed += 1)), retryAfter: null });
      const reviewer = { unready: () => null, review, reviewOversized: review };
      const { port } = await start(t, { reviewer });
      const socket = await open(t, port);
      const statuses = told(socket, 9);
      socket.write(`${HEAD}${head}\r\n{}GET /livez HTTP/1.1\r\nHost: x\r\n\r\n`);
      assert.deepEqual([await statuses, reviewed], [['400'], 0]);
    });
  }

  test('CONNECT and an upgrade lead nowhere', async (t) => {
    const { port } = await start(t);
    const tunnel = await open(t, port);
    const closed = once(tunnel.resume(), 'close');
    tunnel.write('CONNECT 10.0.0.1:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    await closed;
    const socket = await open(t, port);
    const answered = told(socket, 1);
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    assert.deepEqual(await answered, ['200']);
  });
});
