import { sql } from 'kysely';
import { missingProof, type FoundStamp, type ScanStamp } from '../../trackers/index.ts';
import { within, type CveRange } from './cve-range.ts';
import type { CountedFinding } from './cve-totals.ts';
import { insertMany, type Cell } from '../sql/dialect.ts';
import { imageNumbers } from './history-images.ts';
import { standingAmong, type Standing } from './standing.ts';
import { run, type Executor } from '../sql/run.ts';

/** MadeScan is a scan that was just recorded and is in use; times are UTC milliseconds. */
export interface MadeScan {
  readonly id: number;
  /** Null where the report does not say: then it counts from when it was recorded, and shows no age. */
  readonly scannedAt: number | null;
  readonly stamp: ScanStamp;
  readonly version: string | null;
  /** When all of the image was scanned at least: where platforms are scanned by themselves, the time of the oldest; null as above. */
  readonly wholeAt: number | null;
  /** What it was compared with: the scan that it replaced, or null. */
  readonly replaced: FoundStamp | null;
  /** CVEs that only platforms had which are not scanned any more, since no node has them. */
  readonly gone?: ReadonlySet<string>;
}

/** HistoryCause is why findings changed: a scan, the catalogue, or platforms that no node has any more. */
export type HistoryCause = MadeScan | 'catalogue' | 'platforms';

/** Episode is a row of `finding_history`, without its image. */
export interface Episode {
  readonly cve: string;
  readonly first_seen_at: number;
  readonly first_scan: number | null;
  readonly rank: number;
  readonly worst: number;
  readonly package: string;
  readonly fixed: string | null;
  readonly others: string | null;
  readonly fixable_at: number | null;
  readonly exploited_at: number | null;
  readonly exploited_until: number | null;
  readonly unreported_at: number | null;
  readonly found_scanner: string | null;
  readonly found_db_at: number | null;
  readonly found_scan_at: number | null;
  readonly ended_at: number | null;
  readonly ended_scan: number | null;
  readonly ended_by: string | null;
}

const TYPES = {
  image: 'integer',
  cve: 'text',
  first_seen_at: 'integer',
  first_scan: 'integer',
  rank: 'integer',
  worst: 'integer',
  package: 'text',
  fixed: 'text',
  others: 'text',
  fixable_at: 'integer',
  exploited_at: 'integer',
  exploited_until: 'integer',
  unreported_at: 'integer',
  found_scanner: 'text',
  found_db_at: 'integer',
  found_scan_at: 'integer',
  ended_at: 'integer',
  ended_scan: 'integer',
  ended_by: 'text',
} as const;

const [, ...COLUMNS] = Object.keys(TYPES) as ['image', ...(keyof Episode)[]];
const NAMES = sql.join(COLUMNS.map((name) => sql.ref(name)));
const REPLACE = `on conflict (image, cve, first_seen_at) do update set ${COLUMNS.filter(
  (name) => name !== 'cve' && name !== 'first_seen_at',
)
  .map((name) => `"${name}" = excluded."${name}"`)
  .join(', ')}`;

/** KnownFindings are the findings of the scan in use, of the CVEs in a range; null for all CVEs. */
export interface KnownFindings {
  readonly range: CveRange | null;
  readonly found: readonly CountedFinding[];
}

/**
 * followFindings brings the history of an image's findings up to what its scan in use says, in the transaction that changed them, after
 * lockImage. Only what changed is written. With known findings nothing of them is read, and only the CVEs in their range are looked at.
 */
export async function followFindings(
  transaction: Executor,
  digest: string,
  at: number,
  cause: HistoryCause,
  known: KnownFindings | null = null,
): Promise<void> {
  const range = known?.range ?? null;
  const image = await noteScan(transaction, digest, cause);
  const standing = standingAmong(known?.found ?? (await readFindings(transaction, digest)));
  const open = await run(
    transaction,
    sql<Episode>`select ${NAMES} from finding_history
     where image = ${image} and ended_at is null and ${within(range)}`,
  );
  await writeEpisodes(transaction, image, planHistory(standing, open, at, cause));
}

