import { sha256Hex, type Digest } from '../../base/index.ts';
import type { ProvenanceEntry, SignedEntry } from '../../facts/index.ts';
import {
  builderOf,
  IN_TOTO_PAYLOAD,
  isImageSignature,
  parseEnvelope,
  parseSimpleSigning,
  parseStatement,
  statementNames,
  type Accepted,
  type Annotations,
  type Envelope,
  type Evidence,
  type NotAccepted,
  type Statement,
  type Verification,
  type VerifiedArtifact,
} from '../../supply-chain/index.ts';
import { certificateOf, MAX_EVIDENCE_BYTES, parseBundle, type Bundle } from './bundle.ts';
import { checkKeyless, checkLoggedKey, type SignedBytes } from './check.ts';
import { attestationBundle, hasProof, signatureBundle } from './legacy.ts';
import { Refused } from './refused.ts';
import type { TrustRoot } from './trust-root.ts';

/** Rules say what a verification goes by. */
export interface Rules {
  /** Null where there is none: what needs it is then unverifiable. */
  readonly trust: TrustRoot | null;
  /** Whether a signature by a key must be in a transparency log too, as cosign demands unless told otherwise. */
  readonly keyedLog: 'optional' | 'required';
  /** Nobody has asked for a trust root yet, so that whatever one could change is left to be looked at again. */
  readonly unasked?: boolean;
}

/** NoTrustRoot ends the look at evidence that only a trust root could report. */
class NoTrustRoot extends Error {}

/** verifyEvidence verifies one piece of evidence about an image. Pure but for the time it takes, and never throws. */
export function verifyEvidence(rules: Rules, digest: Digest, evidence: Evidence): Verification {
  return attempt(() => {
    switch (evidence.kind) {
      case 'bundle':
        return ofBundle(rules, digest, parseBundle(evidence.bundle), evidence.manifest);
      case 'simple_signing':
        return ofSimpleSigning(rules, digest, evidence.payload, evidence.annotations);
      case 'envelope':
        return ofEnvelope(rules, digest, evidence.envelope, evidence.annotations);
    }
  });
}

/** verifyDetached verifies a bundle over the bytes of a file. Never throws. */
export function verifyDetached(
  rules: Rules,
  artifact: Uint8Array,
  bytes: Uint8Array,
): VerifiedArtifact | NotAccepted {
  return attempt(() => {
    bounded(artifact);
    const bundle = parseBundle(bytes);
    const message = bundle.content.$case === 'messageSignature' ? Buffer.from(artifact) : null;
    const statement = message === null ? statementOf(bundle, `sha256:${sha256Hex(artifact)}`) : null;
    const [by, signed] = signersOf(rules, bundle, { message, layer: null });
    return { kind: 'accepted', by, signed, statement };
  });
}

function ofBundle(rules: Rules, digest: Digest, bundle: Bundle, manifest: Uint8Array | null): Accepted {
  if (bundle.content.$case === 'dsseEnvelope') {
    const statement = statementOf(bundle, digest);
    const [by, signed] = signersOf(rules, bundle, { message: null, layer: null });
    return ofStatement(statement, bundle.content.dsseEnvelope.payload, by, signed);
  }
  if (manifest === null)
    throw new Refused('unsupported', "the bundle signs the image's manifest, whose bytes are not at hand");
  const message = Buffer.from(bounded(manifest));
  if (`sha256:${sha256Hex(message)}` !== digest)
    throw new Refused('other_subject', 'the bundle came with the manifest of another image');
  if (certificateOf(bundle) === null)
    throw new Refused(
      'unsupported',
      'a signature by a key over the bare manifest is not kept; sign with cosign',
    );
  const [by, signed] = signersOf(rules, bundle, { message, layer: null });
  return ofSignature(message, by, signed);
}

function ofSimpleSigning(
  rules: Rules,
  digest: Digest,
  payload: Uint8Array,
  annotations: Annotations,
): Accepted {
  const document = parseSimpleSigning(bounded(payload));
  if (document === null) throw new Refused('malformed', 'the layer is not a simple-signing document');
  if (document.digest !== digest) throw new Refused('other_subject', `the layer is about ${document.digest}`);
  const message = Buffer.from(payload);
  const [by, signed] = signersOf(rules, signatureBundle(message, annotations), { message, layer: null });
  return ofSignature(message, by, signed);
}

function ofEnvelope(rules: Rules, digest: Digest, bytes: Uint8Array, annotations: Annotations): Accepted {
  const envelope = parseEnvelope(bounded(bytes));
  if (envelope === null) throw new Refused('malformed', 'the layer is not a DSSE envelope');
  const statement = toStatement(envelope.payloadType, envelope.payload, digest);
  const [by, signed] = hasProof(annotations)
    ? signersOf(rules, attestationBundle(envelope, annotations), { message: null, layer: bytes })
    : (['key', ofKeys(rules, envelope)] as const);
  return ofStatement(statement, envelope.payload, by, signed);
}

