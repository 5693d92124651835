import { sql } from 'kysely';
import { COLUMNS, TYPES, type Episode, type HistoryCause, type MadeScan } from './episode.ts';
import { within, type CveRange } from './cve-range.ts';
import type { CountedFinding } from './cve-totals.ts';
import { insertMany, type Cell } from '../sql/dialect.ts';
import { imageNumbers } from './history-images.ts';
import { planHistory } from './plan-history.ts';
import { standingAmong } from './standing.ts';
import { tellEnded, tellFindings } from './tell-findings.ts';
import { run, type Executor } from '../sql/run.ts';

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
  await writeEpisodes(
    transaction,
    { digest, image, open, cause, at },
    planHistory(standing, open, at, cause),
  );
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
  await writeEpisodes(
    transaction,
    { digest, image, open: waiting, cause, at },
    planHistory(standing, waiting, at, cause),
  );
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

/** Followed is whose history is followed, why, and what of it was open. */
interface Followed {
  readonly digest: string;
  readonly image: number;
  readonly open: readonly Episode[];
  readonly cause: HistoryCause;
  readonly at: number;
}

async function writeEpisodes(
  transaction: Executor,
  { digest, image, open, cause, at }: Followed,
  episodes: readonly Episode[],
): Promise<void> {
  const before = new Map(open.map((episode) => [episode.cve, episode]));
  const byCatalogue = cause === 'catalogue';
  await tellFindings(transaction, { digest, image, before, changed: episodes, byCatalogue, at });
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
  await tellEnded(transaction, digest, cve, 'confirmed', at);
  await run(
    transaction,
    sql`update finding_history set ended_at = case when first_seen_at > ${at} then first_seen_at else ${at} end, ended_by = 'person',
       unreported_at = null, found_scanner = null, found_db_at = null, found_scan_at = null
     where cve = ${cve} and ended_at is null and unreported_at is not null
       and image = (select id from history_images where digest = ${digest})`,
  );
}
