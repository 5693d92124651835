import { X509Certificate, type KeyObject } from 'node:crypto';
import { HashAlgorithm } from '@sigstore/protobuf-specs';
import {
  toSignedEntity,
  VerificationError,
  Verifier,
  type KeyFinderFunc,
  type SignedEntity,
} from '@sigstore/verify';
import { printable, sha256Hex } from '../../base/index.ts';
import type { Refusal } from '../../supply-chain/index.ts';
import { certificateOf, type Bundle } from './bundle.ts';
import { signerInLog } from './log-entry.ts';
import { checkOlderEntry, isOlderEntry } from './older-log.ts';
import { Refused } from './refused.ts';
import { readSigner, type CertificateSigner } from './signer.ts';
import type { TrustRoot } from './trust-root.ts';

/** SignedBytes are the bytes outside of a bundle that it is about. */
export interface SignedBytes {
  /** What a message signature signs; null for an envelope, which holds it. */
  readonly message: Buffer | null;
  /** The envelope's own bytes, where it is a layer of the older layout, else null. */
  readonly layer: Uint8Array | null;
}

/**
 * checkKeyless verifies a bundle with a certificate as cosign does: one signed certificate timestamp, one log entry and
 * one signed time at least, every one of those that are there true, the certificate of a trusted authority valid at
 * each time, the signature over the content. Throws Refused.
 */
export function checkKeyless(trust: TrustRoot, bundle: Bundle, signed: SignedBytes): CertificateSigner {
  const der = certificateOf(bundle);
  if (der === null) throw new Refused('no_signer', 'the bundle has no certificate');
  const signer = readSigner(der);
  checkMessage(bundle, signed.message);
  for (const entry of bundle.verificationMaterial.tlogEntries) {
    const named = signerInLog(entry);
    if (named.kind !== 'certificate' || !named.der.equals(der))
      throw new Refused('log', 'the transparency log took the signature under another certificate');
  }
  checkKeyId(bundle, der);
  const logged = entityOf(trust, bundle, signed);
  // The chain of a certificate costs ten times the rest, so that what anybody can forge is looked through before it.
  checkLogged(trust, logged, new X509Certificate(der).publicKey);
  run(() => new Verifier(trust.material, { tlogThreshold: logged.threshold }).verify(logged.entity));
  return signer;
}

/**
 * checkLoggedKey verifies the log entries of a bundle that names a key: the log took this signature over this content,
 * under the key that its entry names. Whether that is a key that anybody trusts is not asked here. Throws Refused.
 */
export function checkLoggedKey(trust: TrustRoot, bundle: Bundle, signed: SignedBytes): void {
  checkMessage(bundle, signed.message);
  const [first, ...others] = bundle.verificationMaterial.tlogEntries.map(signerInLog);
  if (first?.kind !== 'key' || others.some((other) => other.kind !== 'key' || !other.key.equals(first.key)))
    throw new Refused('log', 'the transparency log does not name one key that signed');
  checkLogged(trust, entityOf(trust, bundle, signed), first.key);
}

/** Verifies all but whose key it is: times, log entries, and the signature by the key. */
function checkLogged(trust: TrustRoot, { entity, threshold }: LoggedEntity, key: KeyObject): void {
  const publicKey: KeyFinderFunc = () => ({ publicKey: key, validFor: () => true });
  const verifier = new Verifier(
    { ...trust.material, publicKey },
    {
      tlogThreshold: threshold,
      timestampThreshold: 0,
    },
  );
  run(() => verifier.verify({ ...entity, key: { $case: 'public-key', hint: '' } }));
}

/** LoggedEntity is what the library verifies; `threshold` is how many log entries it must find, beside those checked here. */
interface LoggedEntity {
  readonly entity: SignedEntity;
  readonly threshold: 0 | 1;
}

/** A key id need not be there; one that is there must be that of the signer's key, in the form of DSSE's own library. */
function checkKeyId({ content }: Bundle, der: Buffer): void {
  if (content.$case !== 'dsseEnvelope') return;
  const key = new X509Certificate(der).publicKey.export({ type: 'spki', format: 'der' });
  const own = `SHA256:${Buffer.from(sha256Hex(key), 'hex').toString('base64').replace(/=+$/, '')}`;
  if (content.dsseEnvelope.signatures.some(({ keyid }) => keyid !== '' && keyid !== own))
    throw new Refused('signature', 'the envelope names another key than the certificate has');
}

