import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { canonicalJson } from '../../src/base/index.ts';
import {
  issueCertificate,
  LicenceError,
  openCertificate,
  readUnverified,
  refusalsOf,
  type CertificateBody,
  type LicenceFault,
} from '../../src/licence/index.ts';
import { toSigner, writeNote, type NoteSigner } from '../../src/ledger/index.ts';

const AT = Date.parse('2026-11-20T12:00:00Z');
const signerOf = (name: string): NoteSigner =>
  toSigner(
    name,
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
const OURS = signerOf('acme');
const BODY: CertificateBody = {
  ...{ id: 'c1', customer: 'Acme', key_id: 'k1', cluster_id: 'uid-1', request_id: 'abcdefgh' },
  ceiling: { nodes: 10, image_names: 100, clusters: null },
  ...{ issued_at: '2026-11-01T00:00:00Z', not_after: '2027-11-01T00:00:00Z' },
};
const EXPECTED = { clusterId: 'uid-1', keyId: 'k1', requestId: 'abcdefgh', at: AT };
const GOOD = issueCertificate(BODY, OURS);
/** Signs whatever text. */
const signed = (json: string, by = OURS, head = 'ipo-licence-1\n', end = '\n'): string => {
  const text = `${head}${json}${end}`;
  return writeNote(text, [by.sign(text)]);
};
const changed = (change: object, by = OURS): string => signed(canonicalJson({ ...BODY, ...change }), by);

/** Why a certificate is refused; null when it is not. */
function faultOf(text: string): LicenceFault | null {
  try {
    return refusalsOf(openCertificate(text, [OURS]), EXPECTED)[0]?.fault ?? null;
  } catch (error) {
    assert.ok(error instanceof LicenceError, String(error));
    return error.fault;
  }
}

test('a certificate opens with the key that signed it, and says what was issued', () => {
  const { body, signedBy, notAfter } = openCertificate(GOOD, [signerOf('other'), OURS]);
  assert.deepEqual([body, signedBy, notAfter], [BODY, 'acme', Date.parse('2027-11-01T00:00:00Z')]);
  assert.equal(faultOf(GOOD), null);
  assert.equal(faultOf(changed({ not_after: null })), null);
  assert.equal(faultOf(changed({ ceiling: { nodes: null, image_names: null, clusters: null } })), null);
  const { request_id: _, ...anyRequest } = BODY;
  assert.equal(faultOf(issueCertificate(anyRequest, OURS)), null, 'one that names no request answers any');
  assert.throws(() => issueCertificate({ ...BODY, id: '' }, OURS), /this is not a licence certificate: id/);
});

test('264 flipped bits, spread over the whole certificate: none is taken', () => {
  const bytes = Buffer.from(GOOD);
  const bits = bytes.length * 8;
  for (let n = 0; n < 264; n += 1) {
    const bit = Math.floor((n * bits) / 264) + (n % 7);
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.notEqual(faultOf(flipped.toString('utf8')), null, `bit ${bit}`);
  }
});

const json = canonicalJson(BODY);
const WRONG: Readonly<Record<string, readonly [text: string, fault: LicenceFault]>> = {
  'of another key of the same name': [changed({}, signerOf('acme')), 'not_signed'],
  'of a key of another name': [changed({}, signerOf('evil')), 'not_signed'],
  'signed by nobody': [`ipo-licence-1\n${json}\n\n`, 'malformed'],
  'with its signature cut off': [GOOD.slice(0, GOOD.indexOf('\u2014')), 'malformed'],
  'with the signature of another certificate': [
    `ipo-licence-1\n${canonicalJson({ ...BODY, id: 'c2' })}\n\n${GOOD.slice(GOOD.indexOf('\u2014'))}`,
    'not_signed',
  ],
  'for another cluster': [changed({ cluster_id: 'uid-2' }), 'other_cluster'],
  'for another licence key': [changed({ key_id: 'k2' }), 'other_key'],
  'for another request': [changed({ request_id: 'zyxwvuts' }), 'other_request'],
  'that ended a year ago': [changed({ not_after: '2025-11-01T00:00:00Z' }), 'expired'],
  'that ends now': [changed({ not_after: '2026-11-20T12:00:00Z' }), 'expired'],
  'without a node ceiling': [changed({ ceiling: { image_names: 1, clusters: 1 } }), 'no_node_ceiling'],
  'of another format': [signed(json, OURS, 'ipo-licence-2\n'), 'malformed'],
  'without a format': [signed(json, OURS, ''), 'malformed'],
  'of a checkpoint': [signed('5\nAAAA', OURS, 'ipo.dev/ledger/x\n'), 'malformed'],
  'with a second line': [signed(`${json}\nmore`), 'malformed'],
  'with an empty content': [signed(''), 'malformed'],
  'that is not JSON': [signed('{'), 'malformed'],
  'that is a list': [signed('[]'), 'malformed'],
  'that is null': [signed('null'), 'malformed'],
  'with spaces': [signed(JSON.stringify(BODY, null, 1).replaceAll('\n', ' ')), 'malformed'],
  'with its keys in another order': [signed(JSON.stringify(BODY)), 'malformed'],
  'with a key twice': [signed(json.replace('"id":"c1"', '"id":"c0","id":"c1"')), 'malformed'],
  'with a number of another spelling': [signed(json.replace('"nodes":10', '"nodes":1e1')), 'malformed'],
  'with an unknown field': [changed({ more: 1 }), 'malformed'],
  'with an unknown ceiling': [changed({ ceiling: { ...BODY.ceiling, pods: 1 } }), 'malformed'],
  'without an id': [changed({ id: undefined }), 'malformed'],
  'with an empty id': [changed({ id: '' }), 'malformed'],
  'with a blank in its id': [changed({ id: 'a b' }), 'malformed'],
  'without a customer': [changed({ customer: undefined }), 'malformed'],
  'with a customer that is none': [changed({ customer: 7 }), 'malformed'],
  'without a cluster': [changed({ cluster_id: undefined }), 'malformed'],
  'without ceilings': [changed({ ceiling: undefined }), 'malformed'],
  'with ceilings that are null': [changed({ ceiling: null }), 'malformed'],
  'with a ceiling below zero': [changed({ ceiling: { ...BODY.ceiling, nodes: -1 } }), 'malformed'],
  'with half a node': [changed({ ceiling: { ...BODY.ceiling, nodes: 1.5 } }), 'malformed'],
  'with a ceiling as text': [changed({ ceiling: { ...BODY.ceiling, nodes: '10' } }), 'malformed'],
  'with a ceiling beyond all': [changed({ ceiling: { ...BODY.ceiling, nodes: 1e12 } }), 'malformed'],
  'with an end that is no time': [changed({ not_after: 'tomorrow' }), 'malformed'],
  'without an end at all': [changed({ not_after: undefined }), 'malformed'],
  'with an issue that is no time': [changed({ issued_at: '2026' }), 'malformed'],
  'larger than any': [signed(canonicalJson({ ...BODY, customer: 'a'.repeat(20_000) })), 'malformed'],
  'that is empty': ['', 'malformed'],
  'with bytes that are no text': [GOOD.replace('Acme', '\ud800'), 'malformed'],
};

test('40 wrong certificates and more are refused, each for its reason', () => {
  assert.ok(Object.keys(WRONG).length >= 40);
  for (const [what, [text, fault]] of Object.entries(WRONG)) assert.equal(faultOf(text), fault, what);
});

test('the sentences of the refusals, all of them at once where several stand', () => {
  const wrong = openCertificate(
    issueCertificate(
      {
        ...BODY,
        ...{ cluster_id: 'uid-2', key_id: 'k2', request_id: 'zyxwvuts', not_after: '2025-01-01T00:00:00Z' },
        ceiling: { image_names: 1, clusters: 1 },
      },
      OURS,
    ),
    [OURS],
  );
  assert.deepEqual(
    refusalsOf(wrong, EXPECTED).map(({ message }) => message),
    [
      'certificate is for cluster uid-2, this is uid-1',
      'certificate is for another licence key',
      'certificate answers another activation request',
      'certificate expired at 2025-01-01T00:00:00Z',
      're-activate with a key issued by licence service 1.3.0 or later',
    ],
  );
  assert.throws(() => openCertificate(GOOD, []), /certificate is not signed by a key of licence\.publicKeys/);
  assert.deepEqual(readUnverified(GOOD), BODY);
  assert.equal(readUnverified('x'), null);
});
