import { sql } from 'kysely';
import { SCAN_FAILURES, type ScanFailure, type ScanFailureReason } from '../../findings/index.ts';
import { neededEntries } from '../../image/index.ts';
import type { NewScanFailure } from '../../scan/index.ts';
import { inLists } from '../sql/marks.ts';
import { wantedPlatforms } from '../facts/node-platforms.ts';
import { readEntries } from '../facts/scan-platforms.ts';
import { storableText } from '../sql/storable.ts';
import { run, type Executor, type MaybeRow, type Row } from '../sql/run.ts';

/** keepFailure keeps why an attempt to scan a digest failed, in the place of what was kept of the same platform. */
export async function keepFailure(
  transaction: Executor,
  digest: string,
  { platform, reason, message, at }: NewScanFailure,
): Promise<void> {
  await run(
    transaction,
    sql`insert into scan_failures (digest, platform, reason, message, since, last_at, attempts) values (${digest}, ${storableText(platform ?? '')}, ${reason}, ${storableText(message)}, ${at}, ${at}, 1)
     on conflict (digest, platform) do update set reason = excluded.reason, message = excluded.message,
       last_at = excluded.last_at, attempts = scan_failures.attempts + 1`,
  );
}

/**
 * dropFailures forgets why a digest could not be scanned, once a scan of a platform succeeded (null: of the digest as a whole): what was
 * kept of this platform, of attempts that came to none, and of platforms that no node has any more.
 */
export async function dropFailures(
  transaction: Executor,
  digest: string,
  platform: string | null,
): Promise<void> {
  const needed = platform === null ? [] : await neededOf(transaction, digest);
  await dropAllBut(
    transaction,
    digest,
    needed.filter((one) => one !== platform),
  );
}

/** dropUnneeded forgets what was kept of platforms that no node has any more. */
export async function dropUnneeded(transaction: Executor, digest: string): Promise<void> {
  await dropAllBut(transaction, digest, ['', ...(await neededOf(transaction, digest))]);
}

/** The platforms of an index that nodes run; none where the digest is not an index. */
async function neededOf(transaction: Executor, digest: string): Promise<readonly string[]> {
  const entries = (await readEntries(transaction, digest)) ?? [];
  const nodes = entries.length === 0 ? [] : await wantedPlatforms(transaction);
  return neededEntries(entries, nodes).map(({ platform }) => platform);
}

async function dropAllBut(
  transaction: Executor,
  digest: string,
  platforms: readonly string[],
): Promise<void> {
  const others = platforms.length === 0 ? sql`` : sql`and platform not in (${sql.join(platforms)})`;
  await run(transaction, sql`delete from scan_failures where digest = ${digest} ${others}`);
}

type FailureRow = Row<
  'scan_failures',
  'digest' | 'platform' | 'reason' | 'message' | 'since' | 'last_at' | 'attempts'
> &
  MaybeRow<'scan_queue', 'not_before' | 'claimed_at'>;

const SELECT = sql`select f.digest, f.platform, f.reason, f.message, f.since, f.last_at, f.attempts, q.not_before, q.claimed_at
  from scan_failures f left join scan_queue q on q.digest = f.digest`;

/** readFailures gives why digests could not be scanned, each by platform; digests that can are left out. */
export async function readFailures(
  read: Executor,
  digests: readonly string[],
): Promise<ReadonlyMap<string, readonly ScanFailure[]>> {
  const found = new Map<string, ScanFailure[]>();
  for (const marks of inLists(digests)) {
    const rows = await run(
      read,
      sql<FailureRow>`${SELECT} where f.digest in (${marks}) order by f.digest, f.platform`,
    );
    for (const row of rows) {
      const failures = found.get(row.digest) ?? [];
      failures.push(toFailure(row));
      found.set(row.digest, failures);
    }
  }
  return found;
}

function toFailure({ not_before, claimed_at, ...row }: FailureRow): ScanFailure {
  const { platform, reason, message, since, last_at, attempts } = row;
  const idle = not_before === null ? 'given_up' : 'waiting';
  const state = claimed_at === null ? idle : 'scanning';
  return {
    platform: platform === '' ? null : platform,
    reason: reason as ScanFailureReason,
    message,
    since,
    lastAt: last_at,
    attempts,
    state,
    againAt: state === 'waiting' ? not_before : null,
  };
}

