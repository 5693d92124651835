import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer as createHttp,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test, type TestContext } from 'node:test';
import { isIpoError } from '../../../src/base/index.ts';
import { fileAnchor, httpAnchor, kubernetesAnchor } from '../../../src/adapters/anchors/index.ts';
import { parseKept, signCheckpoint, type Anchor, type SignedCheckpoint } from '../../../src/ledger/index.ts';
import { makeCertificate, withoutOpenssl } from '../../app/certificate.ts';
import { makeSigner, NOW, ORIGIN } from '../../ledger/grown.ts';

const folder = mkdtempSync(join(tmpdir(), 'ipo-anchors-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const signer = makeSigner();
function checkpoint(size: number): SignedCheckpoint {
  const root = String.fromCharCode(size % 256).repeat(32);
  return {
    size,
    root,
    note: signCheckpoint({ origin: ORIGIN, size, root, extensions: [] }, signer),
    at: NOW,
  };
}

async function faultOf(act: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await act;
  } catch (error) {
    if (isIpoError(error)) return error;
    throw error;
  }
  return { code: 'none', message: '' };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString();
  return text;
}

async function listen(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

suite('a file', () => {
  const sizes = (file: string): number[] =>
    parseKept(readFileSync(file, 'utf8'), file).map(({ checkpoint: { size } }) => size);

  test('takes one checkpoint after another, and the same one once', async () => {
    const file = join(folder, 'all.txt');
    const anchor = fileAnchor({ path: file, keep: 'all' });
    for (const size of [1, 1, 2, 300, 300]) await anchor.publish(checkpoint(size));
    assert.deepEqual(sizes(file), [1, 2, 300]);
    assert.equal(anchor.name, `file:${file}`);
  });

  test('may be cut off at any byte: the next checkpoint takes its place', async () => {
    const file = join(folder, 'cut.txt');
    const anchor = fileAnchor({ path: file, keep: 'all' });
    await anchor.publish(checkpoint(1));
    const first = readFileSync(file);
    const second = Buffer.from(`\n${checkpoint(2).note}`);
    for (let length = 0; length < second.length; length += 3) {
      writeFileSync(file, Buffer.concat([first, second.subarray(0, length)]));
      await anchor.publish(checkpoint(3));
      assert.deepEqual(sizes(file), [1, 3], `cut after ${length} bytes`);
    }
    for (const length of [1, 5, 40, 100]) {
      writeFileSync(file, first.subarray(0, length));
      await anchor.publish(checkpoint(3));
      assert.deepEqual(sizes(file), [3], `the first cut after ${length} bytes`);
    }
  });

  test('that holds something else is left alone', async () => {
    const file = join(folder, 'notes.txt');
    for (const text of ['my shopping list\n', 'x'.repeat(200_000), `${checkpoint(1).note}\nand words\n`]) {
      writeFileSync(file, text);
      assert.equal(
        (await faultOf(fileAnchor({ path: file, keep: 'all' }).publish(checkpoint(2)))).code,
        'unwritable',
      );
      assert.equal(readFileSync(file, 'utf8'), text);
    }
  });

  test('grows beyond what is looked at of it', async () => {
    const file = join(folder, 'long.txt');
    const anchor = fileAnchor({ path: file, keep: 'all' });
    for (let size = 1; size <= 600; size += 1)
      appendFileSync(file, `${size === 1 ? '' : '\n'}${checkpoint(size).note}`);
    await anchor.publish(checkpoint(600));
    await anchor.publish(checkpoint(601));
    assert.deepEqual(
      sizes(file),
      Array.from({ length: 601 }, (_, i) => i + 1),
    );
  });

  test('holds the newest alone where that is asked, whole or not at all', async () => {
    const file = join(folder, 'newest.txt');
    const anchor = fileAnchor({ path: file, keep: 'newest' });
    for (const size of [1, 2, 3]) {
      await anchor.publish(checkpoint(size));
      assert.equal(readFileSync(file, 'utf8'), checkpoint(size).note);
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.ipo-tmp')),
      [],
    );
  });

  test('that cannot be written is said', async () => {
    for (const keep of ['all', 'newest'] as const) {
      const fault = await faultOf(
        fileAnchor({ path: join(folder, 'none', 'x'), keep }).publish(checkpoint(1)),
      );
      assert.deepEqual([fault.code, /its directory is not there/.test(fault.message)], ['unwritable', true]);
      assert.equal(
        (await faultOf(fileAnchor({ path: folder, keep }).publish(checkpoint(1)))).code,
        'unwritable',
      );
    }
  });
});

suite('an address', () => {
  test('is sent the note with the token, and takes it with any answer of 200 to 299', async (t) => {
    const seen: {
      method: string | undefined;
      type: string | undefined;
      token: string | undefined;
      body: string;
    }[] = [];
    const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { method, headers } = request;
      const body = await bodyOf(request);
      seen.push({ method, type: headers['content-type'], token: headers.authorization, body });
      response.writeHead(seen.length === 1 ? 200 : 204).end();
    };
    const server = createHttp((request, response) => void take(request, response));
    const port = await listen(t, server);
    const url = `http://127.0.0.1:${port}/sink?ignored`;
    await httpAnchor({ url, token: 'very-secret' }).publish(checkpoint(7));
    await httpAnchor({ url, token: null }).publish(checkpoint(7));
    const type = 'text/plain; charset=utf-8';
    assert.deepEqual(seen, [
      { method: 'POST', type, token: 'Bearer very-secret', body: checkpoint(7).note },
      { method: 'POST', type, token: undefined, body: checkpoint(7).note },
    ]);
    assert.equal(httpAnchor({ url, token: 'very-secret' }).name, `http:http://127.0.0.1:${port}/sink`);
  });

  test('that refuses, redirects, answers without end or not at all is said, without the token', async (t) => {
    let elsewhere = 0;
    const other = await listen(
      t,
      createHttp((_, response) => void response.end(String((elsewhere += 1)))),
    );
    const answers: readonly (readonly [RequestListener, string])[] = [
      [(_, response) => response.writeHead(401).end(), 'forbidden'],
      [(_, response) => response.writeHead(403).end(), 'forbidden'],
      [(_, response) => response.writeHead(500).end('oh'), 'network'],
      [(_, response) => response.writeHead(307, { location: `http://127.0.0.1:${other}/` }).end(), 'network'],
      [(_, response) => response.writeHead(200).end(Buffer.alloc(2_000_000)), 'network'],
      [(request) => request.socket.destroy(), 'network'],
    ];
    let answer: RequestListener = () => undefined;
    const port = await listen(
      t,
      createHttp((request, response) => answer(request, response)),
    );
    for (const [listener, code] of answers) {
      answer = listener;
      const fault = await faultOf(
        httpAnchor({ url: `http://127.0.0.1:${port}/`, token: 'very-secret' }).publish(checkpoint(1)),
      );
      assert.equal(fault.code, code, fault.message);
      assert.doesNotMatch(fault.message, /secret/);
    }
    assert.equal(elsewhere, 0, 'nothing followed the redirect');
    const gone = await faultOf(
      httpAnchor({ url: 'http://127.0.0.1:1/', token: null }).publish(checkpoint(1)),
    );
    assert.match(gone.message, /127\.0\.0\.1:1 refuses connections/);
  });

  test('over plain HTTP is this machine alone', () => {
    for (const url of ['http://sink.example/', 'ftp://127.0.0.1/', 'words', 'https://user:pw@sink.example/'])
      assert.throws(() => httpAnchor({ url, token: 'secret' }), { code: 'usage' }, url);
    assert.ok(httpAnchor({ url: 'https://sink.example/x', token: null }));
  });
});

suite('a ConfigMap', { skip: withoutOpenssl }, () => {
  if (withoutOpenssl !== false) return;
  const { cert, key } = makeCertificate(folder, 'api-server');

  /** A server that speaks as much of the Kubernetes API as a ConfigMap needs, and is strict about it. */
  async function cluster(t: TestContext): Promise<{
    anchor: Anchor;
    calls: string[];
    state: { map: { version: number; data: Record<string, string> } | null; before: (() => void) | null };
  }> {
    const calls: string[] = [];
    const state: Awaited<ReturnType<typeof cluster>>['state'] = { map: null, before: null };
    const path = '/api/v1/namespaces/ipo-system/configmaps/ipo-checkpoint';
    const handle = async (request: IncomingMessage): Promise<[status: number, body: object]> => {
      const url = new URL(request.url ?? '', 'https://api');
      if (request.headers.authorization !== 'Bearer account-token') return [401, { message: 'Unauthorized' }];
      if (url.pathname !== path) return [403, { message: 'configmaps is forbidden' }];
      const object = () => ({
        metadata: { resourceVersion: String(state.map?.version) },
        data: state.map?.data,
      });
      calls.push(request.method ?? '');
      if (request.method === 'GET')
        return state.map === null ? [404, { message: 'not found' }] : [200, object()];
      assert.equal(request.method, 'PATCH');
      assert.equal(request.headers['content-type'], 'application/apply-patch+yaml');
      assert.deepEqual(Object.fromEntries(url.searchParams), { fieldManager: 'ipo-ledger', force: 'true' });
      const body = JSON.parse(await bodyOf(request)) as {
        metadata: { name: string; namespace: string; resourceVersion?: string };
        data: Record<string, string>;
      };
      state.before?.();
      assert.deepEqual([body.metadata.name, body.metadata.namespace], ['ipo-checkpoint', 'ipo-system']);
      const { resourceVersion } = body.metadata;
      if (resourceVersion !== undefined && resourceVersion !== String(state.map?.version))
        return [409, { message: 'the object has been modified' }];
      const created = state.map === null;
      state.map = { version: (state.map?.version ?? 0) + 1, data: body.data };
      return [created ? 201 : 200, object()];
    };
    const server = createHttps({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
      void handle(request).then(([status, body]) => response.writeHead(status).end(JSON.stringify(body)));
    });
    const port = await listen(t, server);
    const account = mkdtempSync(join(folder, 'account-'));
    writeFileSync(join(account, 'token'), 'account-token\n');
    writeFileSync(join(account, 'ca.crt'), readFileSync(cert));
    writeFileSync(join(account, 'namespace'), 'ipo-system');
    const anchor = kubernetesAnchor({
      name: 'ipo-checkpoint',
      apiServer: `https://127.0.0.1:${port}`,
      account,
    });
    return { anchor, calls, state };
  }

  test('is made, and then kept at the newest checkpoint', async (t) => {
    const { anchor, calls, state } = await cluster(t);
    await anchor.publish(checkpoint(5));
    assert.deepEqual(state.map?.data, { checkpoint: checkpoint(5).note, size: '5' });
    await anchor.publish(checkpoint(9));
    assert.equal(state.map?.data['size'], '9');
    await anchor.publish(checkpoint(9));
    await anchor.publish(checkpoint(7));
    assert.equal(state.map?.data['checkpoint'], checkpoint(9).note, 'an older one does not replace it');
    assert.deepEqual(calls, ['GET', 'PATCH', 'GET', 'PATCH', 'GET', 'GET']);
  });

  test('that another replica changes meanwhile is left as that left it', async (t) => {
    const { anchor, state } = await cluster(t);
    await anchor.publish(checkpoint(5));
    state.before = () => {
      state.before = null;
      state.map = { version: 77, data: { checkpoint: checkpoint(20).note, size: '20' } };
    };
    const fault = await faultOf(anchor.publish(checkpoint(9)));
    assert.match(fault.message, /was not written \(status 409\): the object has been modified/);
    assert.equal(state.map?.data['size'], '20');
    await anchor.publish(checkpoint(9));
    assert.equal(state.map?.data['size'], '20');
  });

  test('that may not be touched, a server that is another and a pod without an account are said', async (t) => {
    const account = mkdtempSync(join(folder, 'account-'));
    writeFileSync(join(account, 'token'), 'expired-token');
    writeFileSync(join(account, 'ca.crt'), readFileSync(cert));
    writeFileSync(join(account, 'namespace'), 'ipo-system');
    const server = createHttps({ cert: readFileSync(cert), key: readFileSync(key) }, (_, response) =>
      response.writeHead(403).end('{}'),
    );
    const apiServer = `https://127.0.0.1:${await listen(t, server)}`;
    const refused = await faultOf(kubernetesAnchor({ name: 'x', apiServer, account }).publish(checkpoint(1)));
    assert.deepEqual([refused.code, /expired-token/.test(refused.message)], ['forbidden', false]);

    const foreign = makeCertificate(folder, 'foreign');
    writeFileSync(join(account, 'ca.crt'), readFileSync(foreign.cert));
    const untrusted = await faultOf(
      kubernetesAnchor({ name: 'x', apiServer, account }).publish(checkpoint(1)),
    );
    assert.equal(untrusted.code, 'network', untrusted.message);

    rmSync(join(account, 'token'));
    assert.equal(
      (await faultOf(kubernetesAnchor({ name: 'x', apiServer, account }).publish(checkpoint(1)))).code,
      'usage',
    );
    const plain = kubernetesAnchor({ name: 'x', apiServer: 'http://127.0.0.1:1', account });
    writeFileSync(join(account, 'token'), 't');
    assert.equal((await faultOf(plain.publish(checkpoint(1)))).code, 'usage');
    for (const name of ['', '../x', 'A', 'a/b'])
      assert.throws(() => kubernetesAnchor({ name }), { code: 'usage' });
  });
});
