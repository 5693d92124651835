import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { verifyEvidence } from '../../src/adapters/sigstore/evidence.ts';
import { readSigner } from '../../src/adapters/sigstore/signer.ts';
import { SigstoreError } from '../../src/adapters/sigstore/sigstore-error.ts';
import { parseTrustRoot } from '../../src/adapters/sigstore/trust-root.ts';
import type { Annotations, Evidence, Verification } from '../../src/supply-chain/index.ts';
import { rules, toBytes, type Loose } from './verify-data.ts';
import { der, extension, octets, oid, seq, utf8, yes } from './verify-der.ts';
import {
  AT,
  envelopeOver,
  IDENTITY,
  ISSUER,
  issuerIs,
  olderIntoto,
  OwnSigstore,
  purpose,
  rekord,
  san,
  uri,
  usage,
  usual,
  type Leaf,
  type LeafOptions,
} from './verify-own-sigstore.ts';

const DIGEST = `sha256:${'c3'.repeat(32)}`;
const own = new OwnSigstore();
const trust = own.trustRoot();
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const PAYLOAD = toBytes({
  critical: {
    identity: { 'docker-reference': 'registry.example/web' },
    image: { 'docker-manifest-digest': DIGEST },
    type: 'cosign container image signature',
  },
  optional: null,
});

interface Made {
  readonly leaf?: Leaf;
  readonly at?: number;
  readonly annotations?: Annotations;
}

/** A signature of the older layout, right in everything that is not said to be otherwise. */
function signature({ leaf = own.leaf(), at = AT, annotations = {} }: Made = {}): Evidence {
  const made = sign('sha256', PAYLOAD, leaf.key);
  return {
    kind: 'simple_signing',
    payload: PAYLOAD,
    annotations: {
      'dev.cosignproject.cosign/signature': made.toString('base64'),
      'dev.sigstore.cosign/certificate': leaf.pem,
      'dev.sigstore.cosign/bundle': own.entry(rekord(PAYLOAD, made, leaf.pem), at),
      ...annotations,
    },
  };
}

const verify = (evidence: Evidence): Verification => verifyEvidence(rules(trust), DIGEST, evidence);
const said = (result: Verification): string =>
  result.kind === 'accepted' ? result.kind : `${result.reason}: ${result.message}`;

test('a keyless signature of the older layout is verified to its root', () => {
  const result = verify(signature());
  assert.ok(result.kind === 'accepted' && result.by === 'identity', said(result));
  const signed = { identity: IDENTITY, issuer: ISSUER, payload: null, signature: null, payloadType: null };
  assert.deepEqual(result.signatures, [signed]);
});

const NAMED: readonly (readonly [
  what: string,
  extensions: readonly Buffer[],
  identity: string,
  issuer: string | null,
])[] = [
  [
    'an address',
    [usage(), purpose(), san(der(0x81, Buffer.from('dev@shop.example'))), issuerIs(ISSUER)],
    'dev@shop.example',
    ISSUER,
  ],
  [
    'a user name',
    [
      usage(),
      purpose(),
      san(der(0xa0, oid('1.3.6.1.4.1.57264.1.7'), der(0xa0, utf8('dév!shop')))),
      issuerIs(ISSUER),
    ],
    'dév!shop',
    ISSUER,
  ],
  [
    'an issuer as older certificates have it',
    [usage(), purpose(), san(uri(IDENTITY)), seq(oid('1.3.6.1.4.1.57264.1.1'), octets(Buffer.from(ISSUER)))],
    IDENTITY,
    ISSUER,
  ],
  ['no issuer', [usage(), purpose(), san(uri(IDENTITY))], IDENTITY, null],
];

for (const [what, extensions, identity, issuer] of NAMED) {
  test(`a certificate with ${what} is read as it stands`, () => {
    const result = verify(signature({ leaf: own.leaf({ extensions }) }));
    assert.ok(result.kind === 'accepted', said(result));
    assert.deepEqual([result.signed[0]?.identity, result.signed[0]?.issuer], [identity, issuer]);
  });
}

