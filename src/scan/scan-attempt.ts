import type { Digest } from '../base/index.ts';
import { parseReference, type ImageReference } from '../image/index.ts';
import { MAX_ATTEMPTS, retryAt } from './back-off.ts';
import type { ScanClaim } from './ports.ts';
import type { ScannerFault } from './scanner-error.ts';

/** Repositories that one attempt asks at most. */
const MAX_PLACES = 3;

/** Addresses of one machine's own link, where clouds give out credentials. A pod that nobody admitted can name them. */
const NO_REGISTRY =
  /^(?:169\.254\.\d{1,3}\.\d{1,3}|\[(?:fe[89ab][0-9a-f]:|fd00:ec2:|::ffff:(?:169\.254\.|a9fe:)).*\]|metadata(?:\.google\.internal)?)(?::\d+)?$/i;

/**
 * placesOf gives where an attempt (1, 2, …) asks for a digest, by the names it was seen under, each repository once. Each attempt begins
 * behind the one before: anyone who may create a pod can give an image names that lead nowhere, and must not hide where it is.
 */
export function placesOf(
  digest: Digest,
  names: readonly string[],
  attempt: number,
): readonly ImageReference[] {
  const places = new Map<string, ImageReference>();
  for (const name of names) {
    const seen = parseReference(name);
    if ('fault' in seen || places.has(seen.name) || NO_REGISTRY.test(seen.host)) continue;
    const place = parseReference(`${seen.name}@${digest}`);
    if (!('fault' in place)) places.set(seen.name, place);
  }
  const all = [...places.values()];
  // One further with each round, so that each place comes to be the first: one that is slow takes an attempt's time for itself.
  const asked = (attempt - 1) * MAX_PLACES;
  const from = all.length === 0 ? 0 : (asked + Math.floor(asked / all.length)) % all.length;
  return [...all.slice(from), ...all.slice(0, from)].slice(0, MAX_PLACES);
}

/** A scanner that does not work is tried again after this many milliseconds. */
const SCANNER_MS = 60_000;

/**
 * nextAttempt gives when a failed scan is due again, or null to give it up. What is wrong with the scanner itself is not held against the
 * image, which waits as long as it takes; a service that ends gives it back at once.
 */
export function nextAttempt({ attempts }: ScanClaim, fault: ScannerFault, at: number): number | null {
  if (fault === 'stopped') return at;
  if (fault === 'scanner') return at + SCANNER_MS;
  return retryAt(attempts, at);
}

/** Between two scans of an image in which no packages were found: as often as the database changes. */
const INCOMPLETE_MS = 6 * 60 * 60_000;

/** incompleteAt gives when an image is scanned again in which no packages were found, or null to give it up. */
export function incompleteAt({ attempts }: ScanClaim, at: number): number | null {
  return attempts >= MAX_ATTEMPTS ? null : at + INCOMPLETE_MS;
}
