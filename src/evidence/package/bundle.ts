import { canonicalJson } from '../../base/index.ts';
import { holdsSignature, type EvidenceKey, type EvidenceSigner } from './key.ts';

/** PREDICATE_TYPE is what cosign is told with `--type`. */
export const PREDICATE_TYPE = 'https://ipo.dev/evidence/v1';
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/** Subject is a file that the statement vouches for. */
export interface Subject {
  readonly name: string;
  readonly sha256: string;
}

/** Predicate is what the statement says beside the files. */
export interface Predicate {
  readonly format: string;
  readonly id: string;
  readonly made_at: string;
  readonly period: { readonly from: string; readonly to: string };
  readonly states: Readonly<Record<string, number>>;
}

/** statementText writes an in-toto statement over files. */
export function statementText(subjects: readonly Subject[], predicate: Predicate): string {
  return canonicalJson({
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: PREDICATE_TYPE,
    predicate,
  });
}

/** writeBundle signs a statement as a Sigstore bundle with one DSSE envelope. */
export function writeBundle(statement: string, signer: EvidenceSigner): string {
  return bundleText(statement, signer.fingerprint, signer.sign(envelopeBytes(statement)));
}

/** cosign skips a signature whose key id is another than the fingerprint that OpenSSH gives the key, and the format wants the hint equal to it. */
function bundleText(statement: string, fingerprint: string, signature: Buffer): string {
  const bundle = {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: fingerprint } },
    dsseEnvelope: {
      payload: Buffer.from(statement).toString('base64'),
      payloadType: PAYLOAD_TYPE,
      signatures: [{ sig: signature.toString('base64'), keyid: fingerprint }],
    },
  };
  return `${JSON.stringify(bundle)}\n`;
}

/** What DSSE signs: type and payload with their lengths. */
function envelopeBytes(statement: string): Buffer {
  const payload = Buffer.from(statement);
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `),
    payload,
  ]);
}

/** BundleRead is a bundle whose signature is that of a key; `fault` says what is wrong with any other. */
export type BundleRead = { readonly statement: string; readonly fault: null } | { readonly fault: string };

/** readBundle reads a bundle of a package. It must be written as `writeBundle` does, byte for byte. */
export function readBundle(text: string, key: EvidenceKey): BundleRead {
  let statement: string;
  let signature: Buffer;
  let fingerprint: string;
  try {
    const bundle = JSON.parse(text) as {
      readonly verificationMaterial: { readonly publicKey: { readonly hint: string } };
      readonly dsseEnvelope: {
        readonly payload: string;
        readonly signatures: readonly { readonly sig: string }[];
      };
    };
    statement = Buffer.from(bundle.dsseEnvelope.payload, 'base64').toString('utf8');
    signature = Buffer.from(bundle.dsseEnvelope.signatures[0]?.sig ?? '', 'base64');
    fingerprint = bundle.verificationMaterial.publicKey.hint;
  } catch {
    return { fault: 'it is not a Sigstore bundle' };
  }
  if (bundleText(statement, fingerprint, signature) !== text)
    return { fault: 'it is not in the form of a package' };
  if (fingerprint !== key.fingerprint)
    return { fault: `it is signed with the key ${fingerprint}, not with ${key.fingerprint}` };
  if (!holdsSignature(key, envelopeBytes(statement), signature))
    return { fault: 'its signature does not match' };
  return { statement, fault: null };
}
