import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { parseTrustRoot, type TrustRoot } from '../../src/adapters/sigstore/trust-root.ts';
import { canonicalJson, sha256Hex } from '../../src/base/index.ts';
import { IN_TOTO_PAYLOAD } from '../../src/supply-chain/index.ts';
import { toBytes } from './verify-data.ts';
import { bits, der, extension, integer, name, octets, oid, seq, time, utf8, yes } from './verify-der.ts';

export const AT = Date.parse('2026-05-01T12:00:00Z');
export const IDENTITY = 'https://github.com/shop/web/.github/workflows/release.yml@refs/tags/v1';
export const ISSUER = 'https://token.actions.githubusercontent.com';

const pair = (): { publicKey: KeyObject; privateKey: KeyObject } =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' });
const spki = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
const ECDSA = seq(oid('1.2.840.10045.4.3.2'));
const sha256 = (data: Uint8Array): Buffer => Buffer.from(sha256Hex(data), 'hex');

/** SAN gives a subject name; `tag` 6 is a URI, 1 an address, 2 a host. */
export const san = (...names: readonly Uint8Array[]): Buffer => extension('2.5.29.17', true, seq(...names));
export const uri = (text: string | Uint8Array): Buffer =>
  der(0x86, typeof text === 'string' ? Buffer.from(text) : text);
export const issuerIs = (text: string): Buffer => extension('1.3.6.1.4.1.57264.1.8', false, utf8(text));
export const purpose = (id = '1.3.6.1.5.5.7.3.3'): Buffer => extension('2.5.29.37', false, seq(oid(id)));
export const usage = (): Buffer => extension('2.5.29.15', true, der(0x03, Buffer.from([7, 0x80])));
/** usual gives the extensions of a certificate as Fulcio makes it. */
export const usual = (): Buffer[] => [usage(), purpose(), san(uri(IDENTITY)), issuerIs(ISSUER)];

/** LeafOptions are what a test makes different in a signing certificate. */
export interface LeafOptions {
  readonly extensions?: readonly Buffer[];
  readonly life?: readonly [from: number, to: number];
  /** Signs as the authority instead of it. */
  readonly authority?: KeyObject;
  /** Signs as the certificate log instead of it; null leaves the timestamp out. */
  readonly certificateLog?: KeyObject | null;
}

/** Leaf is a signing certificate with its key. */
export interface Leaf {
  readonly der: Buffer;
  readonly pem: string;
  readonly key: KeyObject;
}

const toPem = (kind: string, bytes: Buffer): string =>
  `-----BEGIN ${kind}-----\n${bytes
    .toString('base64')
    .replace(/(.{64})/g, '$1\n')
    .trimEnd()}\n-----END ${kind}-----\n`;

/** OwnSigstore is an authority, a certificate log and a transparency log of the tests, and their trust root. */
export class OwnSigstore {
  readonly #authority = pair();
  readonly #certificateLog = pair();
  readonly #log = pair();
  readonly #name = name('authority of the tests');

  trustRoot(): TrustRoot {
    return parseTrustRoot(toBytes(this.document()), 'trusted_root.json');
  }

