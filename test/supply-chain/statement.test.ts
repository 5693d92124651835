import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  builderOf,
  fromBase64,
  MAX_SIGNATURES,
  MAX_SUBJECTS,
  parseEnvelope,
  parsePredicate,
  parseSimpleSigning,
  parseStatement,
  statementNames,
} from '../../src/supply-chain/index.ts';

const HEX = 'ab'.repeat(32);
const DIGEST = `sha256:${HEX}`;
const toBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value), 'utf8');

const STATEMENT = {
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'web', digest: { sha1: 'x', sha256: HEX } }],
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: { runDetails: { builder: { id: 'https://builder.example' } } },
};

test('a statement of either layer is read, and names what its subjects hash to', () => {
  for (const version of ['v0.1', 'v1']) {
    const payload = toBytes({ ...STATEMENT, _type: `https://in-toto.io/Statement/${version}` });
    const statement = parseStatement(payload);
    assert.ok(statement !== null);
    assert.equal(statement.predicateType, STATEMENT.predicateType);
    assert.deepEqual(parsePredicate(payload), STATEMENT.predicate);
    assert.ok(statementNames(statement, DIGEST));
    assert.ok(!statementNames(statement, `sha256:${'cd'.repeat(32)}`));
    assert.ok(!statementNames(statement, 'sha1:x'), 'no other algorithm names an image');
  }
});

test('a subject that has the digest only in its name is another thing', () => {
  const named = parseStatement(
    toBytes({ ...STATEMENT, subject: [{ name: `web@${DIGEST}`, digest: { sha512: HEX } }] }),
  );
  assert.ok(named !== null && !statementNames(named, DIGEST));
  const longer = parseStatement(toBytes({ ...STATEMENT, subject: [{ digest: { sha256: `${HEX}00` } }] }));
  assert.ok(longer !== null && !statementNames(longer, DIGEST));
});

const NO_STATEMENTS: Record<string, unknown> = {
  'of another layer': { ...STATEMENT, _type: 'https://in-toto.io/Statement/v2' },
  'without a layer': { ...STATEMENT, _type: undefined },
  'without a predicate type': { ...STATEMENT, predicateType: undefined },
  'with an empty predicate type': { ...STATEMENT, predicateType: '' },
  'with a list for a predicate type': { ...STATEMENT, predicateType: [STATEMENT.predicateType] },
  'without a subject': { ...STATEMENT, subject: [] },
  'with an object for subjects': { ...STATEMENT, subject: STATEMENT.subject[0] },
  'with a subject that has no digest': { ...STATEMENT, subject: [...STATEMENT.subject, { name: 'x' }] },
  'with too many subjects': { ...STATEMENT, subject: Array(MAX_SUBJECTS + 1).fill(STATEMENT.subject[0]) },
  'that is a list': [STATEMENT],
  'that is nothing': null,
};

for (const [what, value] of Object.entries(NO_STATEMENTS)) {
  test(`a document ${what} is not a statement`, () => assert.equal(parseStatement(toBytes(value)), null));
}

test('bytes that are not UTF-8, and a mark before the JSON, are not a statement', () => {
  assert.equal(
    parseStatement(Buffer.concat([toBytes(STATEMENT).subarray(0, -1), Buffer.of(0xff), Buffer.from('}')])),
    null,
  );
  assert.equal(parseStatement(Buffer.concat([Buffer.from('\uFEFF'), toBytes(STATEMENT)])), null);
});

test('the builder stands where the version of the provenance says, and nowhere else', () => {
  const old = {
    ...STATEMENT,
    predicateType: 'https://slsa.dev/provenance/v0.2',
    predicate: { builder: { id: 'b' } },
  };
  const builder = (value: object): string | null => {
    const payload = toBytes(value);
    const statement = parseStatement(payload);
    return statement === null ? 'no statement' : builderOf(statement, payload);
  };
  assert.equal(builder(STATEMENT), 'https://builder.example');
  assert.equal(
    builder({ ...STATEMENT, predicateType: 'https://slsa.dev/provenance/v1.0?draft' }),
    'https://builder.example',
  );
  assert.equal(builder(old), 'b');
  assert.equal(builder({ ...old, predicate: STATEMENT.predicate }), null);
  assert.equal(builder({ ...STATEMENT, predicate: old.predicate }), null);
  assert.equal(builder({ ...STATEMENT, predicateType: 'https://example.com/provenance' }), null);
  for (const id of [undefined, null, '', 7, ['b']]) {
    assert.equal(builder({ ...STATEMENT, predicate: { runDetails: { builder: { id } } } }), null);
  }
});

test('a simple-signing document names one digest in its place', () => {
  const critical = {
    type: 'cosign container image signature',
    image: { 'docker-manifest-digest': DIGEST },
    identity: { 'docker-reference': 'registry.example/web' },
  };
  assert.deepEqual(parseSimpleSigning(toBytes({ critical })), {
    digest: DIGEST,
    reference: 'registry.example/web',
  });
  assert.deepEqual(parseSimpleSigning(toBytes({ critical: { ...critical, identity: null } }))?.reference, '');
  for (const other of [
    { ...critical, type: 'something else' },
    { ...critical, image: { 'docker-manifest-digest': HEX } },
    { ...critical, image: { 'docker-manifest-digest': DIGEST.toUpperCase() } },
    { ...critical, image: DIGEST },
    null,
  ]) {
    assert.equal(parseSimpleSigning(toBytes({ critical: other })), null);
  }
  assert.equal(parseSimpleSigning(toBytes({ optional: { critical } })), null);
});

test('an envelope is read whole or not at all', () => {
  const entry = { keyid: 'k', sig: 'AQI=' };
  const envelope = { payloadType: 'text/plain', payload: 'AQI=', signatures: [entry] };
  assert.deepEqual(parseEnvelope(toBytes(envelope)), {
    payloadType: 'text/plain',
    payload: Buffer.from([1, 2]),
    signatures: [{ keyid: 'k', signature: Buffer.from([1, 2]) }],
  });
  for (const change of [
    { payloadType: '' },
    { payloadType: undefined },
    { payload: '' },
    { payload: '!' },
    { signatures: [] },
    { signatures: [entry, { sig: '' }] },
    { signatures: [entry, {}] },
    { signatures: Array(MAX_SIGNATURES + 1).fill(entry) },
    { signatures: entry },
  ]) {
    assert.equal(parseEnvelope(toBytes({ ...envelope, ...change })), null, JSON.stringify(change));
  }
});

test('base64 is one text for one sequence of bytes, padded or not, in either alphabet', () => {
  for (const text of ['+/8=', '+/8', '-_8=', '-_8'])
    assert.deepEqual(fromBase64(text), Buffer.from([0xfb, 0xff]), text);
  for (const text of ['', ' +/8=', '+/8\n', '+_8=', '+/9=', '+/8==', '+', '=', 'AAAA=', 'é', 7, null]) {
    assert.equal(fromBase64(text), null, JSON.stringify(text));
  }
});
