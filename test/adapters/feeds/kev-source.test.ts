import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { FeedError, openKevSource } from '../../../src/adapters/feeds/index.ts';
import {
  readKevSource,
  type Fetched,
  type KevCatalogue,
  type Validators,
} from '../../../src/catalogues/index.ts';

const TEXT = JSON.stringify({
  count: 1,
  vulnerabilities: [{ cveID: 'CVE-2026-0001', dateAdded: '2026-08-07', dueDate: '2026-08-28' }],
});
const ENTRIES = [{ cve: 'CVE-2026-0001', dateAdded: '2026-08-07', dueDate: '2026-08-28' }];
const NEVER = new AbortController().signal;

type Ask = (
  known?: Validators | null,
  signal?: AbortSignal,
  timeoutMs?: number,
) => Promise<Fetched<KevCatalogue>>;

function source(name: string): Ask {
  const place = readKevSource(name);
  assert.ok(!('fault' in place), name);
  return async (known = null, signal = NEVER, timeoutMs = 10_000) => {
    const opened = openKevSource(name, place, { timeoutMs });
    assert.ok(opened);
    return opened.ask(known, signal);
  };
}

async function serve(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly ask: Ask; readonly calls: IncomingMessage[]; readonly host: string }> {
  const calls: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    calls.push(request);
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { ask: source(`http://${host}/kev.json?token=hunter2`), calls, host };
}

/** The fault that a fetch ends with; it never shows what may be a token. */
async function fault(fetch: Promise<unknown>): Promise<FeedError> {
  const error: unknown = await fetch.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof FeedError, String(error));
  assert.doesNotMatch(`${error.message} ${error.place?.file} ${error.hint}`, /hunter2/);
  return error;
}