/**
 * followSame is followFindings for a scan that found what the one before it had found: what can change are findings that earlier scans had
 * and that waited for a proof that they are fixed.
 */
export async function followSame(
  transaction: Executor,
  digest: string,
  at: number,
  cause: MadeScan,
  found: readonly CountedFinding[],
): Promise<void> {
  const image = await noteScan(transaction, digest, cause);
  const [of] = await run(
    transaction,
    sql<{
      open: number;
      missing: number;
    }>`select count(*) as open, count(unreported_at) as missing from finding_history where image = ${image} and ended_at is null`,
  );
  const { open, missing } = of ?? { open: 0, missing: 0 };
  if (open - missing !== new Set(found.map(({ cve }) => cve)).size)
    return followFindings(transaction, digest, at, cause, { range: null, found });
  if (missing === 0) return;
  const waiting = await run(
    transaction,
    sql<Episode>`select ${NAMES} from finding_history where image = ${image} and ended_at is null and unreported_at is not null`,
  );
  const cves = new Set(waiting.map(({ cve }) => cve));
  const standing = standingAmong(found.filter(({ cve }) => cves.has(cve)));
  await writeEpisodes(transaction, image, planHistory(standing, waiting, at, cause));
}

/** Gives the number of the image, whose scan is kept as one. */
async function noteScan(transaction: Executor, digest: string, cause: HistoryCause): Promise<number> {
  const image = (await imageNumbers(transaction, [digest])).get(digest);
  if (image === undefined) throw new Error(`no number for ${digest}`);
  if (typeof cause === 'object' && cause.wholeAt !== null)
    await run(
      transaction,
      sql`insert into scan_history (image, scanned_at) values (${image}, ${cause.wholeAt}) on conflict (image, scanned_at) do nothing`,
    );
  return image;
}

async function writeEpisodes(
  transaction: Executor,
  image: number,
  episodes: readonly Episode[],
): Promise<void> {
  const rows = episodes.map((row) => cellsOf(image, row));
  await insertMany(transaction, 'finding_history', TYPES, rows, REPLACE);
}

/** In the order of TYPES. */
function cellsOf(image: number, row: Episode): Cell[] {
  return [
    ...[image, row.cve, row.first_seen_at, row.first_scan, row.rank, row.worst, row.package, row.fixed],
    ...[row.others, row.fixable_at, row.exploited_at, row.exploited_until, row.unreported_at],
    ...[row.found_scanner, row.found_db_at, row.found_scan_at, row.ended_at, row.ended_scan, row.ended_by],
  ];
}

async function readFindings(transaction: Executor, digest: string): Promise<CountedFinding[]> {
  return run(
    transaction,
    sql<CountedFinding>`select f.cve, f.rank, f.package, f.fixed, f.known_exploited from scans s join findings f on f.scan_id = s.id
     where s.digest = ${digest} and s.current = 1`,
  );
}

/** Of one that is reported, or has ended: nothing is waited for. */
const NEVER_MISSED = { unreported_at: null, found_scanner: null, found_db_at: null, found_scan_at: null };

function planHistory(
  standing: ReadonlyMap<string, Standing>,
  open: readonly Episode[],
  at: number,
  cause: HistoryCause,
): Episode[] {
  const changed: Episode[] = [];
  const known = new Set<string>();
  const made = typeof cause === 'object' ? cause : null;
  const when = made?.scannedAt ?? at;
  for (const episode of open) {
    known.add(episode.cve);
    const now = standing.get(episode.cve);
    const next = now === undefined ? missed(episode, cause, when) : goOn(episode, now, when, at);
    if (next !== episode) changed.push(next);
  }
  for (const [cve, now] of standing) if (!known.has(cve)) changed.push(begun(cve, now, when, at, made));
  return changed;
}

