import { sign } from 'node:crypto';
import { privateKey, publicPem } from '../../fixtures/decisions/keys.ts';
import type { SignedEntry } from '../../src/facts/index.ts';

/** WEB is the image that payloads are about, OTHER one that they are not about. */
export const WEB = `sha256:${'a'.repeat(64)}`;
export const OTHER = `sha256:${'b'.repeat(64)}`;
/** KEY is the public key that `signed` signs for. */
export const KEY = publicPem('ed25519');
export const CVE = 'CVE-2021-44228';

/** signed gives a raw entry, or a DSSE one, over any payload. */
export function signed(payload: unknown, payloadType: string | null = null): SignedEntry {
  const bytes = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload), 'utf8');
  const type = payloadType ?? '';
  const covered =
    payloadType === null
      ? bytes
      : Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${bytes.length} `), bytes]);
  const signature = sign(null, covered, privateKey('ed25519')).toString('base64');
  return { identity: null, issuer: null, payload: bytes.toString('base64'), signature, payloadType };
}

/** critical gives a simple-signing document of an image. */
export const critical = (digest: unknown): unknown => ({
  critical: { image: { 'docker-manifest-digest': digest } },
});
/** inToto gives a statement about an image. */
export const inToto = (digest: string, predicateType: string, predicate: unknown = {}): unknown => ({
  subject: [{ digest: { sha256: digest.slice(7) } }],
  predicateType,
  predicate,
});
