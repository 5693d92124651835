import { bundleOf, certificatesIn, isFor, type Held, type Kept } from './kept.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** CertificateTimes are the periods of certificates, in milliseconds. */
export interface CertificateTimes {
  readonly authority: number;
  readonly serving: number;
  /** A new authority is trusted for so long before anything is signed by it: every API server must have heard of it. */
  readonly announce: number;
  /** The same, when there is nothing to serve with in the meantime. */
  readonly settle: number;
  /** An old authority is trusted for so long after it: every replica must have taken the new certificate. */
  readonly overlap: number;
}

/** CERTIFICATE_TIMES: a year and ninety days, renewed when a third is left. */
export const CERTIFICATE_TIMES: CertificateTimes = {
  authority: 365 * DAY,
  serving: 90 * DAY,
  announce: 5 * MINUTE,
  settle: 10_000,
  overlap: DAY,
};

/** CertificateStep is the next thing to do; each is one write, so that a fault between two leaves a state that goes on. */
export type CertificateStep =
  | { readonly kind: 'none' }
  /** Makes an authority with nothing known but whom the API server trusts now. */
  | { readonly kind: 'begin'; readonly previous: Kept['previous'] }
  /** Makes the authority that will sign. */
  | { readonly kind: 'introduce' }
  /** Writes whom the API server must trust. */
  | { readonly kind: 'publish'; readonly bundle: string }
  /** Notes that the API server was told of the next authority. */
  | { readonly kind: 'announced' }
  /** Lets the next authority sign, and makes a serving certificate by it. */
  | { readonly kind: 'switch' }
  /** Makes a serving certificate. */
  | { readonly kind: 'renew' }
  /** Ends the trust in authorities that nobody shows any more. */
  | { readonly kind: 'retire'; readonly previous: Kept['previous'] };

/**
 * planCertificates gives the next step. Trust comes first and goes last: an authority is in `caBundle` before a certificate by it is
 * shown, and stays while one may be. `live` are the bundles of the webhooks as they stand; null without a configuration, which
 * is then waited for.
 */
export function planCertificates(
  kept: Kept | null,
  live: readonly string[] | null,
  names: readonly string[],
  at: number,
  times: CertificateTimes = CERTIFICATE_TIMES,
): CertificateStep {
  if (kept === null) return { kind: 'begin', previous: stillTrusted(live ?? [], at, times) };
  const { next, previous } = kept;
  // It signed nothing yet, so that nobody misses it.
  if (next !== null && !holds(next, at)) return { kind: 'introduce' };
  const bundle = bundleOf(kept);
  if (live?.some((pem) => pem !== bundle)) return { kind: 'publish', bundle };
  const signing = stillSigning(kept, at);
  const serving = signing === null ? null : stillServing(kept.serving, names, at);
  if (next !== null && live !== null) {
    // A clock that was set back says nothing of how long ago that was.
    if (next.announcedAt === null || next.announcedAt > at) return { kind: 'announced' };
    const wait = serving === null ? settleOf(kept, times) : times.announce;
    if (at - next.announcedAt >= wait) return { kind: 'switch' };
  }
  if (signing !== null && mustRenew(serving, signing, at)) return { kind: 'renew' };
  if (next === null && (signing === null || isNearEnd(signing, at))) return { kind: 'introduce' };
  return retireEnded(previous, at);
}

function retireEnded(previous: Kept['previous'], at: number): CertificateStep {
  const trusted = previous.filter((held) => held.until > at && held.to > at);
  return trusted.length < previous.length ? { kind: 'retire', previous: trusted } : { kind: 'none' };
}

/** How long a new authority settles with nothing to serve with: no API server waits where none ever signed. */
function settleOf({ signing, previous }: Kept, times: CertificateTimes): number {
  return previous.length > 0 || signing !== null ? times.settle : 0;
}

function stillSigning({ signing }: Kept, at: number): Kept['signing'] {
  return signing !== null && holds(signing, at) ? signing : null;
}

function stillServing(serving: Kept['serving'], names: readonly string[], at: number): Kept['serving'] {
  return serving !== null && holds(serving, at) && isFor(serving, names) ? serving : null;
}

/** One that ends with its authority cannot be made to end later. */
function mustRenew(serving: Kept['serving'], signing: Held, at: number): boolean {
  return serving === null || (isNearEnd(serving, at) && serving.to < signing.to);
}

/** servingLife gives how long a serving certificate that is made now holds: never longer than who signs it. */
export function servingLife(
  authority: Held,
  at: number,
  times: CertificateTimes,
): { from: number; to: number } {
  return { from: at, to: Math.min(at + times.serving, authority.to) };
}

function stillTrusted(live: readonly string[], at: number, times: CertificateTimes): Kept['previous'] {
  const found = new Map(live.flatMap(certificatesIn).map((held) => [held.cert, held]));
  return [...found.values()]
    .filter(({ to }) => to > at)
    .map((held) => ({ ...held, until: at + times.overlap }));
}

/**
 * A certificate of the future was made by a clock that was ahead: no API server takes it before it begins, so it is recreated. Each begins
 * 5 minutes before it is made, so that leaders whose clocks differ by less do not recreate each other's certificates.
 */
function holds({ from, to }: Held, at: number): boolean {
  return from <= at && to > at;
}

function isNearEnd({ from, to }: Held, at: number): boolean {
  return to - at <= (to - from) / 3;
}
