import { sql } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { keepAdvisories } from '../findings/advisories.ts';
import type { ChangePiece, ChangeRows } from '../findings/change-rows.ts';
import { within, type CveRange } from '../findings/cve-range.ts';
import { changeTotals, type CountedFinding } from '../findings/cve-totals.ts';
import { lockImage } from '../facts/facts.ts';
import type { MadeScan } from '../findings/episode.ts';
import { followFindings } from '../findings/finding-history.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** FindingChange is what followed from a scan that came into use, as far as it is not done. */
export interface FindingChange {
  /** The scan that it replaced, whose findings stay until they were taken out of the totals; null for none. */
  readonly replaced: number | null;
  /** The replaced record is the same scan, read once more. */
  readonly isSame: boolean;
  readonly at: number;
  readonly made: MadeScan;
}

/** What is kept of a change in the settings; CVEs up to `after` are done. */
interface Kept extends Omit<FindingChange, 'made'> {
  readonly made: Omit<MadeScan, 'gone'> & { readonly gone: readonly string[] };
  readonly after: string;
}

const KEY = 'findings.change ';
/** CVEs of one transaction, which holds the lock for some milliseconds. */
const CVES = 150;

/**
 * beginChange keeps what is to be done, in the transaction that brought the scan into use; settleFindings does it, some CVEs in each
 * transaction, so that other writers get a turn in between. Totals, history and advisories follow, and the findings that were replaced go;
 * what decides of an image changed with the scan itself.
 */
export async function beginChange(
  transaction: Executor,
  digest: string,
  { made, ...change }: FindingChange,
): Promise<void> {
  await keep(transaction, digest, {
    ...change,
    made: { ...made, gone: [...(made.gone ?? [])] },
    after: '',
  });
}

async function keep(transaction: Executor, digest: string, kept: Kept): Promise<void> {
  await run(
    transaction,
    sql`insert into settings (key, value) values (${KEY + digest}, ${JSON.stringify(kept)}) on conflict (key) do update set value = excluded.value`,
  );
}

/**
 * settleFindings does what a change of a digest left to do. `rows` are those of the change where they are at hand; what a report says of
 * vulnerabilities is known from them only.
 */
export async function settleFindings(store: Store, digest: string, rows: ChangeRows | null): Promise<void> {
  const waiting = await run(store.read, sql`select key from settings where key = ${KEY + digest}`);
  if (waiting.length === 0) return;
  while (await store.write((transaction) => changeSome(transaction, digest, rows))) await nextTurn();
}

/** settleAllFindings does what a crash left to do. */
export async function settleAllFindings(store: Store): Promise<void> {
  const left = await run(
    store.read,
    sql<
      Row<'settings', 'key'>
    >`select key from settings where key >= ${KEY} and key < ${`${KEY}~`} order by key`,
  );
  for (const { key } of left) await settleFindings(store, key.slice(KEY.length), null);
}

/** finishFindings does all of it at once: for who changes the findings of a digest again. Call it after lockImage. */
export async function finishFindings(transaction: Executor, digest: string): Promise<void> {
  while (await changeSome(transaction, digest, null));
}

/** Does the next CVEs; false once there are none. Under the lock of the image, so that two do not do the same. */
async function changeSome(transaction: Executor, digest: string, rows: ChangeRows | null): Promise<boolean> {
  const known = await run(transaction, sql`select key from settings where key = ${KEY + digest}`);
  if (known.length === 0) return false;
  await lockImage(transaction, digest, 0);
  const [row] = await run(
    transaction,
    sql<Row<'settings', 'value'>>`select value from settings where key = ${KEY + digest}`,
  );
  if (row === undefined) return false;
  const kept = JSON.parse(row.value) as Kept;
  const { replaced, isSame, at, made, after } = kept;
  // Any other change of the findings finishes this change first, so rows of the same scan are as they were.
  const own = rows?.scan === made.id ? rows.piece(after, CVES) : null;
  const { range, before, found, said } = own ?? (await readPiece(transaction, kept));
  if (before.length > 0) {
    await run(transaction, sql`delete from findings where scan_id = ${replaced} and ${within(range)}`);
  }
  await changeTotals(transaction, before, found);
  await keepAdvisories(transaction, said);
  await followFindings(transaction, digest, at, { ...made, gone: new Set(made.gone) }, { range, found });
  if (range.upto !== null) {
    await keep(transaction, digest, { ...kept, after: range.upto });
    return true;
  }
  if (replaced !== null) await dropReplaced(transaction, replaced, isSame);
  await run(transaction, sql`delete from settings where key = ${KEY + digest}`);
  return false;
}

async function readPiece(transaction: Executor, { replaced, made, after }: Kept): Promise<ChangePiece> {
  const [end] = await run(
    transaction,
    sql<
      Row<'findings', 'cve'>
    >`select cve from findings where scan_id in (${made.id}, ${replaced ?? made.id}) and cve > ${after} group by cve order by cve limit 1 offset ${CVES - 1}`,
  );
  const range: CveRange = { after, upto: end?.cve ?? null };
  const before = replaced === null ? [] : await countedWithin(transaction, replaced, range);
  return { range, before, found: await countedWithin(transaction, made.id, range), said: [] };
}

/** dropReplaced leaves the record of a scan that was replaced, without its findings; of one that was read once more nothing. */
export async function dropReplaced(transaction: Executor, id: number, isSame: boolean): Promise<void> {
  await run(transaction, sql`delete from findings where scan_id = ${id}`);
  await run(
    transaction,
    isSame ? sql`delete from scans where id = ${id}` : sql`update scans set places = null where id = ${id}`,
  );
}

async function countedWithin(
  transaction: Executor,
  scan: number,
  range: CveRange,
): Promise<CountedFinding[]> {
  return run(
    transaction,
    sql<CountedFinding>`select cve, rank, package, fixed, known_exploited from findings
      where scan_id = ${scan} and ${within(range)} order by ordinal`,
  );
}
