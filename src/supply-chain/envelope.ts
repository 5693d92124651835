import { asObject, parseJson } from './statement.ts';

/** Envelope is a DSSE envelope: bytes of a type, and the signatures over both. */
export interface Envelope {
  readonly payloadType: string;
  readonly payload: Uint8Array;
  readonly signatures: readonly EnvelopeSignature[];
}

/** EnvelopeSignature is one signature; `keyid` is a hint that nothing may be decided by. */
export interface EnvelopeSignature {
  readonly keyid: string;
  readonly signature: Uint8Array;
}

/** MAX_SIGNATURES is how many signatures of one envelope are read; each is an entry of the facts. */
export const MAX_SIGNATURES = 16;

/**
 * parseEnvelope reads the JSON of a DSSE envelope. Gives null for what is none: no type, no payload, no signature or
 * too many, a field that is not base64.
 */
export function parseEnvelope(bytes: Uint8Array): Envelope | null {
  const document = parseJson(bytes);
  if (document === null) return null;
  const { payloadType } = document;
  const payload = fromBase64(document.payload);
  const list: readonly unknown[] = Array.isArray(document.signatures) ? document.signatures : [];
  if (typeof payloadType !== 'string' || payloadType === '' || payload === null) return null;
  if (list.length === 0 || list.length > MAX_SIGNATURES) return null;
  const signatures: EnvelopeSignature[] = [];
  for (const value of list) {
    const entry = asObject(value);
    const signature = fromBase64(entry?.sig);
    if (signature === null) return null;
    signatures.push({ keyid: typeof entry?.keyid === 'string' ? entry.keyid : '', signature });
  }
  return { payloadType, payload, signatures };
}

const BASE64 = /^(?:[A-Za-z0-9+/]*={0,2}|[A-Za-z0-9_-]*={0,2})$/;

/**
 * fromBase64 gives the bytes of a base64 text, of the standard or the URL's alphabet; null when it is not one text
 * for one sequence of bytes (characters that a lenient reader leaves out, a cut end), or when it is empty.
 */
export function fromBase64(value: unknown): Buffer | null {
  if (typeof value !== 'string' || value === '' || !BASE64.test(value)) return null;
  if (value.endsWith('=') && value.length % 4 !== 0) return null;
  const bytes = Buffer.from(value, 'base64');
  const unpadded = value.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  return bytes.length > 0 && bytes.toString('base64').replace(/=+$/, '') === unpadded ? bytes : null;
}
