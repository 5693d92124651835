import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { IpoError } from '../../src/base/index.ts';
import {
  VexLibrary,
  type NotAccepted,
  type VerifiedArtifact,
  type VexSource,
} from '../../src/supply-chain/index.ts';
import { bytesOf, NEVER } from './memory-registry.ts';
import { memoryVerifier } from './memory-verifier.ts';

const MINUTE = 60_000;
const DOCUMENT = bytesOf({ statements: [{ vulnerability: 'CVE-1', status: 'fixed', products: ['x'] }] });
const ACCEPTED: VerifiedArtifact = {
  kind: 'accepted',
  by: 'identity',
  signed: [{ identity: 'alice', issuer: null, payload: null, signature: null, payloadType: null }],
  statement: null,
};

function library() {
  const state = {
    now: 0,
    reads: 0,
    bytes: DOCUMENT as Uint8Array,
    fault: null as IpoError | null,
    verified: ACCEPTED as VerifiedArtifact | NotAccepted,
    counted: [] as string[],
    warned: [] as unknown[],
  };
  const source: VexSource = {
    name: 'https://vex.example/doc.json',
    async read() {
      state.reads += 1;
      if (state.fault !== null) throw state.fault;
      return { bytes: state.bytes, bundle: Buffer.from('{}') };
    },
  };
  const made = new VexLibrary({
    sources: [source],
    verifier: memoryVerifier(() => state.verified),
    monotonic: { now: () => state.now },
    count: { add: (name, labels) => void state.counted.push(`${name} ${labels?.reason}`) },
    log: { debug() {}, info() {}, warn: (_, keys) => void state.warned.push(keys?.message), error() {} },
  });
  return { state, ask: () => made.documents(NEVER) };
}

const refused = { kind: 'refused', reason: 'signature', message: 'does not verify' } as const;
const unverifiable = { kind: 'unverifiable', reason: 'no_trust_root', message: 'there is none' } as const;

suite('the documents of sources', () => {
  test('are read once in six hours, however often they are asked for', async () => {
    const { state, ask } = library();
    const [first] = await Promise.all([ask(), ask(), ask()]);
    assert.ok(first.documents[0] !== undefined && 'narrow' in first.documents[0].vex);
    assert.deepEqual([first.complete, first.problems], [true, []]);
    state.now = 6 * 60 * MINUTE - 1;
    await ask();
    assert.equal(state.reads, 1);
    state.now += 1;
    await ask();
    assert.equal(state.reads, 2);
  });

  test('one that was never read leaves statements unknown; one that was read stays while it cannot be', async () => {
    const { state, ask } = library();
    state.fault = new IpoError('network', 'vex.example refuses connections');
    const first = await ask();
    assert.deepEqual([first.complete, first.documents], [false, []]);
    assert.deepEqual(
      first.problems.map(({ leavesUnknown }) => leavesUnknown),
      [true],
    );
    state.fault = null;
    state.now = 10 * MINUTE;
    assert.equal((await ask()).complete, true);
    state.fault = new IpoError('network', 'vex.example cut the connection');
    state.now += 6 * 60 * MINUTE;
    const later = await ask();
    assert.deepEqual([later.complete, later.documents.length], [true, 1]);
    assert.deepEqual(
      later.problems.map(({ leavesUnknown, mayPass }) => [leavesUnknown, mayPass]),
      [[false, true]],
    );
    assert.equal(state.warned.length, 2);
    // The same fault is said once.
    state.now += 10 * MINUTE;
    await ask();
    assert.equal(state.warned.length, 2);
  });

  test('one that could not be verified is unknown, and one that is not signed so does not count', async () => {
    const { state, ask } = library();
    state.verified = unverifiable;
    assert.equal((await ask()).complete, false);
    state.verified = refused;
    state.now = 10 * MINUTE;
    const found = await ask();
    assert.deepEqual([found.complete, found.documents], [true, []]);
    assert.deepEqual(state.counted, ['svc_vex_rejected_total unverified']);
  });

  test('a document that is replaced by one that does not count goes', async () => {
    const { state, ask } = library();
    assert.equal((await ask()).documents.length, 1);
    state.bytes = Buffer.from('{"x":1}');
    state.now = 6 * 60 * MINUTE;
    const found = await ask();
    assert.deepEqual([found.complete, found.documents], [true, []]);
    assert.deepEqual(state.counted, ['svc_vex_rejected_total unreadable']);
  });

  test('a key that signed a statement about the file cannot be checked by a policy, and is told', async () => {
    const { state, ask } = library();
    state.verified = {
      ...ACCEPTED,
      by: 'key',
      statement: { type: 'https://in-toto.io/Statement/v1', predicateType: 'x', subjects: [] },
    };
    const found = await ask();
    assert.deepEqual(found.documents, []);
    assert.match(found.problems[0]?.message ?? '', /sign-blob/);
  });

  test('a defect is not taken for a fault of the source', async () => {
    const { state, ask } = library();
    state.fault = new TypeError('defect') as unknown as IpoError;
    await assert.rejects(ask(), TypeError);
  });
});