/** Each is signed, logged and timed as it should be: the certificate alone is not what it must be. */
const FLAWS: readonly (readonly [what: string, said: RegExp, options: LeafOptions])[] = [
  [
    'for another purpose than signing code',
    /is not for signing code/,
    { extensions: [usage(), purpose('1.3.6.1.5.5.7.3.1'), san(uri(IDENTITY))] },
  ],
  [
    'for no stated purpose',
    /is not for signing code/,
    { extensions: [usage(), san(uri(IDENTITY)), issuerIs(ISSUER)] },
  ],
  [
    'of an authority',
    /is that of a certificate authority/,
    { extensions: [...usual(), extension('2.5.29.19', true, seq(yes()))] },
  ],
  [
    'with two names',
    /has 2 subject names/,
    { extensions: [usage(), purpose(), san(uri('https://other.example'), uri(IDENTITY))] },
  ],
  [
    'with a host for a name',
    /not an address, a URI or a user name/,
    { extensions: [usage(), purpose(), san(der(0x82, Buffer.from('shop.example')))] },
  ],
  ['without a name', /has 0 subject names/, { extensions: [usage(), purpose(), issuerIs(ISSUER)] }],
  [
    'with a name that is ASCII but for the first bit of a byte',
    /is not ASCII/,
    {
      extensions: [
        usage(),
        purpose(),
        san(uri(Buffer.from(IDENTITY).map((byte, i) => (i === 3 ? byte | 0x80 : byte)))),
      ],
    },
  ],
  [
    'with a line end in its name',
    /empty or unprintable/,
    { extensions: [usage(), purpose(), san(uri(`${IDENTITY}\n`))] },
  ],
  [
    'with two issuers',
    /57264\.1\.8 twice/,
    { extensions: [...usual(), issuerIs('https://accounts.example')] },
  ],
  [
    'with an issuer that is no text',
    /malformed issuer/,
    {
      extensions: [
        usage(),
        purpose(),
        san(uri(IDENTITY)),
        extension('1.3.6.1.4.1.57264.1.8', false, octets(Buffer.from(ISSUER))),
      ],
    },
  ],
  [
    'with a critical extension that nobody knows',
    /critical extension 1\.2\.3\.4/,
    { extensions: [...usual(), extension('1.2.3.4', true, utf8('x'))] },
  ],
  [
    'that is one for a certificate log alone',
    /critical extension .*2\.4\.3/,
    { extensions: [...usual(), extension('1.3.6.1.4.1.11129.2.4.3', true, der(0x05))] },
  ],
  ['in no certificate log', /expected 1 SCTs, got 0/, { certificateLog: null }],
  ['in a certificate log of somebody', /SCT verification failed/, { certificateLog: stranger.privateKey }],
  ['of another authority', /certificate chain/, { authority: stranger.privateKey }],
  ['that had ended', /certificate chain/, { life: [AT - 600_000, AT - 1000] }],
  ['that had not begun', /certificate chain/, { life: [AT + 1000, AT + 600_000] }],
];

for (const [what, words, options] of FLAWS) {
  test(`a certificate ${what} is refused`, () => {
    const result = verify(signature({ leaf: own.leaf(options) }));
    assert.equal(result.kind === 'refused' && result.reason, 'certificate', said(result));
    assert.match(said(result), words);
  });
}

test('a certificate that is not DER, or with anything after it, is refused', () => {
  const { der: bytes } = own.leaf();
  assert.deepEqual(readSigner(bytes), { identity: IDENTITY, issuer: ISSUER });
  const longer = Buffer.concat([Buffer.from([0x30, 0x83, 0]), bytes.subarray(2)]);
  assert.throws(() => readSigner(longer), /cannot be read/);
  assert.throws(() => readSigner(Buffer.concat([bytes, Buffer.of(0)])), /cannot be read/);
  assert.throws(() => readSigner(bytes.subarray(0, -1)), /cannot be read/);
  assert.throws(() => readSigner(Buffer.alloc(0)), /cannot be read/);
});

test('what the log took is what was signed, by whom and when, or it is refused', () => {
  const leaf = own.leaf();
  const made = sign('sha256', PAYLOAD, leaf.key);
  const other = Buffer.from(PAYLOAD.toString().replace('web', 'wob'));
  const log = (bundle: string): Evidence =>
    signature({
      leaf,
      annotations: {
        'dev.cosignproject.cosign/signature': made.toString('base64'),
        'dev.sigstore.cosign/bundle': bundle,
      },
    });
  const body = rekord(PAYLOAD, made, leaf.pem);
  assert.equal(said(verify(log(own.entry(body)))), 'accepted');
  const cases: Record<string, string> = {
    'another certificate of the same person': own.entry(rekord(PAYLOAD, made, own.leaf().pem)),
    'other bytes': own.entry(rekord(other, made, leaf.pem)),
    'another signature': own.entry(rekord(PAYLOAD, sign('sha256', other, leaf.key), leaf.pem)),
    'the promise of somebody': own.entry(body, AT, stranger.privateKey),
    'a promise for another time': own.entry(body).replace(String(AT / 1000), String(AT / 1000 + 1)),
    'an unknown type': own.entry({ ...body, kind: 'rpm' }),
  };
  for (const [what, bundle] of Object.entries(cases)) {
    const result = verify(log(bundle));
    assert.equal(result.kind === 'refused' && result.reason, 'log', `${what}: ${said(result)}`);
  }
  for (const at of [AT - 3_600_000, AT + 3_600_000]) {
    const result = verify(log(own.entry(body, at)));
    assert.equal(result.kind === 'refused' && result.reason, 'certificate', said(result));
  }
  const without = verify(signature({ leaf, annotations: { 'dev.sigstore.cosign/bundle': '' } }));
  assert.equal(without.kind === 'refused' && without.reason, 'log', said(without));
});