  /** The trust root's document; `extensions` go into the authority's certificate beside what it needs. */
  document(...extensions: readonly Buffer[]): Record<string, unknown> {
    const own = [
      extension('2.5.29.19', true, seq(yes())),
      extension('2.5.29.15', true, der(0x03, Buffer.from([1, 0x06]))),
      ...extensions,
    ];
    const life = [AT - 1e9, AT + 1e9] as const;
    const certificate = this.#signed(
      this.#tbs(this.#name, this.#authority.publicKey, own, life),
      this.#authority.privateKey,
    );
    const validFor = { start: new Date(AT - 1e9).toISOString() };
    const log = (baseUrl: string, key: KeyObject): object => ({
      baseUrl,
      hashAlgorithm: 'SHA2_256',
      publicKey: { rawBytes: spki(key).toString('base64'), keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor },
      logId: { keyId: sha256(spki(key)).toString('base64') },
    });
    return {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [log('https://log.example', this.#log.publicKey)],
      certificateAuthorities: [
        {
          uri: 'https://authority.example',
          certChain: { certificates: [{ rawBytes: certificate.toString('base64') }] },
          validFor,
        },
      ],
      ctlogs: [log('https://certificates.example', this.#certificateLog.publicKey)],
      timestampAuthorities: [],
    };
  }

  leaf(options: LeafOptions = {}): Leaf {
    const { publicKey, privateKey } = pair();
    const { extensions = usual(), life = [AT - 60_000, AT + 540_000] } = options;
    const { authority = this.#authority.privateKey, certificateLog = this.#certificateLog.privateKey } =
      options;
    const tbs = (all: readonly Buffer[]): Buffer => this.#tbs(seq(), publicKey, all, life);
    const stamp = certificateLog === null ? [] : [this.#timestamp(tbs(extensions), certificateLog)];
    const bytes = this.#signed(tbs([...extensions, ...stamp]), authority);
    return { der: bytes, pem: toPem('CERTIFICATE', bytes), key: privateKey };
  }

  /** entry gives cosign's annotation of a log entry, over a body and a time. */
  entry(body: unknown, at = AT, key = this.#log.privateKey): string {
    const Payload = {
      body: toBytes(body).toString('base64'),
      integratedTime: Math.floor(at / 1000),
      logIndex: 42,
      logID: sha256(spki(this.#log.publicKey)).toString('hex'),
    };
    const SignedEntryTimestamp = sign('sha256', Buffer.from(canonicalJson(Payload)), key).toString('base64');
    return JSON.stringify({ SignedEntryTimestamp, Payload });
  }

  #timestamp(tbs: Buffer, key: KeyObject): Buffer {
    const length = Buffer.alloc(3);
    length.writeUIntBE(tbs.length, 0, 3);
    const at = Buffer.alloc(8);
    at.writeBigUInt64BE(BigInt(AT));
    const head = Buffer.concat([
      Buffer.of(0, 0),
      at,
      Buffer.of(0, 1),
      sha256(spki(this.#authority.publicKey)),
    ]);
    const signature = sign('sha256', Buffer.concat([head, length, tbs, Buffer.of(0, 0)]), key);
    const stamp = Buffer.concat([
      Buffer.of(0),
      sha256(spki(this.#certificateLog.publicKey)),
      at,
      Buffer.from([0, 0, 4, 3, 0, signature.length]),
      signature,
    ]);
    const list = Buffer.concat([Buffer.from([0, stamp.length + 2, 0, stamp.length]), stamp]);
    return extension('1.3.6.1.4.1.11129.2.4.2', false, octets(list));
  }

  #tbs(
    subject: Buffer,
    key: KeyObject,
    extensions: readonly Buffer[],
    [from, to]: readonly [number, number],
  ): Buffer {
    const version = der(0xa0, integer(2));
    const life = seq(time(from), time(to));
    return seq(
      version,
      integer(7),
      ECDSA,
      this.#name,
      life,
      subject,
      spki(key),
      der(0xa3, seq(...extensions)),
    );
  }

  #signed(tbs: Buffer, key: KeyObject): Buffer {
    return seq(tbs, ECDSA, bits(sign('sha256', tbs, key)));
  }
}

/** rekord gives the body of a log entry for a message signature. */
export const rekord = (message: Uint8Array, signature: Buffer, pem: string): object => ({
  apiVersion: '0.0.1',
  kind: 'hashedrekord',
  spec: {
    data: { hash: { algorithm: 'sha256', value: sha256Hex(message) } },
    signature: {
      content: signature.toString('base64'),
      publicKey: { content: Buffer.from(pem).toString('base64') },
    },
  },
});

/** olderIntoto gives the body that cosign made for attestations before it used `dsse`. */
export const olderIntoto = (envelope: Uint8Array, payload: Uint8Array, pem: string): object => ({
  apiVersion: '0.0.1',
  kind: 'intoto',
  spec: {
    content: {
      hash: { algorithm: 'sha256', value: sha256Hex(envelope) },
      payloadHash: { algorithm: 'sha256', value: sha256Hex(payload) },
    },
    publicKey: Buffer.from(pem).toString('base64'),
  },
});

/** envelopeOver signs a payload as an in-toto statement. */
export function envelopeOver(payload: Buffer, key: KeyObject): Buffer {
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${IN_TOTO_PAYLOAD.length} ${IN_TOTO_PAYLOAD} ${payload.length} `),
    payload,
  ]);
  const sig = sign('sha256', signed, key).toString('base64');
  return toBytes({
    payloadType: IN_TOTO_PAYLOAD,
    payload: payload.toString('base64'),
    signatures: [{ keyid: '', sig }],
  });
}
