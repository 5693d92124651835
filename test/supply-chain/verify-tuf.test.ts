import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openTufTrust, type TrustSource } from '../../src/adapters/sigstore/index.ts';
import { canonicalJson, sha256Hex } from '../../src/base/index.ts';

const NEVER = new AbortController().signal;
const HOUR = 3_600_000;

/** A TUF repository on loopback: one key for every role, one target. */
class Mirror {
  readonly files = new Map<string, string>();
  readonly #key = generateKeyPairSync('ed25519');
  /** What it does beside answering: `down` breaks connections, `silent` never answers. */
  mode: 'up' | 'down' | 'silent' = 'up';
  asked: string[] = [];
  url = '';

  async open(t: TestContext): Promise<void> {
    const server = createServer((request, response) => {
      this.asked.push(request.url ?? '');
      if (this.mode === 'down') return void request.socket.destroy();
      if (this.mode === 'silent') return;
      const text = this.files.get(request.url ?? '');
      response.writeHead(text === undefined ? 404 : 200).end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** publish puts a version of the target in place, signed by the key of the roles or by another. */
  publish(version: number, target: string, lifeMs = 24 * HOUR, key = this.#key.privateKey): string {
    const expires = new Date(Date.now() + lifeMs).toISOString().replace(/\.\d+Z$/, 'Z');
    const publicKey = this.#key.publicKey
      .export({ type: 'spki', format: 'der' })
      .subarray(-32)
      .toString('hex');
    const shared = { keytype: 'ed25519', scheme: 'ed25519', keyval: { public: publicKey } };
    const keyid = sha256Hex(canonicalJson(shared));
    const role = { keyids: [keyid], threshold: 1 };
    const signed = (_type: string, by: typeof key, fields: object): string => {
      const body = { _type, spec_version: '1.0.31', version, expires, ...fields };
      const sig = sign(null, Buffer.from(canonicalJson(body)), by).toString('hex');
      return JSON.stringify({ signed: body, signatures: [{ keyid, sig }] });
    };
    const hashes = { sha256: sha256Hex(target) };
    this.files.set('/timestamp.json', signed('timestamp', key, { meta: { 'snapshot.json': { version } } }));
    this.files.set('/snapshot.json', signed('snapshot', key, { meta: { 'targets.json': { version } } }));
    const targets = { 'trusted_root.json': { length: Buffer.byteLength(target), hashes } };
    this.files.set('/targets.json', signed('targets', key, { targets }));
    this.files.set('/targets/trusted_root.json', target);
    const roles = { root: role, timestamp: role, snapshot: role, targets: role };
    const far = { expires: new Date(Date.now() + 1e10).toISOString().replace(/\.\d+Z$/, 'Z'), version: 1 };
    return signed('root', this.#key.privateKey, {
      keys: { [keyid]: shared },
      roles,
      consistent_snapshot: false,
      ...far,
    });
  }
}

async function set(t: TestContext, lifeMs?: number) {
  const mirror = new Mirror();
  await mirror.open(t);
  const folder = mkdtempSync(join(tmpdir(), 'ipo-tuf-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const rootPath = join(folder, 'root.json');
  writeFileSync(rootPath, mirror.publish(1, '{"first":1}', lifeMs));
  const warnings: unknown[] = [];
  const quiet = (): void => {};
  const infos: string[] = [];
  const log = {
    debug: quiet,
    info: (message: string) => void infos.push(message),
    error: quiet,
    warn: (_: string, keys?: unknown) => void warnings.push(keys),
  };
  const time = { now: 0 };
  const open = (timeLimit = 20_000): TrustSource =>
    openTufTrust({
      mirror: mirror.url,
      rootPath,
      cachePath: join(folder, 'cache'),
      clock: { now: () => time.now },
      log,
      timeLimit,
    });
  return { mirror, open, warnings, infos, time };
}

const textOf = async (source: TrustSource): Promise<string | null> => {
  const { document } = await source.current(NEVER);
  return document === null ? null : Buffer.from(document.bytes).toString('utf8');
};

test('a trust root is had from a TUF repository once a day, by all at once', async (t) => {
  const { mirror, open, time } = await set(t);
  const source = open();
  const [one, two] = await Promise.all([source.current(NEVER), source.current(NEVER)]);
  assert.equal(await textOf(source), '{"first":1}');
  assert.ok(one.document !== null && one.document === two.document);
  const asked = mirror.asked.length;
  assert.equal(mirror.asked.filter((path) => path === '/timestamp.json').length, 1);
  time.now += 23 * HOUR;
  await source.current(NEVER);
  assert.equal(mirror.asked.length, asked);
  mirror.publish(2, '{"second":2}');
  time.now += 2 * HOUR;
  assert.equal(await textOf(source), '{"second":2}');
});

test('the same trust root stays the same object, so that nobody opens it again', async (t) => {
  const { open, time } = await set(t);
  const source = open();
  const first = await source.current(NEVER);
  time.now += 25 * HOUR;
  assert.equal((await source.current(NEVER)).document, first.document);
});

test('where the mirror is down, what is kept serves until it expires, and after that nothing does', async (t) => {
  const { mirror, open, warnings } = await set(t);
  assert.equal(await textOf(open()), '{"first":1}');
  mirror.mode = 'down';
  assert.equal(await textOf(open()), '{"first":1}', 'a restart without a network');
  assert.equal(warnings.length, 1);
  const expired = await set(t, -HOUR);
  const { document, fault } = await expired.open().current(NEVER);
  assert.equal(document, null);
  assert.match(fault ?? '', /^no trust root could be had from http:\/\/127\.0\.0\.1/);
});

test('a mirror that is down is said once with what works meanwhile, and once when it answers again', async (t) => {
  const { mirror, open, warnings, infos, time } = await set(t);
  const source = open();
  mirror.mode = 'down';
  for (let i = 0; i < 3; i += 1) {
    await source.current(NEVER);
    time.now += HOUR;
  }
  const { cause, ...keys } = warnings[0] as Record<string, unknown>;
  assert.equal(typeof cause, 'string');
  assert.deepEqual(keys, {
    from: mirror.url,
    meanwhile: 'keyless signatures are not verified; signatures by keys, and all else, are',
    next_try: '1970-01-01T00:05:00Z',
  });
  assert.deepEqual([warnings.length, infos], [1, []]);
  mirror.mode = 'up';
  await source.current(NEVER);
  assert.deepEqual([warnings.length, infos], [1, ['the trust root can be fetched again']]);
});

test('what nobody signed whom the first root trusts is not taken, and the older one is not given back', async (t) => {
  const { mirror, open, time } = await set(t);
  mirror.publish(1, '{"forged":1}', 24 * HOUR, generateKeyPairSync('ed25519').privateKey);
  const source = open();
  const { document, fault } = await source.current(NEVER);
  assert.equal(document, null);
  assert.notEqual(fault, null);
  mirror.publish(2, '{"second":2}');
  time.now += HOUR;
  assert.equal(await textOf(source), '{"second":2}');
  mirror.publish(1, '{"first":1}');
  time.now += 25 * HOUR;
  assert.equal(await textOf(source), '{"second":2}', 'a mirror that goes back in time');
});

test('a target that is not what was signed is not taken', async (t) => {
  const { mirror, open } = await set(t);
  mirror.files.set('/targets/trusted_root.json', '{"first":2}');
  assert.equal(await textOf(open()), null);
});

test('a mirror that never answers is given up, and not asked again at once', async (t) => {
  const { mirror, open, time } = await set(t);
  mirror.mode = 'silent';
  const source = open(50);
  const gone = new AbortController();
  const waiting = source.current(gone.signal);
  gone.abort();
  assert.equal((await waiting).document, null, 'a caller that goes away waits for nothing');
  mirror.mode = 'down';
  assert.equal((await source.current(NEVER)).document, null);
  const asked = mirror.asked.length;
  await source.current(NEVER);
  assert.equal(mirror.asked.length, asked);
  mirror.mode = 'up';
  time.now += HOUR;
  assert.equal(await textOf(source), '{"first":1}');
});