test('a signature by another key than the certificate has is refused', () => {
  const leaf = own.leaf();
  const forged = sign('sha256', PAYLOAD, stranger.privateKey);
  const annotations = {
    'dev.cosignproject.cosign/signature': forged.toString('base64'),
    'dev.sigstore.cosign/bundle': own.entry(rekord(PAYLOAD, forged, leaf.pem)),
  };
  const result = verify(signature({ leaf, annotations }));
  assert.equal(result.kind === 'refused' && result.reason, 'signature', said(result));
});

const STATEMENT = toBytes({
  _type: 'https://in-toto.io/Statement/v0.1',
  subject: [{ name: 'web', digest: { sha256: DIGEST.slice(7) } }],
  predicateType: 'https://slsa.dev/provenance/v0.2',
  predicate: { builder: { id: IDENTITY }, buildType: 'x' },
});

test('an attestation with the log entry of older cosign is verified, bound to every byte of its envelope', () => {
  const leaf = own.leaf();
  const envelope = envelopeOver(STATEMENT, leaf.key);
  const layer = (bytes: Buffer, bundle: string): Evidence => ({
    kind: 'envelope',
    envelope: bytes,
    annotations: {
      'dev.cosignproject.cosign/signature': '',
      'dev.sigstore.cosign/certificate': leaf.pem,
      'dev.sigstore.cosign/bundle': bundle,
    },
  });
  const body = olderIntoto(envelope, STATEMENT, leaf.pem);
  const result = verify(layer(envelope, own.entry(body)));
  assert.ok(result.kind === 'accepted' && result.by === 'identity', said(result));
  assert.deepEqual(result.provenance, [{ builderId: IDENTITY, signer: IDENTITY, issuer: ISSUER }]);
  const spaced = Buffer.concat([envelope, Buffer.from(' ')]);
  const cases: Record<string, Evidence> = {
    'another byte in the envelope': layer(spaced, own.entry(body)),
    'another envelope in the log': layer(envelope, own.entry(olderIntoto(spaced, STATEMENT, leaf.pem))),
    'another certificate in the log': layer(
      envelope,
      own.entry(olderIntoto(envelope, STATEMENT, own.leaf().pem)),
    ),
    'the promise of somebody': layer(envelope, own.entry(body, AT, stranger.privateKey)),
    'another type in the log': layer(envelope, own.entry({ ...body, apiVersion: '0.0.3' })),
  };
  for (const [what, evidence] of Object.entries(cases)) {
    const refused = verify(evidence);
    assert.equal(refused.kind === 'refused' && refused.reason, 'log', `${what}: ${said(refused)}`);
  }
  const late = verify(layer(envelope, own.entry(body, AT + 3_600_000)));
  assert.equal(late.kind === 'refused' && late.reason, 'certificate', said(late));
  const by = own.leaf();
  const forged = envelopeOver(STATEMENT, by.key);
  const wrong = verify(layer(forged, own.entry(olderIntoto(forged, STATEMENT, leaf.pem))));
  assert.equal(wrong.kind === 'refused' && wrong.reason, 'signature', said(wrong));
});

test('a signature by a key whose log entry is there is kept only when that entry holds', () => {
  const pem = stranger.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const made = sign('sha256', PAYLOAD, stranger.privateKey);
  const layer = (bundle: string): Evidence => ({
    kind: 'simple_signing',
    payload: PAYLOAD,
    annotations: {
      'dev.cosignproject.cosign/signature': made.toString('base64'),
      'dev.sigstore.cosign/bundle': bundle,
    },
  });
  const held = own.entry(rekord(PAYLOAD, made, pem));
  for (const keyedLog of ['optional', 'required'] as const) {
    const ask = (root: typeof trust | null, bundle: string): string =>
      said(verifyEvidence({ trust: root, keyedLog }, DIGEST, layer(bundle))).replace(/:.*/, '');
    assert.equal(ask(trust, held), 'accepted');
    assert.equal(ask(null, held), keyedLog === 'required' ? 'no_trust_root' : 'accepted');
    assert.equal(ask(trust, own.entry(rekord(PAYLOAD, made, pem), AT, stranger.privateKey)), 'log');
    assert.equal(ask(trust, own.entry(rekord(PAYLOAD, made, own.leaf().pem))), 'log');
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
      type: 'spki',
      format: 'pem',
    });
    assert.equal(ask(trust, own.entry(rekord(PAYLOAD, made, other.toString()))), 'signature');
  }
});

