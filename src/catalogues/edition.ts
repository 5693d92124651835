import { DAY_MS, formatTime, refreshCall } from '../base/index.ts';
import { CatalogueError } from './catalogue-error.ts';

/** Edition is which one a catalogue is, as it says itself. */
export interface Edition {
  /** Such as `2026.08.07`; null where it does not say. */
  readonly version: string | null;
  /** Milliseconds; null likewise. */
  readonly releasedAt: number | null;
}

/** KeptEdition is the one that is in use, and when it was fetched. */
export interface KeptEdition extends Edition {
  readonly fetchedAt: number | null;
  /** Whether the same source gave it: another one may never say when. */
  readonly isOfSource: boolean;
}

/** Accepted is what a person who has looked into it takes all the same. */
export interface Accepted {
  readonly acceptShrunk: boolean;
  readonly acceptOlder: boolean;
}

/** Clocks that disagree by less say nothing. */
const LEEWAY_MS = DAY_MS;

/**
 * checkNotOlder holds that a catalogue is not an older edition than the one that is kept: a mirror that went back would call what came in
 * since harmless. `noun` begins its sentences, `setting` is where it comes from. Throws CatalogueError `invalid_report`.
 */
export function checkNotOlder(edition: Edition, kept: KeptEdition, noun: string, setting: string): void {
  const fault = isOlder(edition, kept);
  if (fault === null) return;
  throw new CatalogueError(
    'invalid_report',
    `${noun} ${fault}, so it is not used`,
    `See what ${setting} leads to; if it is right, take it: ${refreshCall('?accept_older=true')}`,
  );
}

function isOlder(edition: Edition, kept: KeptEdition): string | null {
  const before = dateOf(kept);
  if (before !== null && edition.releasedAt !== null)
    return edition.releasedAt < before
      ? `is of ${formatTime(edition.releasedAt)}, older than the one that is kept, of ${formatTime(before)}`
      : null;
  const order = compareVersions(edition.version, kept.version);
  if (order !== null)
    return order < 0
      ? `is version ${edition.version}, older than the one that is kept, ${kept.version}`
      : null;
  return before === null || !kept.isOfSource
    ? null
    : `does not say when it was released, and the one that is kept does`;
}

/** One that was dated later than it was fetched counts as of then: a wrong date must not keep every right one out. */
function dateOf({ releasedAt, fetchedAt }: KeptEdition): number | null {
  if (releasedAt === null) return null;
  return fetchedAt === null || releasedAt <= fetchedAt + LEEWAY_MS ? releasedAt : fetchedAt;
}

/** isFromTheFuture tells a catalogue that is dated later than now: its clock is wrong, or ours is. */
export function isFromTheFuture({ releasedAt }: Edition, now: number): boolean {
  return releasedAt !== null && releasedAt > now + LEEWAY_MS;
}

/** Of versions that are only numbers with dots, as CISA writes them; null where that cannot be told. */
function compareVersions(a: string | null, b: string | null): number | null {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  if (left === null || right === null) return null;
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const order = (left[i] ?? 0) - (right[i] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}

function numbersOf(version: string | null): readonly number[] | null {
  return version !== null && /^\d{1,9}(?:\.\d{1,9}){1,5}$/.test(version)
    ? version.split('.').map(Number)
    : null;
}

/** MIN_SHARE is how many of the entries that are kept a new catalogue must at least have. Publishers take few out, ever. */
const MIN_SHARE = 0.8;

/** Size is how many entries a catalogue has, and how sentences speak of it. */
export interface Size {
  readonly noun: string;
  /** What it is called by once it is kept: `the catalogue`. */
  readonly short: string;
  readonly unit: string;
  readonly setting: string;
  readonly entries: number;
}

/**
 * checkSize holds that a catalogue may replace one of `kept` entries (0 for none): one that is empty, or shrunk by much, would call
 * harmless what it no longer names. Throws CatalogueError `invalid_report`.
 */
export function checkSize(
  { noun, short, unit, setting, entries }: Size,
  kept: number,
  acceptShrunk: boolean,
): void {
  if (entries === 0)
    throw new CatalogueError(
      'invalid_report',
      `${noun} is empty`,
      `See what ${setting} leads to; ${short} that is kept stays in use`,
    );
  if (acceptShrunk || entries >= kept * MIN_SHARE) return;
  throw new CatalogueError(
    'invalid_report',
    `${noun} has shrunk from ${kept} to ${entries} ${unit}, so it is not used`,
    `See what ${setting} leads to; if it is right, take it: ${refreshCall('?accept_shrunk=true')}`,
  );
}
