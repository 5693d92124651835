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
import { openMap } from './config-map.ts';

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

/** Tells an anchor as the service does: over what it was read to hold. */
async function tell(anchor: Anchor, told: SignedCheckpoint): Promise<void> {
  await anchor.publish(told, (await anchor.read?.()) ?? { notes: [], version: null });
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
    for (const size of [1, 1, 2, 300, 300]) await tell(anchor, checkpoint(size));
    assert.deepEqual(sizes(file), [1, 2, 300]);
    assert.equal(anchor.name, `file:${file}`);
  });

  test('may be cut off at any byte: the next checkpoint takes its place', async () => {
    const file = join(folder, 'cut.txt');
    const anchor = fileAnchor({ path: file, keep: 'all' });
    await tell(anchor, checkpoint(1));
    const first = readFileSync(file);
    const second = Buffer.from(`\n${checkpoint(2).note}`);
    for (let length = 0; length < second.length; length += 3) {
      writeFileSync(file, Buffer.concat([first, second.subarray(0, length)]));
      await tell(anchor, checkpoint(3));
      assert.deepEqual(sizes(file), [1, 3], `cut after ${length} bytes`);
    }
    for (const length of [1, 5, 40, 100]) {
      writeFileSync(file, first.subarray(0, length));
      await tell(anchor, checkpoint(3));
      assert.deepEqual(sizes(file), [3], `the first cut after ${length} bytes`);
    }
  });

  test('that holds something else is not changed', async () => {
    const file = join(folder, 'notes.txt');
    for (const text of ['my shopping list\n', 'x'.repeat(200_000), `${checkpoint(1).note}\nand words\n`]) {
      writeFileSync(file, text);
      assert.equal(
        (await faultOf(tell(fileAnchor({ path: file, keep: 'all' }), checkpoint(2)))).code,
        'conflict',
      );
      assert.equal(readFileSync(file, 'utf8'), text);
    }
  });

  test('grows beyond what is looked at of it', async () => {
    const file = join(folder, 'long.txt');
    const anchor = fileAnchor({ path: file, keep: 'all' });
    for (let size = 1; size <= 600; size += 1)
      appendFileSync(file, `${size === 1 ? '' : '\n'}${checkpoint(size).note}`);
    await tell(anchor, checkpoint(600));
    await tell(anchor, checkpoint(601));
    assert.deepEqual(
      sizes(file),
      Array.from({ length: 601 }, (_, i) => i + 1),
    );
  });

  test('holds only the newest where that is asked, whole or not at all', async () => {
    const file = join(folder, 'newest.txt');
    const anchor = fileAnchor({ path: file, keep: 'newest' });
    for (const size of [1, 2, 3]) {
      await tell(anchor, checkpoint(size));
      assert.equal(readFileSync(file, 'utf8'), checkpoint(size).note);
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.ipo-tmp')),
      [],
    );
  });

  test('that cannot be written is said', async () => {
    for (const keep of ['all', 'newest'] as const) {
      const fault = await faultOf(tell(fileAnchor({ path: join(folder, 'none', 'x'), keep }), checkpoint(1)));
      assert.deepEqual([fault.code, /its directory is not there/.test(fault.message)], ['unwritable', true]);
      assert.equal(
        (await faultOf(tell(fileAnchor({ path: folder, keep }), checkpoint(1)))).code,
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
    await tell(httpAnchor({ url, token: 'very-secret' }), checkpoint(7));
    await tell(httpAnchor({ url, token: null }), checkpoint(7));
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
      [(_, response) => response.writeHead(409).end(), 'conflict'],
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
        tell(httpAnchor({ url: `http://127.0.0.1:${port}/`, token: 'very-secret' }), checkpoint(1)),
      );
      assert.equal(fault.code, code, fault.message);
      assert.doesNotMatch(fault.message, /secret/);
    }
    assert.equal(elsewhere, 0, 'nothing followed the redirect');
    const gone = await faultOf(tell(httpAnchor({ url: 'http://127.0.0.1:1/', token: null }), checkpoint(1)));
    assert.match(gone.message, /127\.0\.0\.1:1 refuses connections/);
  });

  test('over plain HTTP is only this machine', () => {
    for (const url of ['http://sink.example/', 'ftp://127.0.0.1/', 'words', 'https://user:pw@sink.example/'])
      assert.throws(() => httpAnchor({ url, token: 'secret' }), { code: 'usage' }, url);
    assert.ok(httpAnchor({ url: 'https://sink.example/x', token: null }));
  });
});

