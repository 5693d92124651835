import { sql } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { neededEntries } from '../../image/index.ts';
import { changeTotals } from '../findings/cve-totals.ts';
import { lockImage, rebuildFacts } from '../facts/facts.ts';
import { finishFindings } from './finding-changes.ts';
import { followFindings } from '../findings/finding-history.ts';
import { joinFindings } from '../findings/join-findings.ts';
import { wantedPlatforms } from '../facts/node-platforms.ts';
import { dropUnneeded } from './failures.ts';
import { parseEntries, readParts, wholeOf, writeParts } from '../facts/scan-platforms.ts';
import { insertFindings, storedFindings } from '../findings/stored-findings.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

const SETTLED = 'platforms.settled';
/** Images that one page looks at. */
const PAGE = 200;
/** Scans that are asked for at once; the rest come with the rescans. */
const MOST = 500;

/** Settled tells what a change of the nodes' platforms came to. */
export interface Settled {
  readonly platforms: readonly string[];
  /** Images in use that now lack a scan of a platform, 500 at most. */
  readonly unscanned: readonly string[];
  /** Whether this is the first time that anybody said. */
  readonly first: boolean;
}

/**
 * settlePlatforms brings what is known of images in line with the platforms that nodes have, where those changed since it was last done:
 * a platform that no node has any more counts no longer, and one that is new is missing. Each image is a transaction, so that what an
 * abort or a crash leaves, the next call does. Null where nothing changed.
 */
export async function settlePlatforms(
  store: Store,
  at: number,
  usedSince: number,
  signal: AbortSignal,
): Promise<Settled | null> {
  const { read } = store;
  const platforms = await wantedPlatforms(read);
  const text = platforms.join(' ');
  const [done] = await run(
    read,
    sql<Row<'settings', 'value'>>`select value from settings where key = ${SETTLED}`,
  );
  if (done?.value === text) return null;
  for (let last = ''; ;) {
    const page = await run(
      read,
      sql<Row<'images', 'digest'> & { platforms: string }>`select i.digest, i.platforms from images i
       where i.platforms is not null and i.digest > ${last} and (exists (select 1 from scan_platforms p where p.digest = i.digest)
         or exists (select 1 from scan_failures f where f.digest = i.digest)) order by i.digest limit ${PAGE}`,
    );
    for (const { digest } of page) {
      if (signal.aborted) return null;
      await store.write((transaction) => settleImage(transaction, digest, at));
      await nextTurn();
    }
    const end = page.at(-1)?.digest;
    if (end === undefined) break;
    last = end;
  }
  await store.write((transaction) =>
    run(
      transaction,
      sql`insert into settings (key, value) values (${SETTLED}, ${text}) on conflict (key) do update set value = excluded.value`,
    ),
  );
  const unscanned = await run(
    read,
    sql<Row<'images', 'digest'>>`select i.digest from images i where i.missing > 0
       and (exists (select 1 from image_names n where n.digest = i.digest and n.last_seen_at >= ${usedSince})
         or exists (select 1 from running_images r where r.digest = i.digest and r.last_seen_at >= ${usedSince}))
     order by i.digest limit ${MOST}`,
  );
  return { platforms, first: done === undefined, unscanned: unscanned.map(({ digest }) => digest) };
}

async function settleImage(transaction: Executor, digest: string, at: number): Promise<void> {
  await lockImage(transaction, digest, at);
  await finishFindings(transaction, digest);
  const [scan] = await run(
    transaction,
    sql<
      Row<'scans', 'id'> & Row<'images', 'platforms'>
    >`select s.id, i.platforms from scans s join images i on i.digest = s.digest where s.digest = ${digest} and s.current = 1`,
  );
  await dropUnneeded(transaction, digest);
  if (scan === undefined) return;
  const needed = neededEntries(parseEntries(scan.platforms) ?? [], await wantedPlatforms(transaction));
  const parts = await readParts(transaction, digest);
  const kept = parts.filter(
    ({ platform }) => platform === '' || needed.some((entry) => entry.platform === platform),
  );
  // Where nothing of it is needed, the scan stays until there is another.
  if (kept.length > 0 && kept.length < parts.length) {
    await dropParts(transaction, digest, scan.id, parts, kept);
    await followFindings(transaction, digest, at, 'platforms');
  }
  await rebuildFacts(transaction, digest);
}

async function dropParts(
  transaction: Executor,
  digest: string,
  scan: number,
  parts: Awaited<ReturnType<typeof readParts>>,
  kept: Awaited<ReturnType<typeof readParts>>,
): Promise<void> {
  const before = await storedFindings(transaction, scan);
  const [last, ...others] = kept.map(({ platform }) => platform);
  const had = parts.map(({ platform }) => platform);
  const own = before.filter(
    ({ platforms: on }) => on === null || (JSON.parse(on) as string[]).includes(last ?? ''),
  );
  const found = joinFindings(before, had, others, last ?? '', own);
  await run(transaction, sql`delete from findings where scan_id = ${scan}`);
  await insertFindings(transaction, scan, found);
  await writeParts(transaction, digest, kept);
  const whole = wholeOf(kept);
  await run(
    transaction,
    sql`update scans set scanner = ${whole.scanner}, scanner_version = ${whole.scanner_version}, db_updated_at = ${whole.db_updated_at}, scanned_at = ${whole.scanned_at}, os_family = ${whole.os_family}, os_name = ${whole.os_name}, os_eosl = ${whole.os_eosl}
     where id = ${scan}`,
  );
  await changeTotals(transaction, before, found);
}
