import { sql } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { changeTotals } from '../findings/cve-totals.ts';
import { lockImage, rebuildFacts } from '../facts/facts.ts';
import { finishFindings } from '../scans/finding-changes.ts';
import { followFindings } from '../findings/finding-history.ts';
import { holdCatalogue } from '../findings/kev-entries.ts';
import { countedFindings } from '../findings/stored-findings.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** Scans that one page looks at: some milliseconds of SQLite, which works in the process that answers. */
const PAGE = 50;

/** What the catalogue says of a finding. */
const LISTED = sql`case when exists (select 1 from kev_entries k where k.cve = upper(findings.cve)) then 1 else 0 end`;

/**
 * markFindings marks the findings of current scans as the catalogue has them, where it changed since they were marked last. Each image is
 * a transaction like that of a scan, so that admissions are written in between; what an abort or a crash leaves, the next call does.
 */
export async function markFindings(store: Store, at: number, signal: AbortSignal): Promise<number> {
  const { read } = store;
  const [state] = await run(
    read,
    sql<
      Row<'catalogue_states', 'edition' | 'marked'>
    >`select edition, marked from catalogue_states where name = 'kev'`,
  );
  if (state === undefined || state.marked === state.edition) return 0;
  let images = 0;
  let last = 0;
  for (;;) {
    const page = await readPage(read, last);
    for (const { digest, wrong } of page) {
      if (signal.aborted) return images;
      if (!wrong) continue;
      if (await store.write((transaction) => markImage(transaction, digest, at))) images += 1;
      await nextTurn();
    }
    const end = page.at(-1)?.id;
    if (end === undefined) break;
    last = end;
    await nextTurn();
  }
  // Unless the catalogue has changed again meanwhile.
  await store.write((transaction) =>
    run(
      transaction,
      sql`update catalogue_states set marked = ${state.edition} where name = 'kev' and edition = ${state.edition} and marked < ${state.edition}`,
    ),
  );
  return images;
}

interface ScanRow {
  readonly id: number;
  readonly digest: string;
  readonly wrong: number | boolean;
}

/** Scans that come in meanwhile are marked as they are recorded. */
async function readPage(read: Executor, last: number): Promise<ScanRow[]> {
  return run(
    read,
    sql<ScanRow>`select id, digest, exists (
       select 1 from findings where findings.scan_id = scans.id and findings.known_exploited is distinct from ${LISTED}
     ) as wrong
     from scans where current = 1 and id > ${last} order by id limit ${PAGE}`,
  );
}

async function markImage(transaction: Executor, digest: string, at: number): Promise<boolean> {
  await lockImage(transaction, digest, at);
  await finishFindings(transaction, digest);
  await holdCatalogue(transaction);
  const [scan] = await run(
    transaction,
    sql<Row<'scans', 'id'>>`select id from scans where digest = ${digest} and current = 1`,
  );
  if (scan === undefined) return false;
  const before = await countedFindings(transaction, scan.id);
  const changed = await run(
    transaction,
    sql`update findings set known_exploited = ${LISTED}
     where scan_id = ${scan.id} and known_exploited is distinct from ${LISTED} returning ordinal`,
  );
  if (changed.length === 0) return false;
  await changeTotals(transaction, before, await countedFindings(transaction, scan.id));
  await followFindings(transaction, digest, at, 'catalogue');
  await rebuildFacts(transaction, digest);
  return true;
}
