import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { FeedError } from '../../../src/adapters/feeds/index.ts';
import { vexSources } from '../../../src/app/service/supply-chain.ts';
import { readVexPlace, vexSettings } from '../../../src/app/config/vex.ts';
import type { VexSource } from '../../../src/supply-chain/index.ts';

const NEVER = new AbortController().signal;
const DOCUMENT = Buffer.from('{"statements":[]}');
const BUNDLE = Buffer.from('{"mediaType":"x"}');

const sourceOf = (document: string, bundle?: string): VexSource => {
  const [source] = vexSources(
    vexSettings.parse({ sources: [{ document, ...(bundle !== undefined && { bundle }) }] }),
  );
  assert.ok(source !== undefined);
  return source;
};

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'ipo-vex-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function serve(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly base: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function fault(read: Promise<unknown>): Promise<FeedError> {
  const error: unknown = await read.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof FeedError, String(error));
  assert.doesNotMatch(`${error.message} ${error.place?.file} ${error.hint}`, /hunter2|kev/);
  return error;
}

suite('a source of a VEX document', () => {
  test('a file and the bundle beside it, packed or not', async (t) => {
    const home = folder(t);
    for (const bytes of [DOCUMENT, gzipSync(DOCUMENT)]) {
      writeFileSync(join(home, 'a.json'), bytes);
      writeFileSync(join(home, 'a.json.sigstore.json'), BUNDLE);
      const read = await sourceOf(pathToFileURL(join(home, 'a.json')).href).read(NEVER);
      assert.deepEqual([Buffer.from(read.bytes), Buffer.from(read.bundle)], [DOCUMENT, BUNDLE]);
    }
  });

  test('a bundle of another place', async (t) => {
    const home = folder(t);
    writeFileSync(join(home, 'a.json'), DOCUMENT);
    writeFileSync(join(home, 'b'), BUNDLE);
    const [document, bundle] = [
      pathToFileURL(join(home, 'a.json')).href,
      pathToFileURL(join(home, 'b')).href,
    ];
    assert.deepEqual(Buffer.from((await sourceOf(document, bundle).read(NEVER)).bundle), BUNDLE);
  });

  test('an address, whose query may hold a token, and the bundle at the same with its ending', async (t) => {
    const { base, asked } = await serve(
      t,
      (request, response) =>
        void response.end(request.url?.includes('.sigstore.json') === true ? BUNDLE : DOCUMENT),
    );
    const source = sourceOf(`${base}/vex/doc.json?token=hunter2`);
    assert.equal(source.name, `${base}/vex/doc.json`);
    assert.deepEqual(Buffer.from((await source.read(NEVER)).bytes), DOCUMENT);
    assert.deepEqual(asked, ['/vex/doc.json?token=hunter2', '/vex/doc.json.sigstore.json?token=hunter2']);
  });

  test('what is not there says which of the two, and where', async (t) => {
    const home = folder(t);
    const path = join(home, 'a.json');
    const first = await fault(sourceOf(pathToFileURL(path).href).read(NEVER));
    assert.deepEqual([first.code, first.place?.file], ['unreadable', path]);
    assert.match(first.message, /^the VEX document: /);
    writeFileSync(path, DOCUMENT);
    assert.match(
      (await fault(sourceOf(pathToFileURL(path).href).read(NEVER))).message,
      /^the bundle of the VEX document: /,
    );
    const { base } = await serve(t, (_, response) => void response.writeHead(404).end());
    const third = await fault(sourceOf(`${base}/doc.json?token=hunter2`).read(NEVER));
    assert.equal(third.code, 'network');
    assert.match(third.message, /404/);
  });

  test('a bomb, a cut file and a bundle that never ends are refused', async (t) => {
    const home = folder(t);
    const path = join(home, 'a.json');
    writeFileSync(`${path}.sigstore.json`, BUNDLE);
    const source = sourceOf(pathToFileURL(path).href);
    writeFileSync(path, gzipSync(Buffer.alloc(20_000_000)));
    assert.equal((await fault(source.read(NEVER))).code, 'too_large');
    writeFileSync(path, gzipSync(DOCUMENT).subarray(0, 20));
    assert.equal((await fault(source.read(NEVER))).code, 'invalid_report');
    writeFileSync(path, DOCUMENT);
    writeFileSync(`${path}.sigstore.json`, Buffer.alloc(1024 * 1024 + 1));
    assert.equal((await fault(source.read(NEVER))).code, 'too_large');
  });
});

suite('the setting vex.sources', () => {
  for (const text of [
    'off',
    '',
    'ftp://x',
    'http://vex.example/a',
    'https://me:pass@vex.example/a',
    'file://host/a',
    '/etc/vex/a',
  ])
    test(`${JSON.stringify(text)} is refused`, () => {
      assert.ok('fault' in readVexPlace(text));
      assert.ok(!vexSettings.safeParse({ sources: [{ document: text }] }).success);
    });
  test('nothing is nothing, and an unknown field is refused', () => {
    assert.deepEqual(vexSettings.parse(undefined), { sources: [] });
    assert.ok(!vexSettings.safeParse({ sources: [{ document: 'https://vex.example/a', key: 'x' }] }).success);
  });
});
