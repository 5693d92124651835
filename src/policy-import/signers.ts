import { openPublicKey, type PolicySpec } from '../policy/index.ts';
import { at, textAt, type Json } from './imported.ts';

type Identity = PolicySpec['signature']['identities'][number];

/** Signers are those of which one must have signed. */
export interface Signers {
  readonly keys: readonly string[];
  readonly identities: readonly Identity[];
}

/** Read is what became of an attestor: its signers, or why there are none. */
export type ReadSigners = (Signers & { readonly wider: readonly string[] }) | string;

/** PEM keys of a text, each by itself. */
export function keysIn(text: string): string[] {
  return (text.match(/-----BEGIN PUBLIC KEY-----[^-]*-----END PUBLIC KEY-----/g) ?? [])
    .map(
      (pem) =>
        `${pem
          .replaceAll(/[ \t]/g, '')
          .replace(/BEGINPUBLICKEY/, 'BEGIN PUBLIC KEY')
          .replace(/ENDPUBLICKEY/, 'END PUBLIC KEY')}\n`,
    )
    .filter((pem) => openPublicKey(pem) !== null);
}

/** toIdentity reads a subject and an issuer as other tools write them. Wildcards become patterns, which match whole texts in both. */
function toIdentity(written: Json): Identity | null {
  const [subject, pattern] = [textAt(written, 'subject'), textAt(written, 'subjectRegExp')];
  const [issuer, issuerPattern] = [textAt(written, 'issuer'), textAt(written, 'issuerRegExp')];
  const who = asked(subject, pattern);
  if (who === null) return null;
  const by = asked(issuer, issuerPattern);
  const identity = 'text' in who ? { identity: who.text } : { identityRegExp: who.pattern };
  if (by === null) return identity;
  return { ...identity, ...('text' in by ? { issuer: by.text } : { issuerRegExp: by.pattern }) };
}

/** A text says it before a pattern does; one with wildcards is a pattern. */
function asked(text: string, pattern: string): { text: string } | { pattern: string } | null {
  if (text.includes('*')) return { pattern: fromWildcards(text) };
  if (text !== '') return { text };
  return pattern === '' ? null : { pattern };
}

const WILDCARDS: Readonly<Record<string, string>> = { '*': '.*', '?': '.' };

/** fromWildcards writes `*` and `?` as a pattern of RE2. */
function fromWildcards(text: string): string {
  return [...text].map((char) => WILDCARDS[char] ?? char.replace(/[\\^$.|+()[\]{}]/, '\\$&')).join('');
}

/** isPublic tells the log and authority of Sigstore, which ours trusts too, from others. */
export function isPublic(url: string): boolean {
  return url === '' || /^https?:\/\/(?:rekor|fulcio)\.sigstore\.dev\/?$/.test(url);
}

/** keylessOf reads a keyless attestor whose identities are given. */
export function keylessOf(keyless: Json, identities: readonly Json[]): ReadSigners {
  const read = identities.map(toIdentity);
  const known = read.filter((one) => one !== null);
  if (known.length === 0) return 'it names no subject';
  if (textAt(keyless, 'roots') !== '' || Object.hasOwn(keyless, 'ca-cert'))
    return 'it trusts an authority of its own, and this installation trusts one root for all';
  const wider: string[] = [];
  const [authority, log] = [textAt(keyless, 'url'), textAt(at(keyless, 'rekor'), 'url')];
  if (!isPublic(authority) || !isPublic(log) || textAt(keyless, 'trustRootRef') !== '')
    wider.push(
      'its own authority or log is not asked for: certificates of the trust root of the installation count',
    );
  if (Object.hasOwn(keyless, 'additionalExtensions'))
    wider.push('extensions of certificates are not compared');
  return { keys: [], identities: known, wider };
}
