import { sql } from 'kysely';
import type { Happened } from '../../notify/index.ts';
import { writeEvents } from '../outbox/index.ts';
import { run, type Executor, type Row } from '../sql/run.ts';
import type { Episode } from './episode.ts';
import { CRITICAL, goneAmong, toFound } from './open-critical.ts';

/** TellFindings is what changed in the history of an image's findings. */
export interface TellFindings {
  readonly digest: string;
  /** Its number. */
  readonly image: number;
  /** Episodes as they stood before, by CVE; one that is not there began. */
  readonly before: ReadonlyMap<string, Episode>;
  readonly changed: readonly Episode[];
  /** Whether the catalogue of known exploited vulnerabilities changed, and not a scan. */
  readonly byCatalogue: boolean;
  /** UTC milliseconds. */
  readonly at: number;
}

/**
 * tellFindings puts down for the channels which critical findings of an image are new, which ended, and which entered the catalogue, in the
 * transaction that changed them. One that triage covers is nobody's news.
 */
export async function tellFindings(
  transaction: Executor,
  { digest, image, before, changed, byCatalogue, at }: TellFindings,
): Promise<void> {
  const wasCritical = (cve: string): boolean => before.get(cve)?.rank === CRITICAL;
  const news = changed.filter(
    ({ cve, rank, ended_at }) => rank === CRITICAL && ended_at === null && !wasCritical(cve),
  );
  const ended = changed.filter(({ cve, ended_at }) => ended_at !== null && wasCritical(cve));
  const listed = byCatalogue
    ? changed.filter(({ cve, exploited_at }) => exploited_at === at && before.get(cve)?.exploited_at === null)
    : [];
  if (news.length + ended.length + listed.length === 0) return;
  const triaged = await triagedOn(transaction, digest, at);
  const isTold = ({ cve }: Episode): boolean => !triaged.has(cve);
  // Those of an image that runs no longer were told to have ended.
  const wasTold = ended.length > 0 && (await goneAmong(transaction, sql`${image}`)).size > 0;
  const runs = listed.length > 0 && (await isRunning(transaction, digest));
  const happened: Happened[] = [
    ...news.filter(isTold).map((episode) => toFound(digest, episode, 'found')),
    ...(wasTold ? [] : ended.filter(isTold)).map((episode): Happened => ({
      event: 'finding_resolved',
      subject: digest,
      // What ended without a scan ran nowhere any more.
      payload: {
        ...payloadOf(digest, episode),
        reason: episode.ended_scan === null ? 'image_retired' : 'fixed',
      },
    })),
    ...(runs ? listed : []).map((episode): Happened => ({
      event: 'known_exploited_added',
      subject: episode.cve,
      payload: { ...payloadOf(digest, episode), fixed: episode.fixed },
    })),
  ];
  await writeEvents(transaction, happened, { at });
}

/**
 * tellEnded does the same for one finding that a person ended: by triage, or on the word that it is fixed; it is called before that is
 * written. One that triage covers already has been told.
 */
export async function tellEnded(
  transaction: Executor,
  digest: string,
  cve: string,
  reason: 'triaged' | 'confirmed',
  at: number,
): Promise<void> {
  const [found] = await run(
    transaction,
    sql<
      Row<'finding_history', 'cve' | 'package' | 'image'>
    >`select f.cve, f.package, f.image from finding_history f
     join history_images i on i.id = f.image
     where i.digest = ${digest} and f.cve = ${cve} and f.ended_at is null and f.rank = ${CRITICAL}`,
  );
  if (found === undefined || (await triagedOn(transaction, digest, at)).has(cve)) return;
  if ((await goneAmong(transaction, sql`${found.image}`)).size > 0) return;
  await writeEvents(
    transaction,
    [{ event: 'finding_resolved', subject: digest, payload: { ...payloadOf(digest, found), reason } }],
    { at },
  );
}

function payloadOf(digest: string, { cve, package: name }: Pick<Episode, 'cve' | 'package'>) {
  return { digest, cve, package: name };
}

/** The CVEs that triage of an image covers: all of them, since it has few, and new images none. */
async function triagedOn(transaction: Executor, digest: string, at: number): Promise<ReadonlySet<string>> {
  const rows = await run(
    transaction,
    sql<Row<'triage', 'cve'>>`select distinct cve from triage
     where digest = ${digest} and (ended_at is null or ended_at > ${at}) and "until" > ${at}`,
  );
  return new Set(rows.map(({ cve }) => cve));
}

async function isRunning(transaction: Executor, digest: string): Promise<boolean> {
  const rows = await run(
    transaction,
    sql`select 1 as there from running_images r where r.digest = ${digest}
     and not exists (select 1 from clusters c where c.name = r.cluster and c.forgotten_at is not null) limit 1`,
  );
  return rows.length > 0;
}
