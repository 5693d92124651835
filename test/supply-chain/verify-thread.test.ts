import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  openTrustFile,
  openVerifier,
  type OpenVerifier,
  type TrustSource,
  type VerifierOptions,
} from '../../src/adapters/sigstore/index.ts';
import type { Evidence } from '../../src/supply-chain/index.ts';
import { bytes, json, NOT_AT_HAND } from './verify-data.ts';
import { keepRunning } from '../keep-running.ts';

const skip = NOT_AT_HAND;
const PATH = 'slsa/bcr-MODULE.sigstore.json';
const ENTRY = join(import.meta.dirname, 'verify-thread-entry.ts');
const HANG = join(import.meta.dirname, 'verify-thread-hang.ts');
const KEYED: Evidence = { kind: 'simple_signing', payload: Buffer.from('{}'), annotations: {} };

interface Line {
  readonly level: string;
  readonly message: string;
}

function open(t: TestContext, options: Partial<VerifierOptions>): { verifier: OpenVerifier; lines: Line[] } {
  const lines: Line[] = [];
  const to = (level: string) => (message: string) => void lines.push({ level, message });
  const log = { debug: to('debug'), info: to('info'), warn: to('warn'), error: to('error') };
  const verifier = openVerifier({ trust: null, log, entry: ENTRY, ...options });
  t.after(() => verifier.close());
  return { verifier, lines };
}

const fixed = (file: Uint8Array): TrustSource => {
  const document = { bytes: file, file: 'trusted_root.json' };
  return { current: async () => ({ document, fault: null }) };
};
const evidence = (): Evidence => ({ kind: 'bundle', bundle: bytes(PATH), manifest: null });
const digest = (): string => `sha256:${json('EXPECTED.json').bundles[PATH].subjects[0].digest.sha256}`;

test('the thread gives what a verification in place gives, for many at once', { skip }, async (t) => {
  const trust = fixed(bytes('trust/trusted_root.json'));
  const { verifier } = open(t, { trust });
  const { verifier: inPlace } = open(t, { trust, entry: null });
  const expected = await inPlace.verify(digest(), evidence());
  assert.equal(expected.kind, 'accepted');
  const results = await Promise.all(Array.from({ length: 5 }, () => verifier.verify(digest(), evidence())));
  for (const result of results) {
    assert.ok(result.kind === 'accepted' && expected.kind === 'accepted');
    assert.deepEqual({ ...result, payload: null }, { ...expected, payload: null });
    assert.deepEqual(Buffer.from(result.payload), Buffer.from(expected.payload));
  }
  const artifact = bytes('conformance/a.txt');
  const bundle = bytes('conformance/happy-path-v0.3/bundle.sigstore.json');
  assert.deepEqual(
    await verifier.verifyArtifact(artifact, bundle),
    await inPlace.verifyArtifact(artifact, bundle),
  );
});

test('work that hangs is ended, said to be unverifiable, and the next call has a new thread', async (t) => {
  const { verifier } = open(t, { entry: HANG, taskLimit: 20 });
  for (let i = 0; i < 2; i += 1) {
    const result = await verifier.verify('hang', KEYED);
    assert.equal(result.kind === 'unverifiable' && result.reason, 'deadline');
  }
});

test('a thread that ends by itself fails its call and is logged', async (t) => {
  const { verifier, lines } = open(t, { entry: HANG });
  const result = await verifier.verify('exit', KEYED);
  assert.equal(result.kind === 'unverifiable' && result.reason, 'fault');
  assert.deepEqual(
    lines.map(({ level }) => level),
    ['error'],
  );
});

test('a program that is not there fails its call and no other part', async (t) => {
  const { verifier } = open(t, { entry: join(import.meta.dirname, 'no-such-file.ts') });
  const result = await verifier.verify('any', KEYED);
  assert.equal(result.kind === 'unverifiable' && result.reason, 'fault');
});