/** Who signed a bundle: the identity that was verified, or the signature that a key must still verify. */
function signersOf(
  rules: Rules,
  bundle: Bundle,
  bytes: SignedBytes,
): readonly [Accepted['by'], readonly SignedEntry[]] {
  if (certificateOf(bundle) !== null) {
    if (rules.trust === null) throw new NoTrustRoot();
    const { identity, issuer } = checkKeyless(rules.trust, bundle, bytes);
    return ['identity', [{ identity, issuer, payload: null, signature: null, payloadType: null }]];
  }
  if (bundle.verificationMaterial.tlogEntries.length === 0) mayLackLog(rules);
  else if (rules.trust !== null) checkLoggedKey(rules.trust, bundle, bytes);
  else if (rules.unasked === true || rules.keyedLog === 'required') throw new NoTrustRoot();
  const { content } = bundle;
  if (content.$case === 'dsseEnvelope') {
    const { payload, payloadType, signatures } = content.dsseEnvelope;
    return ['key', signatures.map(({ sig }) => keyed(payload, sig, payloadType))];
  }
  return ['key', [keyed(bytes.message ?? Buffer.alloc(0), content.messageSignature.signature, null)]];
}

function ofKeys(rules: Rules, { payload, payloadType, signatures }: Envelope): SignedEntry[] {
  mayLackLog(rules);
  return signatures.map(({ signature }) => keyed(payload, signature, payloadType));
}

function mayLackLog({ keyedLog }: Rules): void {
  if (keyedLog === 'required')
    throw new Refused('log', 'the signature is in no transparency log, as keyedLog requires');
}

function keyed(payload: Uint8Array, signature: Uint8Array, payloadType: string | null): SignedEntry {
  return {
    identity: null,
    issuer: null,
    payload: base64(payload),
    signature: base64(signature),
    payloadType,
  };
}

function statementOf(bundle: Bundle, digest: Digest): Statement {
  if (bundle.content.$case !== 'dsseEnvelope')
    throw new Refused('unsupported', 'the bundle holds no envelope');
  const { payload, payloadType } = bundle.content.dsseEnvelope;
  return toStatement(payloadType, payload, digest);
}

function toStatement(payloadType: string, payload: Uint8Array, digest: Digest): Statement {
  if (payloadType !== IN_TOTO_PAYLOAD)
    throw new Refused('unsupported', 'the envelope holds no in-toto statement');
  const statement = parseStatement(payload);
  if (statement === null)
    throw new Refused('malformed', 'the envelope holds no in-toto statement that can be read');
  if (!statementNames(statement, digest))
    throw new Refused('other_subject', 'no subject of the statement is this digest');
  return statement;
}

function ofSignature(payload: Uint8Array, by: Accepted['by'], signed: readonly SignedEntry[]): Accepted {
  return {
    kind: 'accepted',
    by,
    signed,
    statement: null,
    payload,
    signatures: signed,
    attestations: [],
    provenance: [],
  };
}

function ofStatement(
  statement: Statement,
  payload: Uint8Array,
  by: Accepted['by'],
  signed: readonly SignedEntry[],
): Accepted {
  if (isImageSignature(statement)) return { ...ofSignature(payload, by, signed), statement };
  const { predicateType } = statement;
  const builderId = builderOf(statement, payload);
  return {
    kind: 'accepted',
    by,
    signed,
    statement,
    payload,
    signatures: [],
    attestations: signed.map((entry) => ({ ...entry, predicateType })),
    provenance: builderId === null ? [] : signed.map((entry) => toProvenance(builderId, entry)),
  };
}

function toProvenance(builderId: string, entry: SignedEntry): ProvenanceEntry {
  const { identity, issuer, payload, signature, payloadType } = entry;
  const built = { builderId, signer: identity, issuer };
  return payload === null || signature === null
    ? built
    : { ...built, proof: { payload, signature, payloadType } };
}

function bounded(bytes: Uint8Array): Uint8Array {
  if (bytes.length > MAX_EVIDENCE_BYTES)
    throw new Refused('too_large', `it has over ${MAX_EVIDENCE_BYTES} bytes`);
  return bytes;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function attempt<T>(verify: () => T): T | NotAccepted {
  try {
    return verify();
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', reason: error.reason, message: error.message };
    if (error instanceof NoTrustRoot)
      return {
        kind: 'unverifiable',
        reason: 'no_trust_root',
        message: 'no trust root is available to verify it',
      };
    // A defect of ours or of a library: said as such, and never taken for a verdict on the evidence.
    return { kind: 'unverifiable', reason: 'fault', message: 'the verifier failed on it' };
  }
}
