import { X509Certificate } from 'node:crypto';
import { BUNDLE_V01_MEDIA_TYPE } from '@sigstore/bundle';
import { sha256Hex } from '../../base/index.ts';
import {
  asObject,
  fromBase64,
  parseJson,
  type Annotations,
  type Envelope,
} from '../../supply-chain/index.ts';
import { toBundle, type Bundle } from './bundle.ts';
import { Refused } from './refused.ts';

type Json = Readonly<Record<string, unknown>>;

const SIGNATURE = 'dev.cosignproject.cosign/signature';
const CERTIFICATE = 'dev.sigstore.cosign/certificate';
const LOG = 'dev.sigstore.cosign/bundle';
const TIMESTAMP = 'dev.sigstore.cosign/rfc3161timestamp';

/** Longest annotation that is read; a certificate or a log entry has a few kilobytes. */
const MAX_ANNOTATION = 1024 * 1024;

/**
 * signatureBundle makes a bundle of a layer of a `.sig` manifest: what a bundle holds in itself stands there in the
 * layer's annotations. Without a certificate it is one that names a key. Throws Refused.
 */
export function signatureBundle(payload: Uint8Array, annotations: Annotations): Bundle {
  const signature = fromBase64(read(annotations, SIGNATURE));
  if (signature === null) throw new Refused('no_signer', 'the layer has no signature that can be read');
  return toBundle({
    mediaType: BUNDLE_V01_MEDIA_TYPE,
    messageSignature: {
      messageDigest: {
        algorithm: 'SHA2_256',
        digest: Buffer.from(sha256Hex(payload), 'hex').toString('base64'),
      },
      signature: signature.toString('base64'),
    },
    verificationMaterial: { ...material(annotations), ...timestamps(annotations) },
  });
}

/** attestationBundle does the same for a layer of an `.att` manifest with one signature. Throws Refused. */
export function attestationBundle(envelope: Envelope, annotations: Annotations): Bundle {
  const [signature] = envelope.signatures;
  if (signature === undefined || envelope.signatures.length !== 1)
    throw new Refused(
      'unsupported',
      'an envelope with a certificate or a log entry may have only one signature',
    );
  return toBundle({
    mediaType: BUNDLE_V01_MEDIA_TYPE,
    dsseEnvelope: {
      payloadType: envelope.payloadType,
      payload: Buffer.from(envelope.payload).toString('base64'),
      signatures: [{ keyid: signature.keyid, sig: Buffer.from(signature.signature).toString('base64') }],
    },
    // Not the timestamp: cosign made it over the whole envelope, and the signed time of the log says the same.
    verificationMaterial: material(annotations),
  });
}

/** hasProof tells whether a layer carries a certificate or a log entry, which must then hold. */
export function hasProof(annotations: Annotations): boolean {
  return read(annotations, CERTIFICATE) !== '' || read(annotations, LOG) !== '';
}

function material(annotations: Annotations): Json {
  const pem = read(annotations, CERTIFICATE);
  const log = read(annotations, LOG);
  return {
    ...(pem === ''
      ? { publicKey: { hint: '' } }
      : { x509CertificateChain: { certificates: [certificate(pem)] } }),
    tlogEntries: log === '' ? [] : [logEntry(log)],
  };
}

function certificate(pem: string): Json {
  try {
    if ((pem.match(/-----BEGIN /g) ?? []).length === 1)
      return { rawBytes: new X509Certificate(pem).raw.toString('base64') };
  } catch {
    // said below
  }
  throw new Refused('certificate', 'the certificate of the layer is not one PEM block that can be read');
}

/** `{"SignedEntryTimestamp": base64, "Payload": {"body": base64, "integratedTime", "logIndex", "logID": hex}}` */
function logEntry(text: string): Json {
  const bundle = parseJson(Buffer.from(text, 'utf8'));
  const payload = asObject(bundle?.Payload);
  const body = fromBase64(payload?.body);
  const promise = fromBase64(bundle?.SignedEntryTimestamp);
  const { integratedTime, logIndex, logID } = payload ?? {};
  const entry = body === null ? null : parseJson(body);
  const known =
    body !== null &&
    promise !== null &&
    typeof entry?.kind === 'string' &&
    typeof entry.apiVersion === 'string' &&
    Number.isSafeInteger(integratedTime) &&
    Number.isSafeInteger(logIndex) &&
    typeof logID === 'string' &&
    /^[0-9a-f]{64}$/.test(logID);
  if (!known) throw new Refused('log', 'the entry of the transparency log beside the layer cannot be read');
  return {
    logIndex: String(logIndex),
    logId: { keyId: Buffer.from(logID, 'hex').toString('base64') },
    kindVersion: { kind: entry.kind, version: entry.apiVersion },
    integratedTime: String(integratedTime),
    inclusionPromise: { signedEntryTimestamp: promise.toString('base64') },
    canonicalizedBody: body.toString('base64'),
  };
}

function timestamps(annotations: Annotations): Json {
  const text = read(annotations, TIMESTAMP);
  if (text === '') return {};
  const signedTimestamp = fromBase64(parseJson(Buffer.from(text, 'utf8'))?.SignedRFC3161Timestamp);
  if (signedTimestamp === null)
    throw new Refused('timestamp', 'the timestamp beside the layer cannot be read');
  return {
    timestampVerificationData: {
      rfc3161Timestamps: [{ signedTimestamp: signedTimestamp.toString('base64') }],
    },
  };
}

function read(annotations: Annotations, name: string): string {
  const value: unknown = Object.hasOwn(annotations, name) ? annotations[name] : '';
  if (typeof value !== 'string' || value.length > MAX_ANNOTATION)
    throw new Refused('malformed', `the annotation ${name} is not a string, or is too long`);
  return value;
}
