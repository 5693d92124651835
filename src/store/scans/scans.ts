import { sql } from 'kysely';
import { parseTime } from '../../base/index.ts';
import { toImageFactsDocument, NO_FACTS, type ImageFacts } from '../../facts/index.ts';
import type { ScanRecord } from '../../findings/index.ts';
import type { NewScan, Recorded, ScanStore } from '../../scan/index.ts';
import { insertMany } from '../sql/dialect.ts';
import { LATER } from '../engine/image-log.ts';
import { supportOf } from '../facts/end-of-life.ts';
import { finishFindings, settleFindings } from './finding-changes.ts';
import { lockImage, PROOF_LISTS, rebuildFacts } from '../facts/facts.ts';
import { touchAll } from '../facts/image-states.ts';
import { dropFailures } from './failures.ts';
import {
  noteEntries,
  placeScan,
  readCurrent,
  wholeOf,
  type PartRow,
  type ScanPlace,
} from '../facts/scan-platforms.ts';
import { insertScan } from './scan-records.ts';
import { useScan, type LeftChange } from './scan-in-use.ts';
import { StagedScans, takeStaged, type StagedScan } from './staged-findings.ts';
import { storableText } from '../sql/storable.ts';
import type { StoredFinding } from '../findings/stored-findings.ts';
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
  await recordSource(transaction, digest, source);
  const scannedAt = wholeMs(scan.scannedAt);
  const current = await readCurrent(transaction, digest);
  const complete = scan.findings !== null;
  await noteEntries(transaction, digest, given);
  const place = await placeScan(transaction, digest, given, current);
  const replaces = place?.replaces ?? null;
  const older = isOlder(scan, scannedAt, replaces, at);
  const isCurrent = complete && place !== null && !older;
  const own = await toPart(transaction, scan, place, { scannedAt, at });
  const parts = partsOf(place, own);
  const joined = isCurrent && parts.length > 1 ? wholeOf(parts) : own;
  const ready = isCurrent && staged !== null && (await takeStaged(transaction, staged, place, current));
  let written: readonly StoredFinding[] | null = null;
  if (isCurrent && scan.findings !== null) {
    const { findings } = scan;
    written = await useScan(
      transaction,
      {
        digest,
        scan: { ...scan, findings },
        scannedAt,
        at,
        place,
        current,
        own,
        parts,
        joined,
        staged: ready ? staged : null,
      },
      whole,
      left,
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

/** Made earlier, or by the same scanner with an older database: what it does not find, the one in use may have found since. */
function isOlder(
  scan: ScanRecord,
  scannedAt: number | null,
  replaces: ScanPlace['replaces'],
  at: number,
): boolean {
  if (replaces === null) return false;
  if ((scannedAt ?? -1) < (replaces.scannedAt ?? -1)) return true;
  const database = databaseTime(scan, at);
  const isSame = scan.scanner !== null && scan.scanner.name === replaces.scanner;
  return isSame && database !== null && replaces.databaseAt !== null && database < replaces.databaseAt;
}

function wholeMs(time: string | null): number | null {
  return time === null ? null : Math.floor(parseTime(time));
}

/** The parts of an image of several platforms; none of another. */
function partsOf(place: ScanPlace | null, own: PartRow): readonly PartRow[] {
  return place === null || place.platform === null ? [] : [...place.others, own];
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

/** Keeps the source of an image where a scan names one. */
async function recordSource(transaction: Executor, digest: string, source: NewScan['source']): Promise<void> {
  if (source === null) return;
  await run(transaction, sql`update images set source = ${source} where digest = ${digest}`);
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
