import { printable } from '../base/index.ts';
import { keyId, openPublicKey } from './public-key.ts';

/**
 * showValue writes the value of a field on one line, for people: words as they stand, lists in brackets, a key by
 * kind and fingerprint. `path` says what an empty value stands for.
 */
export function showValue(path: string, value: unknown, max = 120): string {
  if (value === undefined) return 'not set';
  if (value === '') return path === 'spec.admissionTiming' ? "empty (the installation's)" : '""';
  if (Array.isArray(value)) {
    if (value.length === 0) return EMPTY[path] ?? 'none';
    return printable(`[${value.map((entry) => showEntry(entry)).join(', ')}]`, max);
  }
  return printable(showEntry(value), max);
}

const EMPTY: Readonly<Record<string, string>> = {
  'spec.targetNamespaces': 'the whole cluster',
  'spec.allowedRegistries': 'any',
  'spec.deploymentContext.signals': 'all six',
};

/** showEntry writes one entry of a list: `builder-id level 2`, `identity (issuer)`, `ECDSA P-256 key 1a2b3c4d5e6f`. */
export function showEntry(entry: unknown): string {
  if (typeof entry === 'string') return entry.includes('-----BEGIN') ? showKey(entry) : printable(entry, 200);
  if (entry === null || typeof entry !== 'object') return String(entry);
  const { id, level, signer, predicateType, identity, issuer, key, keys, identities, ...patterns } =
    entry as Readonly<Record<string, unknown>>;
  const { identityRegExp, issuerRegExp } = patterns;
  const parts: string[] = [];
  if (typeof id === 'string') parts.push(`${id} level ${String(level)}`);
  if (typeof signer === 'string') parts.push(`signed by ${signer}`);
  if (typeof predicateType === 'string') parts.push(predicateType);
  if (typeof identity === 'string') parts.push(identity);
  if (typeof identityRegExp === 'string')
    parts.push(`${typeof id === 'string' ? 'signed by ' : ''}any that matches ${identityRegExp}`);
  if (typeof key === 'string') parts.push(showKey(key));
  if (typeof issuerRegExp === 'string') parts.push(`(any that matches ${issuerRegExp})`);
  if (typeof issuer === 'string') parts.push(`(${issuer})`);
  const signers = [keys, identities].flatMap((list) => (Array.isArray(list) ? list.map(showEntry) : []));
  if (signers.length > 0) parts.push(`signed by ${signers.join(' or ')}`);
  return printable(parts.join(' '), 400);
}

function showKey(pem: string): string {
  const key = openPublicKey(pem);
  const details = key?.asymmetricKeyDetails;
  const id = keyId(pem).slice(0, 12);
  if (key?.asymmetricKeyType === 'rsa') return `RSA ${details?.modulusLength ?? ''} key ${id}`;
  if (key?.asymmetricKeyType === 'ec') return `ECDSA ${CURVES[details?.namedCurve ?? ''] ?? ''} key ${id}`;
  return `Ed25519 key ${id}`;
}

const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
};
