import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { suite, test } from 'node:test';
import { KEY_NAMES, privateKey, publicPem } from '../../fixtures/decisions/keys.ts';
import { attestationCounts, signatureCounts, type SignedEntry } from '../../src/facts/index.ts';
import { verifyWithKey } from '../../src/facts/keys.ts';
import { critical, inToto, KEY, OTHER, signed, WEB } from './signed.ts';

suite('verifyWithKey', () => {
  const data = Buffer.from('payload');
  const hashes = {
    p256: 'sha256',
    p384: 'sha384',
    p521: 'sha512',
    ed25519: null,
    rsa: 'sha256',
    stranger: 'sha256',
  } as const;
  for (const name of KEY_NAMES) {
    test(`${name}: its own signature verifies, no bit of it may change`, () => {
      const signature = sign(hashes[name], data, privateKey(name));
      assert.ok(verifyWithKey(publicPem(name), data, signature));
      assert.ok(!verifyWithKey(publicPem(name), Buffer.from('Payload'), signature));
      assert.ok(!verifyWithKey(publicPem(name), data, Buffer.alloc(0)));
      assert.ok(!verifyWithKey(publicPem(name), data, signature.subarray(1)));
      for (let at = 0; at < signature.length; at += 7) {
        const changed = Buffer.from(signature);
        changed[at] = (changed[at] ?? 0) ^ 1;
        assert.ok(!verifyWithKey(publicPem(name), data, changed), `byte ${at}`);
      }
      for (const other of KEY_NAMES) {
        if (other !== name) assert.ok(!verifyWithKey(publicPem(other), data, signature), other);
      }
    });
  }

  test('RSA with another hash does not verify', () => {
    for (const hash of ['sha1', 'sha512']) {
      assert.ok(!verifyWithKey(publicPem('rsa'), data, sign(hash, data, privateKey('rsa'))), hash);
    }
  });

  test('a curve that is not supported verifies nothing', () => {
    const { publicKey, privateKey: secret } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    assert.ok(!verifyWithKey(pem, data, sign('sha256', data, secret)));
  });

  for (const pem of [
    '',
    'no key',
    '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----',
    KEY.slice(0, 60),
  ]) {
    test(`${JSON.stringify(pem.slice(0, 30))} verifies nothing and throws nothing`, () => {
      assert.ok(!verifyWithKey(pem, data, Buffer.from('x')));
    });
  }
});

suite('what a signed payload must name', () => {
  const signers = [{ key: KEY }];
  const table: readonly (readonly [name: string, payload: unknown, counts: boolean])[] = [
    ['the digest', critical(WEB), true],
    ['another digest', critical(OTHER), false],
    ['the bare hash', critical(WEB.slice(7)), false],
    ['a list of digests', critical([WEB]), false],
    ['a statement about the digest', inToto(WEB, 'x'), true],
    ['a statement about another digest', inToto(OTHER, 'x'), false],
    [
      'a statement about both',
      { subject: [...[OTHER, WEB].map((d) => ({ digest: { sha256: d.slice(7) } }))] },
      true,
    ],
    [
      'another digest, beside a subject of this one',
      { ...(critical(OTHER) as object), ...(inToto(WEB, 'x') as object) },
      false,
    ],
    [
      'a critical part that is null',
      { critical: null, subject: [{ digest: { sha256: WEB.slice(7) } }] },
      false,
    ],
    ['a subject that is no list', { subject: { digest: { sha256: WEB.slice(7) } } }, false],
    ['a list', [critical(WEB)], false],
    ['a text', WEB, false],
    ['half a document', '{"critical":', false],
    ['nothing', '', false],
  ];
  for (const [name, payload, counts] of table) {
    test(`${name} ${counts ? 'counts' : 'does not count'}`, () => {
      assert.equal(signatureCounts(signed(payload), WEB, signers), counts);
      assert.equal(signatureCounts(signed(payload, 'application/vnd.in-toto+json'), WEB, signers), counts);
    });
  }

  test('the payload type is signed too', () => {
    const entry = signed(critical(WEB), 'application/vnd.in-toto+json');
    assert.ok(!signatureCounts({ ...entry, payloadType: 'application/json' }, WEB, signers));
    assert.ok(!signatureCounts({ ...entry, payloadType: null }, WEB, signers));
    assert.ok(
      signatureCounts(signed(critical(WEB), 'größe/x'), WEB, signers),
      'its length is counted in bytes',
    );
  });

  test('an attestation counts for the type that it states, not for the one of its entry', () => {
    const entry = { ...signed(inToto(WEB, 'a')), predicateType: 'a' };
    assert.ok(attestationCounts(entry, WEB, 'a', signers));
    assert.ok(!attestationCounts(entry, WEB, 'b', signers));
    assert.ok(!attestationCounts({ ...entry, predicateType: 'b' }, WEB, 'b', signers));
    assert.ok(!attestationCounts({ ...entry, predicateType: 'b' }, WEB, 'a', signers));
    assert.ok(!attestationCounts(entry, OTHER, 'a', signers));
  });

  test('nobody trusted means nothing counts', () => {
    assert.ok(!signatureCounts(signed(critical(WEB)), WEB, []));
    assert.ok(!signatureCounts({ ...signed(critical(WEB)), identity: 'release@acme.example' }, WEB, []));
  });
});

suite('keyless entries', () => {
  const entry: SignedEntry = {
    identity: 'release@acme.example',
    issuer: 'https://issuer.example',
    payload: null,
    signature: null,
    payloadType: null,
  };
  const table: readonly (readonly [name: string, entry: SignedEntry, signer: object, counts: boolean])[] = [
    ['identity alone', entry, { identity: entry.identity }, true],
    ['identity and issuer', entry, { identity: entry.identity, issuer: entry.issuer }, true],
    ['another issuer', entry, { identity: entry.identity, issuer: 'https://issuer.example/' }, false],
    ['another identity', entry, { identity: 'release@acme.example.evil' }, false],
    ['no recorded issuer, none asked', { ...entry, issuer: null }, { identity: entry.identity }, true],
    [
      'no recorded issuer, one asked',
      { ...entry, issuer: null },
      { identity: entry.identity, issuer: 'https://issuer.example' },
      false,
    ],
    ['a key', entry, { key: KEY }, false],
    [
      'a payload about the digest beside it',
      { ...entry, ...signedAs(critical(WEB)) },
      { identity: entry.identity },
      true,
    ],
    [
      'a payload about another digest beside it',
      { ...entry, ...signedAs(critical(OTHER)) },
      { identity: entry.identity },
      false,
    ],
  ];
  for (const [name, given, signer, counts] of table) {
    test(`${name} ${counts ? 'counts' : 'does not count'}`, () =>
      assert.equal(signatureCounts(given, WEB, [signer]), counts));
  }
});

function signedAs(payload: unknown): Pick<SignedEntry, 'payload' | 'signature'> {
  const { payload: bytes, signature } = signed(payload);
  return { payload: bytes, signature };
}
