import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { suite, test } from 'node:test';
import { REVIEW_PATH } from '../../src/admission/index.ts';
import { LISTENER_LIMITS } from '../../src/api/admission/index.ts';
import { certificate, held, OK, open, other, skip, start } from './port.ts';
import { openReviewer, policyOf, reviewOf } from './reviews.ts';

suite('the port of the webhook', { skip }, () => {
  test('a review goes in and its answer comes out', async (t) => {
    const { reviewer, rows } = openReviewer([
      policyOf('{ enforcement: Enforce, allowedRegistries: [quay.io] }'),
    ]);
    const { ask } = await start(t, { reviewer });
    const answer = await ask('POST', `${REVIEW_PATH}?timeout=5s`, reviewOf({ uid: 'https' }));
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'application/json']);
    const { response } = JSON.parse(answer.body) as { response: { uid: string; allowed: boolean } };
    assert.deepEqual([response.uid, response.allowed, rows().length], ['https', false, 1]);
  });

  test('a body in pieces is one review', async (t) => {
    const { reviewer } = openReviewer([policyOf('{}')]);
    const { port } = await start(t, { reviewer });
    const socket = await open(t, port);
    const body = reviewOf({ uid: 'pieces' });
    socket.write(`POST ${REVIEW_PATH} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
    for (let at = 0; at < body.length; at += 100) {
      const piece = body.subarray(at, at + 100);
      socket.write(`${piece.length.toString(16)}\r\n`);
      socket.write(piece);
      socket.write('\r\n');
    }
    socket.write('0\r\n\r\n');
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    assert.match(bytes.toString(), /^HTTP\/1\.1 200 [^]*"uid":"pieces","allowed":true/);
  });

  test('anything else has its answer too', async (t) => {
    const { ask } = await start(t);
    assert.equal((await ask('GET', REVIEW_PATH)).status, 405);
    assert.equal((await ask('POST', '/admission/podsx', '{}')).status, 404);
    assert.deepEqual([(await ask('GET', '/livez')).status, (await ask('GET', '/readyz')).status], [200, 200]);
  });

  test('it is ready once there are policies and a certificate', async (t) => {
    const reviewer = {
      unready: () => 'the policies have not been read yet',
      review: async () => OK,
      reviewOversized: async () => OK,
    };
    const { ask, listener } = await start(t, { reviewer });
    assert.deepEqual([(await ask('GET', '/readyz')).status, (await ask('GET', '/livez')).status], [503, 200]);
    assert.match(listener.unready() ?? '', /policies/);
    const none = await start(t, { certificate: null });
    assert.match(none.listener.unready() ?? '', /no certificate/);
    await assert.rejects(none.ask('GET', '/livez'));
    none.listener.replaceCertificate(certificate!);
    assert.equal(none.listener.unready(), null);
    assert.equal((await none.ask('GET', '/readyz')).status, 200);
  });

  test('a certificate is replaced while connections that are open go on', async (t) => {
    const { listener, port } = await start(t);
    const nameOf = (socket: TLSSocket): string => String(socket.getPeerCertificate().subject.CN);
    const before = await open(t, port);
    listener.replaceCertificate(other!);
    const after = await open(t, port);
    assert.deepEqual([nameOf(before), nameOf(after)], ['webhook', 'other']);
    before.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.match(String((await once(before, 'data'))[0]), /^HTTP\/1\.1 200/);
  });

  test('it speaks HTTP/1.1 and TLS from 1.2 on', async (t) => {
    const { port } = await start(t);
    const socket = connect({
      port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    t.after(() => socket.destroy());
    await once(socket, 'secureConnect');
    assert.equal(socket.alpnProtocol, 'http/1.1');
    const old = connect({
      port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
    });
    await assert.rejects(once(old, 'secureConnect'));
  });

  test('idle connections outlive those of the API server, and what is slow does not', () => {
    const { keepAliveTimeout, headersTimeout, requestTimeout, checkingInterval } = LISTENER_LIMITS;
    assert.ok(keepAliveTimeout >= 120_000);
    assert.deepEqual([headersTimeout, requestTimeout], [5_000, 10_000]);
    assert.ok(checkingInterval <= 1_000, 'the two are looked at each 30 s unless told otherwise');
  });
});

suite('what is too much', { skip }, () => {
  test('reviews beyond the bound are turned away at once, with when to come again', async (t) => {
    const { reviewer, waiting, until, letGo } = held();
    const { ask, shed, listener } = await start(t, { reviewer, limits: { reviews: 2 } });
    const under = [ask('POST', REVIEW_PATH, reviewOf()), ask('POST', REVIEW_PATH, reviewOf())];
    await until(2);
    const third = await ask('POST', REVIEW_PATH, reviewOf());
    assert.deepEqual([third.status, third.headers['retry-after'], shed], [429, '1', ['busy']]);
    assert.equal((await ask('GET', '/livez')).status, 200, 'liveness never fails');
    assert.deepEqual(listener.load.reviews, 2);
    letGo();
    assert.deepEqual(
      (await Promise.all(under)).map(({ status }) => status),
      [200, 200],
    );
    assert.deepEqual([waiting.length, listener.load], [0, { reviews: 0, answered: 2, bytes: 0 }]);
    const again = ask('POST', REVIEW_PATH, reviewOf());
    await until(1);
    letGo();
    assert.equal((await again).status, 200);
  });

  test('what arrives all at once is answered for so long, and the rest turned away', async (t) => {
    const { port, shed } = await start(t, { limits: { turn: -1, turnReviews: 1 } });
    const socket = await open(t, port);
    const body = reviewOf();
    const one = Buffer.concat([
      Buffer.from(`POST ${REVIEW_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`),
      body,
    ]);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write(Buffer.concat([one, one]));
    while ([...text.matchAll(/HTTP\/1\.1 /g)].length < 2)
      await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(
      [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
      ['200', '429'],
    );
    assert.deepEqual(shed, ['busy']);
  });

  test('a body beyond 8 MiB is answered by its beginning, and its connection ended', async (t) => {
    const { reviewer } = openReviewer([policyOf('{ enforcement: Enforce }')]);
    const { ask, listener } = await start(t, { reviewer });
    const head = '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"big","x":"';
    const answer = await ask('POST', REVIEW_PATH, head + 'x'.repeat(9 * 1024 * 1024));
    assert.equal(answer.headers.connection, 'close');
    assert.match(answer.body, /"uid":"big","allowed":false/);
    assert.equal(listener.load.bytes, 0);
  });

  test('bodies are held up to a bound, counted by what has come in', async (t) => {
    const { reviewer, until, letGo } = held();
    const { ask, shed, port, listener } = await start(t, {
      reviewer,
      limits: { bytes: 10_000, largeBody: 1e9 },
    });
    const first = ask('POST', REVIEW_PATH, Buffer.alloc(6_000, 32));
    await until(1);
    const second = await ask('POST', REVIEW_PATH, Buffer.alloc(6_000, 32));
    assert.deepEqual([second.status, shed], [429, ['bytes']]);
    letGo();
    assert.equal((await first).status, 200);
    assert.equal(listener.load.bytes, 0);
    // One that announces much and sends little holds little, and what it holds goes with it.
    const slow = await open(t, port);
    slow.write(`POST ${REVIEW_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n${'x'.repeat(10)}`);
    const holds = async (bytes: number): Promise<void> => {
      while (listener.load.bytes !== bytes) await new Promise((resolve) => setImmediate(resolve));
    };
    await holds(10 + 256);
    slow.destroy();
    await holds(0);
  });

  test('large bodies are answered one after another', async (t) => {
    const { reviewer, waiting, until, letGo } = held();
    const { ask } = await start(t, { reviewer, limits: { largeBody: 1_000 } });
    const both = [1, 2].map(() => ask('POST', REVIEW_PATH, Buffer.alloc(2_000, 32)));
    const small = ask('POST', REVIEW_PATH, Buffer.alloc(10, 32));
    await until(2);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(waiting.length, 2, 'one large and the small one');
    letGo();
    await until(1);
    letGo();
    assert.deepEqual(
      (await Promise.all([...both, small])).map(({ status }) => status),
      [200, 200, 200],
    );
  });

  test('clients that send slowly, or nothing, are let go', async (t) => {
    const limits = { headersTimeout: 50, requestTimeout: 100, checkingInterval: 20 };
    const { port, ask } = await start(t, { limits });
    const [silent, slow] = [await open(t, port), await open(t, port)];
    slow.write(`POST ${REVIEW_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx`);
    for (const socket of [silent, slow]) {
      socket.resume();
      await once(socket, 'close');
    }
    assert.equal((await ask('GET', '/livez')).status, 200);
  });

  test('idle connections hold nothing up', async (t) => {
    const { port, ask } = await start(t);
    const idle: TLSSocket[] = [];
    for (let i = 0; i < 200; i += 50)
      idle.push(...(await Promise.all(Array.from({ length: 50 }, () => open(t, port)))));
    assert.equal((await ask('POST', REVIEW_PATH, reviewOf())).status, 200);
    for (const socket of idle) socket.destroy();
  });
});

suite('the end', { skip }, () => {
  test('first it is not ready but answers, then it accepts nothing new and lets what is under way end', async (t) => {
    const { reviewer, until, letGo } = held();
    const { listener, ask, due, port } = await start(t, { reviewer });
    const before = ask('POST', REVIEW_PATH, reviewOf());
    await until(1);
    const closed = listener.close(10_000, 20_000);
    assert.equal((await ask('GET', '/readyz')).status, 503);
    const during = ask('POST', REVIEW_PATH, reviewOf());
    await until(2);
    assert.deepEqual(
      due.map(({ ms }) => ms),
      [10_000],
    );
    due.shift()?.act();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(
      due.map(({ ms }) => ms),
      [20_000],
    );
    const late = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await assert.rejects(once(late, 'secureConnect'));
    letGo();
    const answers = await Promise.all([before, during]);
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.connection]),
      [
        [200, 'close'],
        [200, 'close'],
      ],
    );
    await closed;
  });

  test('what does not end within the grace is cut off', async (t) => {
    const { reviewer, until } = held();
    const { listener, ask, due } = await start(t, { reviewer });
    const never = ask('POST', REVIEW_PATH, reviewOf());
    await until(1);
    const closed = listener.close(0, 20_000);
    due.shift()?.act();
    await new Promise((resolve) => setImmediate(resolve));
    due.shift()?.act();
    await assert.rejects(never);
    await closed;
  });
});
