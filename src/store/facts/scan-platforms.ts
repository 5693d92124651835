import { sql } from 'kysely';
import {
  neededEntries,
  normalisePlatform,
  formatPlatform,
  parsePlatform,
  entryFor,
  type PlatformEntry,
} from '../../image/index.ts';
import { wantedPlatforms } from './node-platforms.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** PartRow is what one platform's scan was made with; of a digest that is scanned as a whole there is none. */
export interface PartRow {
  readonly platform: string;
  readonly image: string | null;
  readonly scanner: string | null;
  readonly scanner_version: string | null;
  readonly db_updated_at: number | null;
  readonly scanned_at: number | null;
  readonly recorded_at: number;
  readonly os_family: string | null;
  readonly os_name: string | null;
  readonly os_eosl: number | null;
}

const COLUMNS = sql`platform, image, scanner, scanner_version, db_updated_at, scanned_at, recorded_at, os_family, os_name, os_eosl`;

/** readParts gives the scans that the current scan of a digest was put together from. */
export async function readParts(read: Executor, digest: string): Promise<readonly PartRow[]> {
  return run(
    read,
    sql<PartRow>`select ${COLUMNS} from scan_platforms where digest = ${digest} order by platform`,
  );
}

/** readCurrent gives the scan of a digest that is in use. */
export async function readCurrent(read: Executor, digest: string): Promise<CurrentScan | null> {
  const [current] = await run(
    read,
    sql<CurrentScan>`select id, scanner, scanner_version, db_updated_at, scanned_at, recorded_at, os_family, os_name, os_eosl
     from scans where digest = ${digest} and current = 1`,
  );
  return current ?? null;
}

/** hadPlatforms gives the platforms that the current scan was put together from; before any was named, one that is not. */
export async function hadPlatforms(read: Executor, digest: string): Promise<readonly string[]> {
  const parts = await readParts(read, digest);
  return parts.length === 0 ? [''] : parts.map(({ platform }) => platform);
}

/** readEntries gives the images of an index; an empty list for an image by itself, null where nobody knows. */
export async function readEntries(read: Executor, digest: string): Promise<readonly PlatformEntry[] | null> {
  const [row] = await run(
    read,
    sql<Row<'images', 'platforms'>>`select platforms from images where digest = ${digest}`,
  );
  return parseEntries(row?.platforms ?? null);
}

/** parseEntries reads `images.platforms`. */
export function parseEntries(text: string | null): readonly PlatformEntry[] | null {
  return text === null ? null : (JSON.parse(text) as PlatformEntry[]);
}

/** ScanPlace is where a scan of a digest belongs. */
export interface ScanPlace {
  /** The platform that it is kept under; null: it stands for the digest as a whole. */
  readonly platform: string | null;
  /** The digest of the image itself, or null. */
  readonly image: string | null;
  /** The scans of other platforms that stay beside it. */
  readonly others: readonly PartRow[];
  /** What it would replace, with when it was made and recorded, and by which scanner with a database of when; null for nothing. */
  readonly replaces: {
    readonly scannedAt: number | null;
    readonly scanner: string | null;
    readonly databaseAt: number | null;
    readonly recordedAt: number;
  } | null;
}

/** Given is what is known of the scan that is to be recorded. */
export interface Given {
  readonly platform?: string | null | undefined;
  readonly image?: string | null | undefined;
  readonly entries?: readonly PlatformEntry[] | null | undefined;
}

/** CurrentScan is the scan in use. */
export type CurrentScan = Omit<PartRow, 'platform' | 'image'> & { readonly id: number };

/** noteEntries takes note of what is behind a digest, where the registry was asked. */
export async function noteEntries(transaction: Executor, digest: string, { entries }: Given): Promise<void> {
  if (entries === undefined) return;
  const text = JSON.stringify(entries ?? []);
  await run(
    transaction,
    sql`update images set platforms = ${text} where digest = ${digest} and platforms is distinct from ${text}`,
  );
}

