import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Authority, ServingPair } from './ports.ts';

/** Held is a certificate of which it is known when it ends, in milliseconds. */
export interface Held {
  readonly cert: string;
  readonly from: number;
  readonly to: number;
}

/** Kept is what the leader keeps in the Secret: who signs, who will, who did, and the serving certificate. */
export interface Kept {
  /** Signs serving certificates; null between a loss and the first switch. */
  readonly signing: (Held & Authority) | null;
  /** Will sign, once the API server is sure to trust it; `announcedAt` is when its trust was written, null before. */
  readonly next: (Held & Authority & { readonly announcedAt: number | null }) | null;
  /** Trusted until then, as replicas may still show certificates that these signed. */
  readonly previous: readonly (Held & { readonly until: number })[];
  readonly serving: (Held & ServingPair) | null;
}

/** What is in the Secret beside the certificates: times, by the order of `previous`. */
interface Times {
  readonly announcedAt: number | null;
  readonly until: readonly number[];
}

/** bundleOf gives whom the API server must trust for this, as PEM; in an order that a switch does not change. */
export function bundleOf({ signing, next, previous }: Kept): string {
  const all = [signing, next, ...previous].map((held) => held?.cert ?? '');
  return [...new Set(all)].toSorted().join('');
}

/** toSecretData writes it as the data of a Secret; `ca.crt`, `tls.crt` and `tls.key` are as other programs have them. */
export function toSecretData(kept: Kept): Readonly<Record<string, string>> {
  const { signing, next, previous, serving } = kept;
  const times: Times = { announcedAt: next?.announcedAt ?? null, until: previous.map(({ until }) => until) };
  return {
    'ca.crt': bundleOf(kept),
    'tls.crt': serving?.cert ?? '',
    'tls.key': serving?.key ?? '',
    'ca.signing.crt': signing?.cert ?? '',
    'ca.signing.key': signing?.key ?? '',
    'ca.next.crt': next?.cert ?? '',
    'ca.next.key': next?.key ?? '',
    'ca.previous.crt': previous.map(({ cert }) => cert).join(''),
    times: JSON.stringify(times),
  };
}

/** holdsCertificates tells whether data has certificates, of us or of others; only the path of the webhook may have been there first. */
export function holdsCertificates(data: Readonly<Record<string, string>>): boolean {
  return ['ca.crt', 'tls.crt', 'tls.key', 'times'].some((key) => Object.hasOwn(data, key));
}

/** readSecretData reads it back; null when anything of it is not what was written: it is then recreated. */
export function readSecretData(data: Readonly<Record<string, string>>): Kept | null {
  try {
    const { announcedAt, until } = JSON.parse(data['times'] ?? '') as Times;
    const previous = certificatesIn(data['ca.previous.crt'] ?? '');
    if (!Array.isArray(until) || until.length !== previous.length || !until.every(Number.isFinite))
      return null;
    if (announcedAt !== null && !Number.isFinite(announcedAt)) return null;
    const signing = pairOf(data['ca.signing.crt'], data['ca.signing.key']);
    const next = pairOf(data['ca.next.crt'], data['ca.next.key']);
    const kept: Kept = {
      signing,
      next: next && { ...next, announcedAt },
      previous: previous.map((held, at) => ({ ...held, until: until[at] ?? 0 })),
      serving: pairOf(data['tls.crt'], data['tls.key']),
    };
    return isWhole(kept) ? kept : null;
  } catch {
    return null;
  }
}

/** readServingPair gives the pair of a Secret or of files. Throws when the two do not belong together. */
export function readServingPair(cert: string, key: string): Held & ServingPair {
  const leaf = new X509Certificate(cert);
  if (!leaf.checkPrivateKey(createPrivateKey(key))) throw new Error('the key is not that of the certificate');
  return { cert, key, from: leaf.validFromDate.getTime(), to: leaf.validToDate.getTime() };
}

/** certificatesIn gives the certificates that a bundle holds; what is not a certificate is left out. */
export function certificatesIn(pem: string): readonly Held[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      const { validFromDate, validToDate } = new X509Certificate(block);
      const cert = block.endsWith('\n') ? block : `${block}\n`;
      return [{ cert, from: validFromDate.getTime(), to: validToDate.getTime() }];
    } catch {
      return [];
    }
  });
}

/** signed tells whether an authority signed a certificate. */
export function signed(authority: Held, { cert }: Held): boolean {
  const ca = new X509Certificate(authority.cert);
  const leaf = new X509Certificate(cert);
  return leaf.checkIssued(ca) && leaf.verify(ca.publicKey);
}

/** isFor tells whether a certificate stands for each of these names and addresses. */
export function isFor({ cert }: Held, names: readonly string[]): boolean {
  const leaf = new X509Certificate(cert);
  return names.every((name) => (leaf.checkHost(name) ?? leaf.checkIP(name)) !== undefined);
}

function pairOf(cert: string | undefined, key: string | undefined): (Held & Authority) | null {
  return cert === undefined || cert === '' ? null : readServingPair(cert, key ?? '');
}

/** The signer is an authority, and the serving certificate is from that signer. */
function isWhole({ signing, next, serving }: Kept): boolean {
  if (signing === null && next === null) return false;
  if ([signing, next].some((held) => held !== null && !new X509Certificate(held.cert).ca)) return false;
  return serving === null || (signing !== null && signed(signing, serving));
}
