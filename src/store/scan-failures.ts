import type { ScanFailure, ScanFailureReason } from '../findings/index.ts';
import { neededEntries } from '../image/index.ts';
import type { NewScanFailure } from '../scan/index.ts';
import { runText } from './dialect.ts';
import { inChunks } from './marks.ts';
import { wantedPlatforms } from './node-platforms.ts';
import { readEntries } from './scan-platforms.ts';
import { storableText } from './storable.ts';

type Executor = Parameters<typeof runText>[0];

/** keepFailure keeps why an attempt to scan a digest failed, in the place of what was kept of the same platform. */
export async function keepFailure(
  transaction: Executor,
  digest: string,
  { platform, reason, message, at }: NewScanFailure,
): Promise<void> {
  await runText(
    transaction,
    `insert into scan_failures (digest, platform, reason, message, since, last_at, attempts) values (?, ?, ?, ?, ?, ?, 1)
     on conflict (digest, platform) do update set reason = excluded.reason, message = excluded.message,
       last_at = excluded.last_at, attempts = scan_failures.attempts + 1`,
    [digest, storableText(platform ?? ''), reason, storableText(message), at, at],
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

/** The platforms of an index that nodes run; none where the digest is no index. */
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
  const marks = platforms.map(() => '?').join(', ');
  await runText(
    transaction,
    `delete from scan_failures where digest = ?${platforms.length === 0 ? '' : ` and platform not in (${marks})`}`,
    [digest, ...platforms],
  );
}

interface FailureRow {
  readonly digest: string;
  readonly platform: string;
  readonly reason: string;
  readonly message: string;
  readonly since: number;
  readonly last_at: number;
  readonly attempts: number;
  readonly not_before: number | null;
  readonly claimed_at: number | null;
}

const SELECT = `select f.digest, f.platform, f.reason, f.message, f.since, f.last_at, f.attempts, q.not_before, q.claimed_at
  from scan_failures f left join scan_queue q on q.digest = f.digest`;

/** readFailures gives why digests could not be scanned, each by platform; digests that can are left out. */
export async function readFailures(
  read: Executor,
  digests: readonly string[],
): Promise<ReadonlyMap<string, readonly ScanFailure[]>> {
  const found = new Map<string, ScanFailure[]>();
  for (const { marks, cells } of inChunks(digests)) {
    const rows = await runText<FailureRow>(
      read,
      `${SELECT} where f.digest in (${marks}) order by f.digest, f.platform`,
      cells,
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
  const state = claimed_at !== null ? 'scanning' : not_before === null ? 'given_up' : 'waiting';
  return {
    platform: platform === '' ? null : platform,
    reason: reason as ScanFailureReason,
    message,
    ...{ since, lastAt: last_at, attempts, state },
    againAt: state === 'waiting' ? not_before : null,
  };
}

/** failuresShown gives of every digest what a report shows of why it cannot be scanned; it stays the same from one attempt to the next. */
export async function failuresShown(
  read: Executor,
): Promise<readonly Pick<FailureRow, 'digest' | 'platform' | 'reason' | 'message' | 'since'>[]> {
  return runText(
    read,
    'select digest, platform, reason, message, since from scan_failures order by digest, platform',
    [],
  );
}

/** Digests whose failures are kept in memory; a cluster in which more fail has one cause. */
const MOST_NEWEST = 2000;

/**
 * newestFailures gives the digests that failed last with why, 2,000 at most. Where `at` is given (UTC milliseconds), images without
 * packages are left out of which a triage decision in force then says that they hold none: nobody has to be told.
 */
export async function newestFailures(
  read: Executor,
  at = Number.MAX_SAFE_INTEGER,
): Promise<readonly (ScanFailure & { readonly digest: string })[]> {
  const rows = await runText<FailureRow>(
    read,
    `${SELECT} where f.reason <> 'no_packages' or not exists (
       select 1 from triage t where t.digest = f.digest and t.cve = '' and t.ended_at is null and t."until" > ?
     ) order by f.last_at desc, f.digest, f.platform limit ${MOST_NEWEST}`,
    [at],
  );
  return rows.map((row) => ({ ...toFailure(row), digest: row.digest }));
}

/** failuresVersion gives another text once the failures that are kept changed. */
export async function failuresVersion(read: Executor): Promise<string> {
  const [row] = await runText<{ count: number; last: number | null; attempts: number | null }>(
    read,
    'select count(*) as count, max(last_at) as last, sum(attempts) as attempts from scan_failures',
    [],
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
  const rows = await runText<{ reason: string; count: number }>(
    read,
    'select reason, count(distinct digest) as count from scan_failures group by reason order by reason',
    [],
  );
  const [all] = await runText<{ count: number }>(
    read,
    'select count(distinct digest) as count from scan_failures',
    [],
  );
  return {
    images: all?.count ?? 0,
    byReason: Object.fromEntries(rows.map(({ reason, count }) => [reason, count])),
  };
}
