import { createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';
import {
  BUNDLE_V01_MEDIA_TYPE,
  BUNDLE_V02_MEDIA_TYPE,
  BUNDLE_V03_LEGACY_MEDIA_TYPE,
  BUNDLE_V03_MEDIA_TYPE,
  bundleFromJSON,
  type Bundle,
} from '@sigstore/bundle';
import { parseJson } from '../../supply-chain/index.ts';
import { isShapedAsBundle } from './bundle-shape.ts';
import { Refused } from './refused.ts';

export type { Bundle };

/** MAX_EVIDENCE_BYTES bounds one piece of evidence; an attested bill of materials has a few megabytes. */
export const MAX_EVIDENCE_BYTES = 16 * 1024 * 1024;

/** Log entries, timestamps and certificates in one bundle: real ones have one to three of each. */
const MAX_PARTS = 8;

/** Bytes of a certificate or a timestamp: real ones have one to seven thousand, and taking them apart takes its time. */
const MAX_DER_BYTES = 64 * 1024;

/** Bytes of a log's checkpoint: each of its signatures that looks like the log's own is verified. */
const MAX_CHECKPOINT_BYTES = 8 * 1024;

const MEDIA_TYPES: readonly string[] = [
  BUNDLE_V01_MEDIA_TYPE,
  BUNDLE_V02_MEDIA_TYPE,
  BUNDLE_V03_LEGACY_MEDIA_TYPE,
  BUNDLE_V03_MEDIA_TYPE,
];

/** parseBundle reads the JSON of a Sigstore bundle of the versions 0.1 to 0.3. Throws Refused. */
export function parseBundle(bytes: Uint8Array): Bundle {
  if (bytes.length > MAX_EVIDENCE_BYTES)
    throw new Refused('too_large', `the bundle has over ${MAX_EVIDENCE_BYTES} bytes`);
  const document = parseJson(bytes);
  if (document === null) throw new Refused('malformed', 'the bundle is not a JSON document');
  return toBundle(document);
}

/** toBundle reads the parsed JSON of a bundle. Throws Refused. */
export function toBundle(document: Readonly<Record<string, unknown>>): Bundle {
  const { mediaType } = document;
  if (typeof mediaType !== 'string' || !MEDIA_TYPES.includes(mediaType))
    throw new Refused('unsupported', 'the bundle is of an unknown version');
  if (!isShapedAsBundle(document))
    throw new Refused(
      'malformed',
      'the bundle has members that its version does not know, or of another type',
    );
  let bundle: Bundle;
  try {
    bundle = bundleFromJSON(document);
  } catch {
    throw new Refused('malformed', 'the bundle lacks parts that its version needs, or they cannot be read');
  }
  checkSizes(bundle);
  return bundle;
}

function checkSizes(bundle: Bundle): void {
  const { content, tlogEntries, timestampVerificationData } = bundle.verificationMaterial;
  const chain = content.$case === 'x509CertificateChain' ? content.x509CertificateChain.certificates : [];
  const timestamps = timestampVerificationData?.rfc3161Timestamps ?? [];
  if ([tlogEntries, timestamps, chain].some((list) => list.length > MAX_PARTS))
    throw new Refused(
      'too_large',
      `the bundle has over ${MAX_PARTS} log entries, timestamps or certificates`,
    );
  const parsed = [
    certificateOf(bundle) ?? Buffer.alloc(0),
    ...timestamps.map(({ signedTimestamp }) => signedTimestamp),
  ];
  const checkpoints = tlogEntries.map(({ inclusionProof }) => inclusionProof?.checkpoint?.envelope ?? '');
  if (
    parsed.some(({ length }) => length > MAX_DER_BYTES) ||
    checkpoints.some((text) => Buffer.byteLength(text) > MAX_CHECKPOINT_BYTES)
  )
    throw new Refused(
      'too_large',
      'the bundle has a certificate, timestamp or checkpoint larger than any is',
    );
}

/** certificateOf gives the DER of the certificate that signed, or null where a bundle names a key instead. */
export function certificateOf(bundle: Bundle): Buffer | null {
  const { content } = bundle.verificationMaterial;
  switch (content.$case) {
    case 'publicKey':
      return null;
    case 'certificate':
      return content.certificate.rawBytes;
    case 'x509CertificateChain':
      // The first is the signer's own; whom it chains to is the trust root's to say, not the bundle's.
      return content.x509CertificateChain.certificates[0]?.rawBytes ?? null;
  }
}

/** PublicPart is whom a log entry names as the signer: the DER of a certificate, or a key. */
export type PublicPart =
  | { readonly kind: 'certificate'; readonly der: Buffer }
  | { readonly kind: 'key'; readonly key: KeyObject };

/** toPublicPart reads the PEM of a certificate or a public key. Throws what OpenSSL throws. */
export function toPublicPart(pem: string): PublicPart {
  return pem.includes('BEGIN CERTIFICATE')
    ? { kind: 'certificate', der: new X509Certificate(pem).raw }
    : { kind: 'key', key: createPublicKey(pem) };
}