test(
  'no call outlives its time, though the trust root never comes, and one too many is turned away',
  { skip },
  async (t) => {
    keepRunning(t);
    const never: TrustSource = { current: () => new Promise(() => {}) };
    const { verifier } = open(t, { trust: never, timeLimit: 30, queue: 2, entry: null });
    const calls = [1, 2, 3].map(() => verifier.verify(digest(), evidence()));
    const reasons = (await Promise.all(calls)).map((result) =>
      result.kind === 'accepted' ? '' : result.reason,
    );
    assert.deepEqual(reasons, ['deadline', 'deadline', 'busy']);
  },
);

test('what needs no trust root does not wait for one', async (t) => {
  const never: TrustSource = { current: () => new Promise(() => {}) };
  const payload = Buffer.from(
    JSON.stringify({ critical: { image: { 'docker-manifest-digest': `sha256:${'a'.repeat(64)}` } } }),
  );
  const annotations = { 'dev.cosignproject.cosign/signature': 'AAAA' };
  for (const entry of [ENTRY, null]) {
    const { verifier } = open(t, { trust: never, entry });
    const ask = (more: object) =>
      verifier.verify(`sha256:${'a'.repeat(64)}`, {
        kind: 'simple_signing',
        payload,
        annotations: { ...annotations, ...more },
      });
    assert.equal((await ask({})).kind, 'accepted');
    const wrong = await verifier.verify(`sha256:${'b'.repeat(64)}`, {
      kind: 'simple_signing',
      payload,
      annotations,
    });
    assert.equal(wrong.kind === 'refused' && wrong.reason, 'other_subject');
  }
});

test('a trust root that once did not come in time holds up nobody after it', { skip }, async (t) => {
  const document = { bytes: bytes('trust/trusted_root.json'), file: 'trusted_root.json' };
  let asked = 0;
  const late: TrustSource = {
    current: () => ((asked += 1) === 1 ? new Promise(() => {}) : Promise.resolve({ document, fault: null })),
  };
  const { verifier } = open(t, { trust: late, entry: null });
  const gone = new AbortController();
  const first = verifier.verify(digest(), evidence(), gone.signal);
  const second = verifier.verify(digest(), evidence());
  setImmediate(() => gone.abort());
  assert.equal((await first).kind, 'unverifiable');
  assert.equal((await second).kind, 'accepted');
});

test('a caller that goes away is answered at once', { skip }, async (t) => {
  const never: TrustSource = { current: () => new Promise(() => {}) };
  const { verifier } = open(t, { trust: never });
  const gone = new AbortController();
  const call = verifier.verify(digest(), evidence(), gone.signal);
  gone.abort();
  const result = await call;
  assert.equal(result.kind === 'unverifiable' && result.reason, 'deadline');
});

test(
  'a trust root file is read again when it is another one, and its faults are told',
  { skip },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'ipo-trust-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'trusted_root.json');
    let now = 0;
    for (const entry of [ENTRY, null]) {
      rmSync(path, { force: true });
      const { verifier, lines } = open(t, {
        entry,
        trust: openTrustFile(path, { now: () => (now += 60_000) }),
      });
      const ask = () => verifier.verify(digest(), evidence());
      const absent = await ask();
      assert.ok(absent.kind === 'unverifiable' && absent.reason === 'no_trust_root');
      assert.match(absent.message, /cannot be read: ENOENT$/);
      writeFileSync(path, '{"mediaType":"application/vnd.dev.sigstore.trustedroot+json;version=0.1"}');
      const empty = await ask();
      assert.ok(
        empty.kind === 'unverifiable' && /neither a certificate authority/.test(empty.message),
        JSON.stringify(empty),
      );
      assert.ok(
        lines.some(
          ({ level, message }) => level === 'error' && message.startsWith('the trust root cannot be used'),
        ),
      );
      assert.equal(verifier.rootFault?.startsWith('the trust root'), true);
      writeFileSync(path, bytes('trust/trusted_root.json'));
      assert.equal((await ask()).kind, 'accepted');
      assert.equal(verifier.rootFault, null);
      // The root of another instance: the same evidence is by nobody whom it trusts.
      writeFileSync(path, bytes('conformance/rekor2-happy-path/trusted_root.json'));
      assert.equal((await ask()).kind, 'refused');
    }
  },
);
