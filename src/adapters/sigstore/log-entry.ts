import { createPublicKey } from 'node:crypto';
import { asObject, fromBase64, parseJson } from '../../supply-chain/index.ts';
import { toPublicPart, type Bundle, type PublicPart } from './bundle.ts';
import { Refused } from './refused.ts';

type LogEntry = Bundle['verificationMaterial']['tlogEntries'][number];

/**
 * signerInLog gives the signer that the body of a log entry names. The verifier compares signature and hash with the body, but not this: a
 * log that took a signature under another certificate vouches only for that one. Throws Refused.
 */
export function signerInLog(entry: LogEntry): PublicPart {
  try {
    const found = signerIn(asObject(parseJson(entry.canonicalizedBody)?.spec), entry.kindVersion.kind);
    if (found !== null) return found;
  } catch {
    // OpenSSL's reason for a key that it cannot read says nothing to people
  }
  throw new Refused('log', 'the entry of the transparency log names no signer that can be read');
}

function signerIn(spec: Json | null, kind: string): PublicPart | null {
  switch (kind) {
    case 'hashedrekord': {
      const current = asObject(spec?.hashedRekordV002);
      if (current !== null) return fromVerifier(asObject(asObject(current.signature)?.verifier));
      return fromPem(asObject(asObject(spec?.signature)?.publicKey)?.content);
    }
    case 'dsse': {
      const current = asObject(spec?.dsseV002);
      if (current !== null) return fromVerifier(asObject(only(current.signatures)?.verifier));
      return fromPem(only(spec?.signatures)?.verifier);
    }
    case 'intoto': {
      const envelope = asObject(asObject(spec?.content)?.envelope);
      return fromPem(envelope === null ? spec?.publicKey : only(envelope.signatures)?.publicKey);
    }
    default:
      return null;
  }
}

type Json = Readonly<Record<string, unknown>>;

function only(list: unknown): Json | null {
  return Array.isArray(list) && list.length === 1 ? asObject(list[0]) : null;
}

function fromPem(encoded: unknown): PublicPart | null {
  const pem = fromBase64(encoded);
  return pem === null ? null : toPublicPart(pem.toString('utf8'));
}

function fromVerifier(verifier: Json | null): PublicPart | null {
  const der = fromBase64(asObject(verifier?.x509Certificate)?.rawBytes);
  if (der !== null) return { kind: 'certificate', der };
  const key = fromBase64(asObject(verifier?.publicKey)?.rawBytes);
  return key === null ? null : { kind: 'key', key: createPublicKey({ key, format: 'der', type: 'spki' }) };
}
