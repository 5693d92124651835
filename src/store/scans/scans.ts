import { sql } from 'kysely';
import { parseTime } from '../../base/index.ts';
import { toImageFactsDocument, NO_FACTS, type ImageFacts } from '../../facts/index.ts';
import type { ScanRecord } from '../../findings/index.ts';
import type { NewScan, Recorded, ScanStore } from '../../scan/index.ts';
import type { FoundStamp } from '../../trackers/index.ts';
import { keepAdvisories, writeAdvisories } from '../findings/advisories.ts';
import { ChangeRows } from '../findings/change-rows.ts';
import { changeTotals } from '../findings/cve-totals.ts';
import { insertMany } from '../sql/dialect.ts';
import { LATER } from '../engine/image-log.ts';
import { supportOf } from '../facts/end-of-life.ts';
import { beginChange, dropReplaced, finishFindings, settleFindings } from './finding-changes.ts';
import type { MadeScan } from '../findings/episode.ts';
import { followFindings, followSame, goneWith } from '../findings/finding-history.ts';
import { lockImage, PROOF_LISTS, rebuildFacts } from '../facts/facts.ts';
import { touchAll } from '../facts/image-states.ts';
import { holdCatalogue } from '../findings/kev-entries.ts';
import { dropFailures } from './failures.ts';
import {
  noteEntries,
  placeScan,
  readCurrent,
  wholeOf,
  writeParts,
  type CurrentScan,
  type PartRow,
  type ScanPlace,
} from '../facts/scan-platforms.ts';
import { insertScan, scanAgain } from './scan-records.ts';
import { newFindings, StagedScans, takeStaged, useStaged, type StagedScan } from './staged-findings.ts';
import { storableText } from '../sql/storable.ts';
import { areSame, insertFindings, type StoredFinding } from '../findings/stored-findings.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor } from '../sql/run.ts';

/** Findings, those that are replaced with them, whose change is one transaction; what follows from more is written in pieces behind it. */
const WHOLE = 400;

/** scanStore keeps scans in a database. */
export function scanStore(store: Store): ScanStore {
  const staged = new StagedScans(store);
  const prepare: ScanStore['prepare'] = async (scan) => {
    if (!store.isWriting()) await staged.stage(scan);
  };
  return {
    prepare,
    async record(scan) {
      await prepare(scan);
      return store.write(async (transaction) => {
        const left: LeftChange = { rows: () => null };
        const ready = staged.of(scan);
        const recorded = await recordScan(transaction, scan, WHOLE, left, ready);
        // Made behind the commit: it takes milliseconds.
        await store.after(() => settleFindings(store, scan.digest, left.rows()));
        if (ready !== null) await store.after(() => staged.drop(ready, scan.scan));
        return recorded;
      });
    },
  };
}

/** LeftChange takes what makes the rows of a change that is left to settleFindings. */
export interface LeftChange {
  rows: () => ChangeRows | null;
}

/**
 * recordScan records a scan of a digest with the facts that follow from it. "A failed or incomplete scan never looks like a clean
 * one": without a result of packages it is kept as what it is and replaces nothing; nor does one that is older than the one in use, or
 * was made with an older database. What follows from more findings than `whole` is left to settleFindings. `staged` are its findings
 * where they were written before.
 */
export async function recordScan(
  transaction: Executor,
  { digest, names, source, scan, at, ...given }: NewScan,
  whole = Infinity,
  left: LeftChange = { rows: () => null },
  staged: StagedScan | null = null,
): Promise<Recorded> {
  await lockImage(transaction, digest, at);
  await finishFindings(transaction, digest);
  await recordNames(transaction, digest, names, at);
  if (source !== null)
    await run(transaction, sql`update images set source = ${source} where digest = ${digest}`);
  const scannedAt = scan.scannedAt === null ? null : Math.floor(parseTime(scan.scannedAt));
  const current = await readCurrent(transaction, digest);
  const complete = scan.findings !== null;
  await noteEntries(transaction, digest, given);
  const place = await placeScan(transaction, digest, given, current);
  const replaces = place?.replaces ?? null;
  const older = replaces !== null && isOlder(scan, scannedAt, replaces, at);
  const isCurrent = complete && place !== null && !older;
  const own = await toPart(transaction, scan, place, { scannedAt, at });
  const parts = place === null || place.platform === null ? [] : [...place.others, own];
  const joined = isCurrent && parts.length > 1 ? wholeOf(parts) : own;
  const ready = isCurrent && staged !== null && (await takeStaged(transaction, staged, place, current));
  let written: readonly StoredFinding[] | null = null;
  if (isCurrent && scan.findings !== null) {
    await holdCatalogue(transaction);
    const { before, had, found } = ready
      ? staged
      : await newFindings(transaction, digest, scan.findings, place, current);
    written = found;
    const isSame = joined.scanned_at !== null && current?.scanned_at === joined.scanned_at;
    // Its findings stay where they are, and it keeps their number.
    const isAgain = ready ? staged.id === null : areSame(before, found);
    const again = isAgain ? current : null;
    const made = ready ? staged.id : null;
    if (again === null && current !== null)
      await run(transaction, sql`update scans set current = 0 where id = ${current.id}`);
    let id: number;
    if (again !== null) id = await scanAgain(transaction, again.id, joined, { at, isSame });
    else if (made !== null) id = await useStaged(transaction, made, joined, at);
    else id = await insertScan(transaction, digest, joined, { at, complete, isCurrent });
    const others = place.others.map(({ platform }) => platform);
    await writeParts(transaction, digest, parts);
    const cause: MadeScan = {
      id,
      scannedAt,
      version: scan.scanner?.version ?? null,
      // What proves a finding fixed is the scan of its platform; how old the scan of an image is, the oldest of its platforms.
      stamp: { scanner: own.scanner, dbUpdatedAt: own.db_updated_at },
      wholeAt: joined.scanned_at,
      replaced: foundBy(replaces, current),
      gone: place.platform === null ? new Set<string>() : goneWith(before, had, [...others, own.platform]),
    };
    if (again !== null) {
      if (ready) await writeAdvisories(transaction, staged.said);
      else await keepAdvisories(transaction, scan.findings);
      await followSame(transaction, digest, at, cause, found);
    } else if (ready || before.length + found.length > whole) {
      if (!ready) await insertFindings(transaction, id, found);
      await beginChange(transaction, digest, { replaced: current?.id ?? null, isSame, at, made: cause });
      const { findings } = scan;
      left.rows = () => ChangeRows.of(id, before, found, findings);
    } else {
      await insertFindings(transaction, id, found);
      if (current !== null) await dropReplaced(transaction, current.id, isSame);
      await changeTotals(transaction, before, found);
      await keepAdvisories(transaction, scan.findings);
      await followFindings(transaction, digest, at, cause, { range: null, found });
    }
    await run(
      transaction,
      sql`delete from scan_queue where digest = ${digest} and claimed_at is null and requested_at <= ${joined.scanned_at ?? -1}`,
    );
    // What counts for no platform that is needed leaves no record: it may be told again and again.
  } else if (!complete || place !== null)
    await insertScan(transaction, digest, joined, { at, complete, isCurrent: false });
  if (complete && place !== null) await dropFailures(transaction, digest, place.platform);
  await rebuildFacts(transaction, digest, written);
  await touchAll(transaction, [digest]); // under its new names, also where the facts stay as they were
  return { outcome: outcomeOf(complete, place, older), replaced: isCurrent && replaces !== null };
}