/** A signed note: a text, an empty line, and nothing but lines of signatures. */
const NOTE = /^(?:[^\n]+\n){3,}\n(?:\u2014 \S+ \S+\n)+$/;

/**
 * The library takes the first part of a checkpoint that is a signed note, and goes only by it. The Go verifiers take the whole of it, and
 * what stands beside it must say the same.
 */
function checkProofs(bundle: Bundle): void {
  for (const { inclusionProof } of bundle.verificationMaterial.tlogEntries) {
    if (inclusionProof === undefined) continue;
    const envelope = inclusionProof.checkpoint?.envelope ?? '';
    const [, size, hash] = envelope.split('\n');
    const { treeSize, rootHash } = inclusionProof;
    if (
      !NOTE.test(envelope) ||
      signsTwice(envelope) ||
      size !== treeSize ||
      hash !== rootHash.toString('base64')
    )
      throw new Refused('log', 'the proof of the transparency log is not one for its checkpoint');
  }
}

/** Of two signatures of one log the library would take whichever verifies; the Go verifiers go by the first. */
function signsTwice(envelope: string): boolean {
  const signers = [...envelope.matchAll(/^\u2014 (\S+) (\S+)$/gm)].map(
    ([, name = '', signature = '']) =>
      `${name} ${Buffer.from(signature, 'base64').subarray(0, 4).toString('hex')}`,
  );
  return new Set(signers).size < signers.length;
}

function entityOf(trust: TrustRoot, bundle: Bundle, { message, layer }: SignedBytes): LoggedEntity {
  checkProofs(bundle);
  const entity = run(() => toSignedEntity(bundle, message ?? undefined));
  if (layer === null || !entity.tlogEntries.some(isOlderEntry)) return { entity, threshold: 1 };
  for (const entry of entity.tlogEntries.filter(isOlderEntry)) checkOlderEntry(trust, entry, layer);
  // Their times stay with the entity: the promise that was just verified is what they stand on.
  return {
    entity: { ...entity, tlogEntries: entity.tlogEntries.filter((entry) => !isOlderEntry(entry)) },
    threshold: 0,
  };
}

/** The verifier compares the log with the digest that the bundle states, so that must be the message's own. */
function checkMessage(bundle: Bundle, message: Buffer | null): void {
  if (bundle.content.$case !== 'messageSignature') return;
  const { algorithm, digest } = bundle.content.messageSignature.messageDigest;
  if (message === null) throw new Refused('unsupported', 'the bundle signs bytes that are not at hand');
  if (algorithm !== HashAlgorithm.SHA2_256)
    throw new Refused('unsupported', 'the bundle signs another hash than SHA-256');
  if (digest.toString('hex') !== sha256Hex(message))
    throw new Refused('other_subject', 'the bundle signs other bytes');
}

function run<T>(verify: () => T): T {
  try {
    return verify();
  } catch (error) {
    if (!(error instanceof VerificationError))
      throw new Refused('malformed', 'the bundle holds a part that cannot be read');
    const reason = toReason(error.code);
    throw new Refused(reason, `${FAULTS[reason]} (${printable(error.message)})`);
  }
}

/** What it means to a reader; the library's own words follow. */
const FAULTS = {
  certificate:
    'the signing certificate is of no authority and certificate log of the trust root, or was not valid at the signed time',
  log: 'the transparency log of the trust root does not vouch for it',
  timestamp: 'no signed time vouches for it',
  signature: 'the signature is not over this content',
} as const satisfies Partial<Record<Refusal, string>>;

function toReason(code: string): keyof typeof FAULTS {
  if (code.startsWith('TLOG')) return 'log';
  if (code === 'SIGNATURE_ERROR') return 'signature';
  return code === 'TIMESTAMP_ERROR' ? 'timestamp' : 'certificate';
}
