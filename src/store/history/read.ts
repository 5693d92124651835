import { sql } from 'kysely';
import { SEVERITIES, type Severity } from '../../findings/index.ts';
import type { FindingEpisode, HistoryReader, ImageHistory, RecordKind } from '../../history/index.ts';
import type { Episode } from '../findings/episode.ts';
import { readSuccessorCves } from './successors.ts';
import { inChunks, inLists } from '../sql/marks.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** historyReader reads what evidence is made of from a database. */
export function historyReader({ read }: Pick<Store, 'read'>): HistoryReader {
  return {
    began: () =>
      run(read, sql`select record, cluster, at from history_began order by record, cluster`) as Promise<
        { record: RecordKind; cluster: string; at: number }[]
      >,
    images: async (after, limit) =>
      readImages(
        read,
        await run(
          read,
          sql`select id, digest from history_images where digest > ${after} order by digest limit ${limit}`,
        ),
      ),
    image: async (digest) => {
      const known = await run(
        read,
        sql<Known>`select id, digest from history_images where digest = ${digest}`,
      );
      return (await readImages(read, known))[0] ?? null;
    },
    days: (from, to) =>
      run(
        read,
        sql`select cluster, day, answered, sweeps, partial_sweeps as "partialSweeps", accounted_sweeps as "accountedSweeps", last_sweep_at as "lastSweepAt",
           detector_events as "detectorEvents", detector_heartbeats as "detectorHeartbeats", detector_last_at as "detectorLastAt",
           detector_by_field as "detectorByField", detector_by_pod as "detectorByPod", detector_dropped as "detectorDropped"
         from cluster_days where day between ${from} and ${to} order by cluster, day`,
      ),
    catalogue: async (cves) => {
      const entries = [];
      for (const marks of inLists([...new Set(cves)].toSorted()))
        entries.push(
          ...(await run(
            read,
            sql<
              Awaited<ReturnType<HistoryReader['catalogue']>>[number]
            >`select cve, date_added as "dateAdded", listed_at as "listedAt", delisted_at as "delistedAt"
             from catalogue_history where cve in (${marks}) order by cve, listed_at`,
          )),
        );
      return entries;
    },
    policies: (from, to) =>
      run(
        read,
        sql`select name, revision, from_at as "from", until_at as "until" from policy_history
         where from_at <= ${to} and (until_at is null or until_at > ${from}) order by name, from_at`,
      ),
  };
}

interface Known {
  readonly id: number;
  readonly digest: string;
}

async function readImages(read: Executor, known: readonly Known[]): Promise<ImageHistory[]> {
  const all: ImageHistory[] = [];
  for (const { cells: ids } of inChunks(known.map(({ id }) => id))) {
    const marks = sql.join(ids);
    const findings = await run(
      read,
      sql<FindingRow>`select * from finding_history where image in (${marks}) order by image, cve, first_seen_at`,
    );
    const scans = await run(
      read,
      sql<
        Row<'scan_history', 'image' | 'scanned_at'>
      >`select image, scanned_at from scan_history where image in (${marks}) order by image, scanned_at`,
    );
    const runs = await run(
      read,
      sql<RunRow>`select r.image, r.cluster, r.first_seen_at, r.last_seen_at, r.superseded_by, n.digest as successor,
         case when r.ended_at is null then c.forgotten_at else r.ended_at end as ended_at
       from run_history r left join history_images n on n.id = r.superseded_by left join clusters c on c.name = r.cluster
       where r.image in (${marks}) order by r.image, r.cluster, r.first_seen_at`,
    );
    const triage = await run(
      read,
      sql<TriageRow>`select i.id as image, t.id, t.cve, t.created_at,
         case when t.ended_at < t."until" then t.ended_at else t."until" end as ends
       from history_images i join triage t on t.digest = i.digest where i.id in (${marks}) order by i.id, t.cve, t.id`,
    );
    const of = <Row extends { readonly image: number }>(rows: readonly Row[]) =>
      Map.groupBy(rows, ({ image }) => image);
    const [found, scanned, ran, triaged] = [of(findings), of(scans), of(runs), of(triage)];
    const wanted = new Set(ids);
    for (const { id, digest } of known) {
      if (!wanted.has(id)) continue;
      const episodes = (found.get(id) ?? []).map(toEpisode);
      all.push({
        digest,
        findings: episodes,
        scans: (scanned.get(id) ?? []).map(({ scanned_at }) => scanned_at),
        runs: (ran.get(id) ?? []).map((run) => ({
          cluster: run.cluster,
          firstSeenAt: run.first_seen_at,
          lastSeenAt: run.last_seen_at,
          endedAt: run.ended_at,
          supersededBy: run.successor,
        })),
        triage: (triaged.get(id) ?? []).map(({ id: decision, cve, created_at, ends }) => ({
          id: decision,
          cve,
          from: created_at,
          until: ends,
        })),
        successors: await readSuccessorCves(read, ran.get(id) ?? [], new Set(episodes.map(({ cve }) => cve))),
      });
    }
  }
  return all;
}

interface RunRow {
  readonly image: number;
  readonly cluster: string;
  readonly first_seen_at: number;
  readonly last_seen_at: number;
  readonly ended_at: number | null;
  readonly superseded_by: number | null;
  readonly successor: string | null;
}

interface TriageRow {
  readonly image: number;
  readonly id: number;
  readonly cve: string;
  readonly created_at: number;
  readonly ends: number;
}

interface FindingRow extends Omit<Episode, 'found_scanner' | 'found_db_at' | 'found_scan_at'> {
  readonly image: number;
}

function toEpisode(row: FindingRow): FindingEpisode {
  const others = JSON.parse(row.others ?? '[]') as [string, string | null][];
  return {
    cve: row.cve,
    firstSeenAt: row.first_seen_at,
    older: row.first_scan === null,
    severity: severityOf(row.rank),
    worst: severityOf(row.worst),
    packages: [[row.package, row.fixed] as const, ...others].map(([name, fixed]) => ({ name, fixed })),
    fixableAt: row.fixable_at,
    exploitedAt: row.exploited_at,
    exploitedUntil: row.exploited_until,
    unreportedAt: row.unreported_at,
    endedAt: row.ended_at,
    endedBy: endingOf(row),
  };
}

function endingOf({ ended_scan, ended_by }: FindingRow): FindingEpisode['endedBy'] {
  if (ended_by === null) return null;
  if (ended_scan === null) return 'person';
  const by = JSON.parse(ended_by) as {
    readonly scanner: string | null;
    readonly version: string | null;
    readonly db_updated_at: number | null;
  };
  return { scan: ended_scan, scanner: by.scanner, version: by.version, databaseAt: by.db_updated_at };
}

function severityOf(rank: number): Severity {
  return SEVERITIES[rank] ?? 'UNKNOWN';
}