/** placeScan tells which platform of a digest a scan counts for, and what stays beside it; null where it counts for none that is needed. */
export async function placeScan(
  read: Executor,
  digest: string,
  given: Given,
  current: CurrentScan | null,
): Promise<ScanPlace | null> {
  const entries = given.entries === undefined ? await readEntries(read, digest) : (given.entries ?? []);
  const parts = await readParts(read, digest);
  const whole = { platform: null, image: null, others: [], replaces: replaced(current) };
  if (entries !== null && entries.length === 0) return whole;
  const named = nameOf(given.platform ?? null);
  if (entries !== null) {
    const needed = neededEntries(entries, await wantedPlatforms(read));
    if (needed.length > 0) return placeAmong(needed, named, given, parts, current);
  }
  const [only, ...more] = parts;
  const platform = named ?? only?.platform ?? null;
  if (platform === null) return whole;
  if (named === null && more.length > 0) return null;
  const own = parts.find((part) => part.platform === platform);
  const others = parts.filter((part) => part !== own);
  const before = own === undefined && others.length > 0 ? null : (own ?? current);
  return { platform, image: given.image ?? null, others, replaces: replaced(before) };
}

function placeAmong(
  needed: readonly PlatformEntry[],
  named: string | null,
  given: Given,
  parts: readonly PartRow[],
  current: CurrentScan | null,
): ScanPlace | null {
  const [only, ...more] = needed;
  const single = more.length === 0 ? only : undefined;
  const entry = named === null ? single : entryFor(needed, named);
  if (!entry) return null;
  const { platform, digest } = entry;
  const own = parts.find((part) => part.platform === platform);
  const stay = parts.filter((part) => part !== own && needed.some((one) => one.platform === part.platform));
  const missing = needed.length - stay.length - 1;
  // A scan that does not say its platform stands until nothing is missing: its findings must not vanish with the first platform.
  const unnamed =
    parts.find((part) => part.platform === '') ??
    (parts.length === 0 && current !== null ? { ...current, platform: '', image: null } : undefined);
  const others = missing > 0 && unnamed !== undefined ? [...stay, unnamed] : stay;
  const before = own ?? (parts.length === 0 && more.length === 0 ? current : null);
  return { platform, image: given.image ?? digest, others, replaces: replaced(before) };
}

function replaced(
  row: Pick<PartRow, 'scanned_at' | 'scanner' | 'db_updated_at' | 'recorded_at'> | null | undefined,
): ScanPlace['replaces'] {
  if (!row) return null;
  const { scanned_at: scannedAt, scanner, db_updated_at: databaseAt, recorded_at: recordedAt } = row;
  return { scannedAt, scanner, databaseAt, recordedAt };
}

/** What is not a platform says none. */
function nameOf(text: string | null): string | null {
  const platform = text === null ? null : parsePlatform(text);
  return platform === null ? null : formatPlatform(normalisePlatform(platform));
}

/** writeParts keeps the scans that the current one is put together from, and no other. */
export async function writeParts(
  transaction: Executor,
  digest: string,
  parts: readonly PartRow[],
): Promise<void> {
  await run(transaction, sql`delete from scan_platforms where digest = ${digest}`);
  for (const part of parts)
    await run(
      transaction,
      sql`insert into scan_platforms (digest, ${COLUMNS}) values (${digest}, ${part.platform}, ${part.image}, ${part.scanner}, ${part.scanner_version}, ${part.db_updated_at}, ${part.scanned_at}, ${part.recorded_at}, ${part.os_family}, ${part.os_name}, ${part.os_eosl})`,
    );
}

/**
 * wholeOf gives the columns of the scan that stands for all parts: made when the oldest was made, by its scanner, with the oldest
 * database, so that what asks how new it is never takes it for newer; the operating system that has ended, where one has.
 */
export function wholeOf(parts: readonly PartRow[]): Omit<PartRow, 'platform' | 'image'> {
  const byAge = parts.toSorted((a, b) => (a.scanned_at ?? -1) - (b.scanned_at ?? -1));
  const [oldest] = byAge;
  if (oldest === undefined) throw new TypeError('a scan is put together from at least one');
  const os =
    parts.find(({ os_eosl }) => (os_eosl ?? 0) > 0) ??
    parts.find(({ os_family }) => os_family !== null) ??
    oldest;
  const ages = parts.map(({ db_updated_at }) => db_updated_at);
  return {
    scanner: oldest.scanner,
    scanner_version: oldest.scanner_version,
    db_updated_at: ages.includes(null) ? null : Math.min(...ages.map((age) => age ?? 0)),
    scanned_at: oldest.scanned_at,
    recorded_at: Math.max(...parts.map(({ recorded_at }) => recorded_at)),
    os_family: os.os_family,
    os_name: os.os_name,
    os_eosl: os.os_eosl,
  };
}
