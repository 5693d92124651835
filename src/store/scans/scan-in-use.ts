import { sql } from 'kysely';
import type { ScanRecord } from '../../findings/index.ts';
import type { FoundStamp } from '../../trackers/index.ts';
import { writeParts, type CurrentScan, type PartRow, type ScanPlace } from '../facts/scan-platforms.ts';
import { keepAdvisories, writeAdvisories } from '../findings/advisories.ts';
import { ChangeRows } from '../findings/change-rows.ts';
import { changeTotals } from '../findings/cve-totals.ts';
import type { MadeScan } from '../findings/episode.ts';
import { followFindings, followSame, goneWith } from '../findings/finding-history.ts';
import { holdCatalogue } from '../findings/kev-entries.ts';
import { areSame, insertFindings, type StoredFinding } from '../findings/stored-findings.ts';
import { run, type Executor } from '../sql/run.ts';
import { beginChange, dropReplaced } from './finding-changes.ts';
import { insertScan, scanAgain } from './scan-records.ts';
import { newFindings, useStaged, type NewFindings, type StagedScan } from './staged-findings.ts';

/** LeftChange takes what makes the rows of a change that is left to settleFindings. */
export interface LeftChange {
  rows: () => ChangeRows | null;
}

/** NextScan is a scan that becomes the one in use. */
export interface NextScan {
  readonly digest: string;
  readonly scan: ScanRecord & { readonly findings: NonNullable<ScanRecord['findings']> };
  readonly scannedAt: number | null;
  readonly at: number;
  readonly place: ScanPlace;
  readonly current: CurrentScan | null;
  /** What is kept of it; of all platforms; and of the image as a whole. */
  readonly own: PartRow;
  readonly parts: readonly PartRow[];
  readonly joined: Omit<PartRow, 'platform' | 'image'>;
  /** Its findings where they were written before. */
  readonly staged: StagedScan | null;
}

/**
 * useScan brings a scan into use, with what follows from its findings; from more than `whole` it is left to settleFindings. Gives the
 * findings.
 */
export async function useScan(
  transaction: Executor,
  next: NextScan,
  whole: number,
  left: LeftChange,
): Promise<readonly StoredFinding[]> {
  const { digest, scan, place, current, parts, joined, staged } = next;
  await holdCatalogue(transaction);
  const change = staged ?? (await newFindings(transaction, digest, scan.findings, place, current));
  const { id, isAgain } = await keepCurrent(transaction, next, change);
  await writeParts(transaction, digest, parts);
  await followChange(transaction, next, change, madeScan(next, change, id), isAgain, whole, left);
  await run(
    transaction,
    sql`delete from scan_queue where digest = ${digest} and claimed_at is null and requested_at <= ${joined.scanned_at ?? -1}`,
  );
  return change.found;
}

/** Whether it was made at the time of the one in use. */
function isSameTime({ joined, current }: NextScan): boolean {
  return joined.scanned_at !== null && current?.scanned_at === joined.scanned_at;
}

/** Keeps the record of the scan in use. With the same findings, these stay where they are, and it keeps their number. */
async function keepCurrent(
  transaction: Executor,
  next: NextScan,
  change: NewFindings,
): Promise<{ readonly id: number; readonly isAgain: boolean }> {
  const { digest, at, current, joined, staged } = next;
  const isAgain = staged === null ? areSame(change.before, change.found) : staged.id === null;
  if (isAgain && current !== null) {
    const id = await scanAgain(transaction, current.id, joined, { at, isSame: isSameTime(next) });
    return { id, isAgain: true };
  }
  if (current !== null) await run(transaction, sql`update scans set current = 0 where id = ${current.id}`);
  const made = staged === null ? null : staged.id;
  const id =
    made === null
      ? await insertScan(transaction, digest, joined, { at, complete: true, isCurrent: true })
      : await useStaged(transaction, made, joined, at);
  return { id, isAgain: false };
}

function madeScan(
  { scan, scannedAt, place, current, own, joined }: NextScan,
  change: NewFindings,
  id: number,
): MadeScan {
  const others = place.others.map(({ platform }) => platform);
  return {
    id,
    scannedAt,
    version: scan.scanner?.version ?? null,
    // What proves a finding fixed is the scan of its platform; how old the scan of an image is, the oldest of its platforms.
    stamp: { scanner: own.scanner, dbUpdatedAt: own.db_updated_at },
    wholeAt: joined.scanned_at,
    replaced: foundBy(place.replaces, current),
    gone:
      place.platform === null
        ? new Set<string>()
        : goneWith(change.before, change.had, [...others, own.platform]),
  };
}

/** Writes the findings and what follows from them, or leaves what follows to settleFindings. */
async function followChange(
  transaction: Executor,
  next: NextScan,
  { before, found }: NewFindings,
  made: MadeScan,
  isAgain: boolean,
  whole: number,
  left: LeftChange,
): Promise<void> {
  const { digest, scan, at, current, staged } = next;
  const { findings } = scan;
  if (isAgain) {
    if (staged === null) await keepAdvisories(transaction, findings);
    else await writeAdvisories(transaction, staged.said);
    await followSame(transaction, digest, at, made, found);
    return;
  }
  if (staged === null) await insertFindings(transaction, made.id, found);
  const isSame = isSameTime(next);
  if (staged !== null || before.length + found.length > whole) {
    await beginChange(transaction, digest, { replaced: current?.id ?? null, isSame, at, made });
    left.rows = () => ChangeRows.of(made.id, before, found, findings);
    return;
  }
  if (current !== null) await dropReplaced(transaction, current.id, isSame);
  await changeTotals(transaction, before, found);
  await keepAdvisories(transaction, findings);
  await followFindings(transaction, digest, at, made, { range: null, found });
}

/** What reported so far that which is not reported any more: the scan of this platform, or where there was none, the whole. */
function foundBy(replaces: ScanPlace['replaces'], current: CurrentScan | null): FoundStamp | null {
  if (replaces !== null)
    return { scanner: replaces.scanner, dbUpdatedAt: replaces.databaseAt, recordedAt: replaces.recordedAt };
  if (current === null) return null;
  return { scanner: current.scanner, dbUpdatedAt: current.db_updated_at, recordedAt: current.recorded_at };
}