test('a trust root whose authority has limits that are not heeded is refused', () => {
  const read =
    (...extensions: Buffer[]) =>
    () =>
      parseTrustRoot(toBytes(own.document(...extensions)), 'root.json');
  assert.doesNotThrow(read());
  assert.doesNotThrow(read(purpose()));
  assert.throws(read(extension('2.5.29.30', false, seq())), /2\.5\.29\.30/);
  assert.throws(read(extension('1.2.3.4', true, utf8('x'))), /1\.2\.3\.4/);
  assert.throws(read(purpose('1.3.6.1.5.5.7.3.8')), /may not sign certificates for code/);
  assert.throws(() => parseTrustRoot(Buffer.from('{'), 'root.json'), /is not a JSON document/);
  assert.throws(
    () => parseTrustRoot(toBytes({ mediaType: 'text/plain' }), 'root.json'),
    /is not a Sigstore trust root/,
  );
});

test('a trust root with a log or an authority that lacks the start of its validity, or is not what it says, is refused', () => {
  type Entry = Record<string, Loose>;
  const refusal = (change: (root: Record<string, Entry[]>) => void): string => {
    const root = structuredClone(own.document()) as Record<string, Entry[]>;
    root.timestampAuthorities = structuredClone(root.certificateAuthorities ?? []);
    change(root);
    try {
      parseTrustRoot(toBytes(root), 'root.json');
    } catch (error) {
      assert.ok(error instanceof SigstoreError);
      assert.equal(error.code, 'invalid_config');
      return error.message;
    }
    return 'accepted';
  };
  assert.equal(
    refusal(() => {}),
    'accepted',
  );
  const ranges: readonly [string, (root: Record<string, Entry[]>) => Entry][] = [
    ...(['tlogs', 'ctlogs'] as const).map(
      (list) =>
        [
          `${list}[0].publicKey`,
          (root: Record<string, Entry[]>): Entry => root[list]?.[0]?.publicKey,
        ] as const,
    ),
    ...(['certificateAuthorities', 'timestampAuthorities'] as const).map(
      (list) => [`${list}[0]`, (root: Record<string, Entry[]>): Entry => root[list]?.[0] ?? {}] as const,
    ),
  ].map(([place, of]) => [place, of]);
  const start = '2026-01-01T00:00:00Z';
  for (const [place, of] of ranges) {
    const said = (validFor: unknown): string => refusal((root) => (of(root).validFor = validFor));
    assert.match(said(undefined), new RegExp(`${escaped(place)}\\.validFor has no start$`));
    assert.match(said({}), /has no start$/);
    assert.match(said({ end: start }), /has no start$/);
    assert.match(said({ start: 'yesterday' }), /start is not a time$|cannot be read$/);
    assert.match(said({ start, end: '2025-01-01T00:00:00Z' }), /ends before it starts$/);
    assert.equal(said({ start, end: start }), 'accepted');
  }
  const log = (change: (entry: Entry) => void): string => refusal((root) => change(root.tlogs?.[0] ?? {}));
  assert.match(
    log((entry) => delete entry.logId),
    /tlogs\[0\]\.logId is missing$/,
  );
  assert.match(
    log((entry) => (entry.hashAlgorithm = 'SHA2_512')),
    /tlogs\[0\]\.hashAlgorithm is not SHA2_256$/,
  );
  for (const details of [undefined, 'PUBLIC_KEY_DETAILS_UNSPECIFIED', 'LMS_SHA256'])
    assert.match(
      log((entry) => (entry.publicKey.keyDetails = details)),
      /keyDetails names no kind of key that is known$/,
    );
  for (const details of ['PKIX_ED25519', 'PKIX_ECDSA_P384_SHA_384', 'PKIX_RSA_PKCS1V15_2048_SHA256'])
    assert.match(
      log((entry) => (entry.publicKey.keyDetails = details)),
      /publicKey is not of the kind that its keyDetails name$/,
    );
  assert.match(
    refusal(
      (root) => (root.certificateAuthorities = [{ ...root.certificateAuthorities?.[0], certChain: {} }]),
    ),
    /certificateAuthorities\[0\]\.certChain has no certificate$/,
  );
});

function escaped(text: string): string {
  return text.replace(/[[\].]/g, '\\$&');
}