suite('a ConfigMap', { skip: withoutOpenssl }, () => {
  if (withoutOpenssl !== false) return;
  const { cert, key } = makeCertificate(folder, 'api-server');

  test('is made where it is missing, and then kept at the newest checkpoint', async (t) => {
    const { anchor, data, fake } = await openMap(t, folder, { empty: false });
    assert.deepEqual(await anchor.read?.(), { notes: [], version: null });
    await tell(anchor, checkpoint(5));
    assert.deepEqual(data(), { checkpoint: checkpoint(5).note, size: '5' });
    await tell(anchor, checkpoint(9));
    assert.deepEqual(data(), { checkpoint: checkpoint(9).note, size: '9' });
    assert.deepEqual((await anchor.read?.())?.notes, [checkpoint(9).note]);
    assert.ok(
      fake.seen.every(({ query }) => !query.has('force')),
      'nothing is written by force',
    );
  });

  test('that another replica changes meanwhile is left as that left it', async (t) => {
    const { anchor, data, edit, remove } = await openMap(t, folder);
    await tell(anchor, checkpoint(5));
    const read = (await anchor.read?.()) ?? { notes: [], version: null };
    await tell(anchor, checkpoint(20));
    const late = await faultOf(anchor.publish(checkpoint(9), read));
    assert.equal(late.code, 'network', 'it is tried again the next time');
    assert.match(late.message, /was not written \(status 409\)/);
    assert.equal(data()['size'], '20');

    await edit({ checkpoint: checkpoint(9).note });
    const owned = await faultOf(tell(anchor, checkpoint(21)));
    assert.equal(owned.code, 'conflict');
    assert.match(owned.message, /conflict with "kubectl-edit"/);
    assert.equal(data()['checkpoint'], checkpoint(9).note);

    await remove();
    const gone = await faultOf(anchor.publish(checkpoint(22), read));
    assert.equal(gone.code, 'network');
    const both = await Promise.all([22, 23].map((size) => faultOf(tell(anchor, checkpoint(size)))));
    // Either of them may be the one that comes too late.
    assert.ok(
      both.every(({ code }) => code === 'none' || code === 'network') &&
        both.some(({ code }) => code === 'none'),
      JSON.stringify(both),
    );
    assert.match(
      data()['size'] ?? '',
      /^2[23]$/,
      'of two that make it at once, each writes over what it knows',
    );
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
    const refused = await faultOf(tell(kubernetesAnchor({ name: 'x', apiServer, account }), checkpoint(1)));
    assert.deepEqual([refused.code, /expired-token/.test(refused.message)], ['forbidden', false]);

    const foreign = makeCertificate(folder, 'foreign');
    writeFileSync(join(account, 'ca.crt'), readFileSync(foreign.cert));
    const untrusted = await faultOf(tell(kubernetesAnchor({ name: 'x', apiServer, account }), checkpoint(1)));
    assert.equal(untrusted.code, 'network', untrusted.message);

    rmSync(join(account, 'token'));
    assert.equal(
      (await faultOf(tell(kubernetesAnchor({ name: 'x', apiServer, account }), checkpoint(1)))).code,
      'usage',
    );
    const plain = kubernetesAnchor({ name: 'x', apiServer: 'http://127.0.0.1:1', account });
    writeFileSync(join(account, 'token'), 't');
    assert.equal((await faultOf(tell(plain, checkpoint(1)))).code, 'usage');
    for (const name of ['', '../x', 'A', 'a/b'])
      assert.throws(() => kubernetesAnchor({ name }), { code: 'usage' });
  });
});
