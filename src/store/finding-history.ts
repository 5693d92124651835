import { byCodeUnit } from '../base/index.ts';
import { missingProof, type FoundStamp, type ScanStamp } from '../trackers/index.ts';
import { insertMany, runText, type Cell } from './dialect.ts';
import { imageNumbers } from './history-images.ts';

type Executor = Parameters<typeof runText>[0];

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
const REPLACE = `on conflict (image, cve, first_seen_at) do update set ${COLUMNS.filter(
  (name) => name !== 'cve' && name !== 'first_seen_at',
)
  .map((name) => `"${name}" = excluded."${name}"`)
  .join(', ')}`;

/**
 * followFindings brings the history of an image's findings up to what its scans in use say, in the transaction that changed them, after
 * lockImage. Only what changed is written: a scan that reports what the last one did costs two reads.
 */
export async function followFindings(
  transaction: Executor,
  digest: string,
  at: number,
  cause: HistoryCause,
): Promise<void> {
  const image = (await imageNumbers(transaction, [digest])).get(digest);
  if (image === undefined) throw new Error(`no number for ${digest}`);
  if (typeof cause === 'object' && cause.wholeAt !== null)
    await runText(
      transaction,
      'insert into scan_history (image, scanned_at) values (?, ?) on conflict (image, scanned_at) do nothing',
      [image, cause.wholeAt],
    );
  const standing = await readStanding(transaction, digest);
  const open = await runText<Episode>(
    transaction,
    `select ${COLUMNS.map((name) => `"${name}"`).join(', ')} from finding_history where image = ? and ended_at is null`,
    [image],
  );
  const changed = planHistory(standing, open, at, cause);
  await insertMany(
    transaction,
    'finding_history',
    TYPES,
    changed.map((row) => [image, ...COLUMNS.map((name): Cell => row[name])]),
    REPLACE,
  );
}

/** Standing is a CVE as the scans in use report it. */
interface Standing {
  readonly rank: number;
  readonly package: string;
  readonly fixed: string | null;
  readonly others: string | null;
  readonly isFixable: boolean;
  readonly isExploited: boolean;
}

interface FindingRow {
  readonly cve: string;
  readonly rank: number;
  readonly package: string;
  readonly fixed: string | null;
  readonly known_exploited: number | null;
}

/** Of several scans in use, of several platforms, a CVE stands while one of them reports it. */
async function readStanding(transaction: Executor, digest: string): Promise<Map<string, Standing>> {
  const rows = await runText<FindingRow>(
    transaction,
    `select f.cve, f.rank, f.package, f.fixed, f.known_exploited from scans s join findings f on f.scan_id = s.id
     where s.digest = ? and s.current = 1`,
    [digest],
  );
  const standing = new Map<string, Standing>();
  for (const [cve, same] of Map.groupBy(rows, (row) => row.cve)) standing.set(cve, standingOf(same));
  return standing;
}

function standingOf(found: readonly FindingRow[]): Standing {
  const [first, ...rest] = found.length === 1 ? found : found.toSorted(byWeight);
  if (first === undefined) throw new Error('a CVE without a finding');
  const own = pairOf(first);
  const others = new Set(rest.map(pairOf).filter((pair) => pair !== own));
  return {
    rank: first.rank,
    package: first.package,
    fixed: first.fixed,
    others: others.size === 0 ? null : `[${[...others].toSorted(byCodeUnit).join(',')}]`,
    isFixable: found.some(({ fixed }) => fixed !== null),
    isExploited: found.some(({ known_exploited }) => known_exploited === 1),
  };
}

/** The highest severity first, then what can be fixed; the same whatever the order of the report. */
function byWeight(a: FindingRow, b: FindingRow): number {
  return (
    b.rank - a.rank ||
    Number(a.fixed === null) - Number(b.fixed === null) ||
    byCodeUnit(a.package, b.package) ||
    byCodeUnit(a.fixed ?? '', b.fixed ?? '')
  );
}

function pairOf(finding: FindingRow): string {
  return JSON.stringify([finding.package, finding.fixed]);
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
  const { isFixable, isExploited, ...said } = now;
  return {
    ...{ cve, first_seen_at: when, first_scan: made?.id ?? null },
    ...{ ...said, worst: now.rank },
    ...{ fixable_at: isFixable ? when : null, exploited_at: isExploited ? at : null, exploited_until: null },
    ...NEVER_MISSED,
    ...{ ended_at: null, ended_scan: null, ended_by: null },
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
  await runText(
    transaction,
    `update finding_history set ended_at = case when first_seen_at > ? then first_seen_at else ? end, ended_by = 'person',
       unreported_at = null, found_scanner = null, found_db_at = null, found_scan_at = null
     where cve = ? and ended_at is null and unreported_at is not null
       and image = (select id from history_images where digest = ?)`,
    [at, at, cve, digest],
  );
}
