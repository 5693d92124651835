import { sql, type RawBuilder } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Candidate, NewClaim } from '../../trackers/index.ts';
import { inLists } from '../sql/marks.ts';
import { BLOCKS, notTriaged, UNIQUE } from './critical.ts';
import { clustersOfAll } from './rows.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** Candidates of one statement; between two of them the process answers others. */
const AT_ONCE = 128;

type Claimed = Row<'tracking', 'id' | 'generation'>;

/** What is known of the images of some candidates, by their digests. */
interface Known {
  readonly scans: ReadonlyMap<string, number>;
  /** Lists as they are stored. */
  readonly clusters: ReadonlyMap<string, string>;
}

/** claimRows makes the rows of a claim, and gives their marker; null when none of its candidates is one any more. */
export async function claimRows(transaction: Executor, claim: NewClaim): Promise<string | null> {
  const claimed: Claimed[] = [];
  for (let from = 0; from < claim.candidates.length; from += AT_ONCE) {
    if (from > 0) await nextTurn();
    const part = claim.candidates.slice(from, from + AT_ONCE);
    const known = await readKnown(transaction, [...new Set(part.map(({ digest }) => digest))]);
    claimed.push(...(await claimAgain(transaction, claim, part, known)));
    claimed.push(...(await insertNew(transaction, claim, part, known)));
  }
  const [first] = claimed.toSorted((a, b) => a.id - b.id);
  if (first === undefined) return null;
  const marker = claim.marker(first.id, first.generation);
  for (const marks of inLists(claimed.map(({ id }) => id)))
    await run(
      transaction,
      sql`update tracking set marker = ${marker}, claimed_at = ${claim.at}, summary = ${claim.summary ? 1 : 0} where id in (${marks})`,
    );
  return marker;
}

async function readKnown(transaction: Executor, digests: readonly string[]): Promise<Known> {
  const scans = new Map<string, number>();
  for (const marks of inLists(digests)) {
    const rows = await run(
      transaction,
      sql<
        Row<'scans', 'id' | 'digest'>
      >`select id, digest from scans where current = 1 and digest in (${marks})`,
    );
    for (const { id, digest } of rows) scans.set(digest, id);
  }
  const clusters = await clustersOfAll(transaction, digests);
  return {
    scans,
    clusters: new Map(digests.map((digest) => [digest, JSON.stringify(clusters.get(digest) ?? [])])),
  };
}

const STILL = sql`exists (
    select 1 from scans s join findings f on f.scan_id = s.id
    where s.digest = tracking.digest and s.current = 1 and f.cve = tracking.cve and f.severity = 'CRITICAL'
  )`;

/** A row of which nobody was told (see BLOCKS) is claimed once more: it is the only one there can be of its finding. */
async function claimAgain(
  transaction: Executor,
  { channelId, channelKind, at }: NewClaim,
  candidates: readonly Candidate[],
  { clusters }: Known,
): Promise<Claimed[]> {
  const wanted = new Set(candidates.map(nameOf));
  const claimed: Claimed[] = [];
  for (const marks of inLists([...clusters.keys()])) {
    const left = await run(
      transaction,
      sql<
        Row<'tracking', 'id' | 'digest' | 'cve'>
      >`select id, digest, cve from tracking where ${UNIQUE} and digest in (${marks}) and issue_key is null
         and (state = 'closed' or marker is null)`,
    );
    for (const { id, ...finding } of left.filter((row) => wanted.has(nameOf(row))))
      claimed.push(
        ...(await run(
          transaction,
          sql<Claimed>`update tracking set state = 'open', reason = null, closed_at = null, generation = generation + 1, channel_id = ${channelId},
             channel_kind = ${channelKind}, clusters = ${clusters.get(finding.digest) ?? '[]'}, closed_via = null, last_error = null, attempts = 0, attempt_id = null, attempt_at = null,
             attempt_tick = null, misses = 0, missed_tick = null, unsure_at = null, unsure_target = null,
             away_target = null, away_answer = null, away_times = 0, withheld = null,
             confirmed_at = null, confirmed_by = null, returned_at = null, superseded_by = null,
             successor_has_cve = null, (found_scanner, found_db_at, found_scan_at) = (
               select scanner, db_updated_at, recorded_at from scans c where c.digest = tracking.digest and c.current = 1
             )
           where id = ${id} and ${STILL} and ${notTriaged('tracking.digest', 'tracking.cve', at)} returning id, generation`,
        )),
      );
  }
  return claimed;
}

function nameOf({ digest, cve }: Row<'tracking', 'digest' | 'cve'>): string {
  return `${digest} ${cve}`;
}

// Each condition names the values themselves, so that PostgreSQL takes the whole of an index whatever it thinks of the tables.
const claimable = (at: number): RawBuilder<unknown> => sql`exists (
    select 1 from findings f where f.scan_id = cast(v.column5 as bigint) and f.cve = v.column2 and f.severity = 'CRITICAL'
  )
  and not exists (select 1 from tracking b where b.digest = v.column1 and b.cve = v.column2 and ${BLOCKS})
  and ${notTriaged('v.column1', 'v.column2', at)}`;

async function insertNew(
  transaction: Executor,
  { channelId, channelKind, at }: NewClaim,
  candidates: readonly Candidate[],
  { scans, clusters }: Known,
): Promise<Claimed[]> {
  const earlier = await generationsOf(transaction, [...scans.keys()]);
  const rows = candidates.flatMap((candidate): string[][] => {
    const { digest, cve } = candidate;
    const scan = scans.get(digest);
    if (scan === undefined) return [];
    const generation = 1 + (earlier.get(nameOf(candidate)) ?? 0);
    return [[digest, cve, `${generation}`, clusters.get(digest) ?? '[]', `${scan}`]];
  });
  if (rows.length === 0) return [];
  // Filled up to a power of two, so that there are few different statements to prepare.
  const size = 2 ** Math.ceil(Math.log2(rows.length));
  const values = [...rows, ...Array<string[]>(size - rows.length).fill(rows.at(-1) ?? [])];
  return run(
    transaction,
    sql<Claimed>`insert into tracking (kind, digest, cve, generation, channel_id, channel_kind, image, clusters, severity, state, claimed_at,
       found_scanner, found_db_at, found_scan_at)
     select 'finding', s.digest, v.column2, cast(v.column3 as bigint), ${channelId}, ${channelKind},
       (select n.name from image_names n where n.digest = s.digest order by n.last_seen_at desc, n.name limit 1),
       v.column4, 'CRITICAL', 'open', cast(${at} as bigint), s.scanner, s.db_updated_at, s.recorded_at
     from (values ${sql.join(values.map((row) => sql`(${sql.join(row)})`))}) v join scans s on s.id = cast(v.column5 as bigint)
     where ${claimable(at)} on conflict do nothing returning id, generation`,
  );
}

/** The last generation of findings that were closed as triaged; no other row can stand beside a new one. */
async function generationsOf(
  transaction: Executor,
  digests: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const marks of inLists(digests)) {
    const rows = await run(
      transaction,
      sql<
        Row<'tracking', 'digest' | 'cve'> & { last: number }
      >`select digest, cve, max(generation) as last from tracking
       where kind = 'finding' and state = 'closed' and reason = 'triaged' and digest in (${marks}) group by digest, cve`,
    );
    for (const row of rows) found.set(nameOf(row), row.last);
  }
  return found;
}