function begun(cve: string, now: Standing, when: number, at: number, made: MadeScan | null): Episode {
  const { rank, package: name, fixed, others, isFixable, isExploited } = now;
  return {
    cve,
    first_seen_at: when,
    first_scan: made?.id ?? null,
    rank,
    worst: rank,
    package: name,
    fixed,
    others,
    fixable_at: isFixable ? when : null,
    exploited_at: isExploited ? at : null,
    exploited_until: null,
    ...NEVER_MISSED,
    ended_at: null,
    ended_scan: null,
    ended_by: null,
  };
}

/** It is reported; the same row where it is reported as before. */
function goOn(episode: Episode, now: Standing, when: number, at: number): Episode {
  const next: Episode = {
    ...episode,
    ...{ rank: now.rank, package: now.package, fixed: now.fixed, others: now.others },
    worst: Math.max(episode.worst, now.rank),
    fixable_at: episode.fixable_at ?? (now.isFixable ? when : null),
    exploited_at: episode.exploited_at ?? (now.isExploited ? at : null),
    exploited_until:
      now.isExploited || episode.exploited_at === null ? null : (episode.exploited_until ?? at),
    ...NEVER_MISSED,
  };
  return COLUMNS.every((name) => next[name] === episode[name]) ? episode : next;
}

/** It is not reported any more: it ended where that scan proves it, and else waits for one that does, as its issue would. */
function missed(episode: Episode, cause: HistoryCause, when: number): Episode {
  if (cause === 'catalogue') return episode;
  // A report may say that it was made before the one that found it, and an end is never before the beginning.
  const ended_at = Math.max(episode.first_seen_at, when);
  // An end without a scan is no fix: what had it does not run here any more.
  if (cause === 'platforms' || cause.gone?.has(episode.cve) === true)
    return episode.unreported_at === null ? { ...episode, ended_at } : episode;
  const { id, stamp, version, replaced } = cause;
  const { found_scanner: scanner, found_db_at: dbUpdatedAt, found_scan_at: recordedAt } = episode;
  // The row says what found it from when it is not reported any more.
  const found: FoundStamp =
    episode.unreported_at === null && replaced !== null ? replaced : { scanner, dbUpdatedAt, recordedAt };
  if (missingProof(found, stamp) === null)
    return {
      ...{ ...episode, ended_at, ended_scan: id },
      ended_by: JSON.stringify({ scanner: stamp.scanner, version, db_updated_at: stamp.dbUpdatedAt }),
      ...NEVER_MISSED,
    };
  if (episode.unreported_at !== null) return episode;
  return {
    ...{ ...episode, unreported_at: when },
    ...{ found_scanner: found.scanner, found_db_at: found.dbUpdatedAt, found_scan_at: found.recordedAt },
  };
}

/** goneWith gives the CVEs that only platforms had which are not kept; `platforms` null is all that there were. */
export function goneWith(
  before: readonly { readonly cve: string; readonly platforms: string | null }[],
  had: readonly string[],
  kept: readonly string[],
): ReadonlySet<string> {
  const stay = new Set(['', ...kept]);
  if (had.every((platform) => stay.has(platform))) return new Set();
  const left = new Set<string>();
  for (const { cve, platforms } of before) {
    const on = platforms === null ? had : (JSON.parse(platforms) as string[]);
    if (on.some((platform) => stay.has(platform))) left.add(cve);
  }
  return new Set(before.flatMap(({ cve }) => (left.has(cve) ? [] : [cve])));
}

/** endConfirmed ends a finding that no scan reports any more, on a person's word that it is fixed. */
export async function endConfirmed(
  transaction: Executor,
  digest: string,
  cve: string,
  at: number,
): Promise<void> {
  await run(
    transaction,
    sql`update finding_history set ended_at = case when first_seen_at > ${at} then first_seen_at else ${at} end, ended_by = 'person',
       unreported_at = null, found_scanner = null, found_db_at = null, found_scan_at = null
     where cve = ${cve} and ended_at is null and unreported_at is not null
       and image = (select id from history_images where digest = ${digest})`,
  );
}