function outcomeOf(complete: boolean, place: ScanPlace | null, older: boolean): Recorded['outcome'] {
  if (!complete) return 'incomplete';
  if (place === null) return 'other_platform';
  return older ? 'older' : 'current';
}

/** What reported so far that which is not reported any more: the scan of this platform, or where there was none, the whole. */
function foundBy(replaces: ScanPlace['replaces'], current: CurrentScan | null): FoundStamp | null {
  if (replaces !== null)
    return { scanner: replaces.scanner, dbUpdatedAt: replaces.databaseAt, recordedAt: replaces.recordedAt };
  if (current === null) return null;
  return { scanner: current.scanner, dbUpdatedAt: current.db_updated_at, recordedAt: current.recorded_at };
}

/** Made earlier, or by the same scanner with an older database: what it does not find, the one in use may have found since. */
function isOlder(
  scan: ScanRecord,
  scannedAt: number | null,
  replaces: NonNullable<ScanPlace['replaces']>,
  at: number,
): boolean {
  if ((scannedAt ?? -1) < (replaces.scannedAt ?? -1)) return true;
  const database = databaseTime(scan, at);
  const isSame = scan.scanner !== null && scan.scanner.name === replaces.scanner;
  return isSame && database !== null && replaces.databaseAt !== null && database < replaces.databaseAt;
}

/** No database is newer than the scan with it: one that says so would keep every later scan out, until its time came. */
function databaseTime({ scanner }: ScanRecord, at: number): number | null {
  const updatedAt = scanner?.dbUpdatedAt ?? null;
  return updatedAt === null ? null : Math.min(Math.floor(parseTime(updatedAt)), at);
}

/** recordNames keeps by what names an image was seen. */
export async function recordNames(
  transaction: Executor,
  digest: string,
  names: readonly string[],
  at: number,
): Promise<void> {
  await insertMany(
    transaction,
    'image_names',
    { digest: 'text', name: 'text', last_seen_at: 'integer', not_asked: 'integer' },
    [...new Set(names.map(storableText))].toSorted().map((name) => [digest, name, at, null]),
    LATER,
  );
}

/** What is kept of a scan beside its findings. */
async function toPart(
  transaction: Executor,
  scan: ScanRecord,
  place: ScanPlace | null,
  { scannedAt, at }: { readonly scannedAt: number | null; readonly at: number },
): Promise<PartRow> {
  const { scanner, os } = scan;
  return {
    platform: place?.platform ?? '',
    image: place?.image ?? null,
    scanner: scanner?.name ?? null,
    scanner_version: scanner?.version ?? null,
    db_updated_at: databaseTime(scan, at),
    scanned_at: scannedAt,
    recorded_at: at,
    os_family: os?.family ?? null,
    os_name: os?.name ?? null,
    os_eosl: await supportOf(transaction, os, at),
  };
}

/** Proofs are what was signed and said about an image; a list that is left out stays as it was, null makes it unknown. */
export type Proofs = Partial<Pick<ImageFacts, (typeof PROOF_LISTS)[number]>>;

/** recordProofs records signatures, attestations, provenance and statements of a digest with the facts that follow. */
export async function recordProofs(
  transaction: Executor,
  digest: string,
  proofs: Proofs,
  at: number,
): Promise<void> {
  await lockImage(transaction, digest, at);
  await run(
    transaction,
    sql`insert into image_proofs (digest) values (${digest}) on conflict (digest) do nothing`,
  );
  const document = toImageFactsDocument({ ...NO_FACTS, digest, ...proofs });
  for (const name of PROOF_LISTS) {
    if (proofs[name] === undefined) continue;
    const list = proofs[name] === null ? null : JSON.stringify(document[name]);
    await run(transaction, sql`update image_proofs set ${sql.ref(name)} = ${list} where digest = ${digest}`);
  }
  await rebuildFacts(transaction, digest);
}