/** failuresShown gives of every digest what a report shows of why it cannot be scanned; it stays the same from one attempt to the next. */
export async function failuresShown(
  read: Executor,
): Promise<readonly Pick<FailureRow, 'digest' | 'platform' | 'reason' | 'message' | 'since'>[]> {
  return run(
    read,
    sql`select digest, platform, reason, message, since from scan_failures order by digest, platform`,
  );
}

/** FailureOf is why a digest could not be scanned. */
export type FailureOf = ScanFailure & { readonly digest: string };

/**
 * failuresToTell gives why some digests could not be scanned, without images of no packages of which a triage decision that is active at a
 * time (UTC milliseconds) says that they hold none: nobody has to be told.
 */
export async function failuresToTell(
  read: Executor,
  digests: readonly string[],
  at: number,
): Promise<readonly FailureOf[]> {
  const found: FailureOf[] = [];
  for (const marks of inLists(digests)) {
    const rows = await run(
      read,
      sql<FailureRow>`${SELECT} where f.digest in (${marks}) and (f.reason <> 'no_packages' or not exists (
         select 1 from triage t where t.digest = f.digest and t.cve = '' and t.ended_at is null and t."until" > ${at}
       )) order by f.digest, f.platform`,
    );
    found.push(...rows.map((row) => ({ ...toFailure(row), digest: row.digest })));
  }
  return found;
}

/** ShortFailure is what a denial says of why an image cannot be scanned. */
export type ShortFailure = Pick<ScanFailure, 'platform' | 'reason' | 'message'>;

/** Failures whose messages are kept in memory, the newest; a cluster in which more fail has one cause. */
const MOST_MESSAGES = 2000;

/**
 * shortFailures gives why each digest could not be scanned. Beyond the newest 2,000 the message is what the reason means, and failures
 * that say the same are one object.
 */
export async function shortFailures(read: Executor): Promise<ReadonlyMap<string, readonly ShortFailure[]>> {
  const rows = await run(
    read,
    sql<
      Pick<FailureRow, 'digest' | 'platform' | 'reason'> & { readonly message: string | null }
    >`select digest, platform, reason, case when place <= ${MOST_MESSAGES} then message end as message from (
       select digest, platform, reason, message, row_number() over (order by last_at desc, digest, platform) as place from scan_failures
     ) f order by place`,
  );
  const shared = new Map<string, readonly ShortFailure[]>();
  const found = new Map<string, readonly ShortFailure[]>();
  for (const { digest, platform, reason, message } of rows) {
    const failure = {
      platform: platform === '' ? null : platform,
      reason: reason as ScanFailureReason,
      message: message ?? SCAN_FAILURES[reason as ScanFailureReason].means,
    };
    const others = found.get(digest) ?? [];
    const key = others.length === 0 && message === null ? `${reason} ${platform}` : null;
    const failures = (key === null ? undefined : shared.get(key)) ?? [...others, failure];
    if (key !== null) shared.set(key, failures);
    found.set(digest, failures);
  }
  return found;
}

/** failuresVersion gives another text once the failures that are kept changed. */
export async function failuresVersion(read: Executor): Promise<string> {
  const [row] = await run(
    read,
    sql<{
      count: number;
      last: number | null;
      attempts: number | null;
    }>`select count(*) as count, max(last_at) as last, sum(attempts) as attempts from scan_failures`,
  );
  return `${row?.count ?? 0} ${row?.last ?? ''} ${row?.attempts ?? ''}`;
}

/** FailingImages says how many images cannot be scanned, and by which reasons; one that fails for two counts for both. */
export interface FailingImages {
  readonly images: number;
  readonly byReason: Readonly<Partial<Record<ScanFailureReason, number>>>;
}

/** countFailing counts images that cannot be scanned. */
export async function countFailing(read: Executor): Promise<FailingImages> {
  const rows = await run(
    read,
    sql<
      Row<'scan_failures', 'reason'> & { count: number }
    >`select reason, count(distinct digest) as count from scan_failures group by reason order by reason`,
  );
  const [all] = await run(
    read,
    sql<{ count: number }>`select count(distinct digest) as count from scan_failures`,
  );
  return {
    images: all?.count ?? 0,
    byReason: Object.fromEntries(rows.map(({ reason, count }) => [reason, count])),
  };
}