suite('the catalogue from a server', () => {
  test('is asked for once, and gives what to ask with later', async (t) => {
    const { ask, calls } = await serve(t, (_, response) =>
      response.writeHead(200, { etag: '"a"', 'last-modified': 'Fri, 07 Aug 2026 16:45:47 GMT' }).end(TEXT),
    );
    const fetched = await ask();
    assert.deepEqual(fetched, {
      kind: 'new',
      value: { version: null, releasedAt: null, entries: ENTRIES },
      validators: { etag: '"a"', lastModified: 'Fri, 07 Aug 2026 16:45:47 GMT' },
    });
    assert.equal(calls.length, 1);
    assert.equal(calls[0]?.url, '/kev.json?token=hunter2');
    const { headers } = calls[0] ?? {};
    assert.deepEqual([headers?.['if-none-match'], headers?.['if-modified-since']], [undefined, undefined]);
  });

  test('says that nothing is new', async (t) => {
    const { ask, calls } = await serve(t, (_, response) => response.writeHead(304).end());
    assert.deepEqual(await ask({ etag: '"a"', lastModified: 'yesterday' }), { kind: 'same' });
    const { headers } = calls[0] ?? {};
    assert.deepEqual([headers?.['if-none-match'], headers?.['if-modified-since']], ['"a"', 'yesterday']);
    assert.match((await fault(ask())).message, /status 304/, 'nobody asked whether it is new');
  });

  for (const [name, head, body] of [
    ['packed on the way', { 'content-encoding': 'gzip' }, gzipSync(TEXT)],
    ['packed as it lies there', {}, gzipSync(TEXT)],
    ['packed twice', { 'content-encoding': 'gzip' }, gzipSync(gzipSync(TEXT))],
    ['with a mark of byte order', {}, `\uFEFF${TEXT}`],
  ] as const)
    test(`may be ${name}`, async (t) => {
      const { ask } = await serve(t, (_, response) => response.writeHead(200, head).end(body));
      const fetched = await ask();
      assert.deepEqual(fetched.kind === 'new' && fetched.value.entries, ENTRIES);
    });

  for (const code of [301, 302, 303, 307, 308])
    test(`is not followed elsewhere (${code})`, async (t) => {
      const { ask, calls } = await serve(t, (_, response) =>
        response.writeHead(code, { location: 'https://other.example.com/kev.json?token=hunter2' }).end(),
      );
      const { code: fault_, message } = await fault(ask());
      assert.equal(fault_, 'network');
      assert.match(message, /redirects to https:\/\/other\.example\.com\/kev\.json \(status 3\d\d\)/);
      assert.equal(calls.length, 1);
    });

  for (const status of [204, 403, 404, 429, 500, 503])
    test(`is not asked again where it answers with ${status}`, async (t) => {
      const { ask, calls } = await serve(t, (_, response) => response.writeHead(status).end(TEXT.repeat(0)));
      assert.match(
        (await fault(ask())).message,
        new RegExp(`does not give the catalogue \\(status ${status}`),
      );
      assert.equal(calls.length, 1);
    });

  test('a page in its place is not a catalogue', async (t) => {
    const { ask } = await serve(t, (_, response) => response.end('<html>Sign in</html>'));
    assert.equal((await fault(ask())).code, 'invalid_report');
  });

  test('what is packed in another way is refused', async (t) => {
    const { ask } = await serve(t, (_, response) =>
      response.writeHead(200, { 'content-encoding': 'br' }).end(Buffer.from([0x0b, 0x02, 0x80, 0xff, 0x03])),
    );
    assert.match((await fault(ask())).message, /not UTF-8/);
  });

  test('a small packet that unpacks to much is refused', async (t) => {
    const bombs = {
      zeroes: gzipSync(Buffer.alloc(8_000_000)), // a thousand times its size
      twice: gzipSync(gzipSync(Buffer.alloc(8_000_000))),
      cut: gzipSync(TEXT).subarray(0, -10),
    };
    for (const [name, bytes] of Object.entries(bombs)) {
      const { ask } = await serve(t, (_, response) => response.end(bytes));
      const { code, message } = await fault(ask());
      assert.equal(code, name === 'cut' ? 'invalid_report' : 'too_large', name);
      assert.match(message, name === 'cut' ? /damaged, or was cut off/ : /more than 100 times its size/);
    }
  });

  test('an answer without an end is cut', async (t) => {
    const { ask } = await serve(t, (_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(4_194_304, ' ')));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const { code, message } = await fault(ask());
    assert.deepEqual([code, /more than 64 MiB/.test(message)], ['too_large', true]);
  });

  test('a server that never ends its answer is left when the time is over', async (t) => {
    const { ask } = await serve(t, (_, response) => response.write('{"vulnerabilities":['));
    const { code, message } = await fault(ask(null, NEVER, 50));
    assert.equal(code, 'network');
    assert.match(message, /did not answer in full within 0\.05 seconds/);
  });

  test('a service that ends does not wait for it', async (t) => {
    const stop = new AbortController();
    const { ask } = await serve(t, () => stop.abort());
    await fault(ask(null, stop.signal));
  });

  test('nobody there is said, with what to do', async (t) => {
    const { host } = await serve(t, (request) => request.destroy());
    assert.match((await fault(source(`http://${host}/`)())).message, /cut the connection/);
    const { message, hint } = await fault(source('http://127.0.0.1:1/kev.json')());
    assert.match(message, /refuses connections/);
    assert.match(hint ?? '', /file:\/\/\/.*or to off/);
  });

  test('metadata services are never called, whatever is written', async () => {
    for (const host of ['169.254.169.254', '[::ffff:a9fe:a9fe]', '[fd00:ec2::254]'])
      assert.match((await fault(source(`https://${host}/latest/`)())).message, /link-local or a metadata/);
  });
});

suite('the catalogue from a file', () => {
  function folder(t: TestContext): string {
    const path = mkdtempSync(join(tmpdir(), 'ipo-kev-'));
    t.after(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  test('may be packed, whatever its name says, and lie behind a link as a ConfigMap lays it', async (t) => {
    const place = folder(t);
    mkdirSync(join(place, '..data'));
    writeFileSync(join(place, '..data', 'kev.json'), gzipSync(TEXT));
    symlinkSync(join('..data', 'kev.json'), join(place, 'kev.json'));
    writeFileSync(join(place, 'plain name.gz'), TEXT);
    for (const name of ['kev.json', 'plain%20name.gz']) {
      const fetched = await source(`file://${place}/${name}`)();
      assert.deepEqual(fetched.kind === 'new' && fetched.value.entries, ENTRIES);
    }
  });

  test('what cannot be read is said', async (t) => {
    const place = folder(t);
    execFileSync('mkfifo', [join(place, 'pipe')]);
    for (const [name, message] of [
      ['none.json', /none\.json is not there/],
      ['', /is a directory/],
      ['pipe', /pipe is not a file/],
    ] as const) {
      const { code, message: said } = await fault(source(`file://${place}/${name}`)());
      assert.equal(code, 'unreadable');
      assert.match(said, message);
    }
    assert.match((await fault(source('file:///dev/zero')())).message, /is not a file/);
  });
});
