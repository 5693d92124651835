import { sql } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Finding } from '../../findings/index.ts';
import type { NewScan } from '../../scan/index.ts';
import { settleFindings } from './finding-changes.ts';
import { joinFindings } from '../findings/join-findings.ts';
import { holdCatalogue, listedAmong } from '../findings/kev-entries.ts';
import {
  hadPlatforms,
  placeScan,
  readCurrent,
  type CurrentScan,
  type PartRow,
  type ScanPlace,
} from '../facts/scan-platforms.ts';
import { changedAdvisories, type ChangedAdvisories } from '../findings/advisories.ts';
import {
  areSame,
  insertSome,
  keepPlaces,
  Places,
  storedFindings,
  type StoredFinding,
} from '../findings/stored-findings.ts';
import type { Store } from '../sql/store.ts';
import { toStored } from '../findings/to-stored.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** NewFindings are the findings of a digest before a scan and with it. */
export interface NewFindings {
  readonly before: readonly StoredFinding[];
  /** The platforms of those before. */
  readonly had: readonly string[];
  readonly found: readonly StoredFinding[];
}

/** StagedScan is a scan whose findings are written, and that nobody uses yet, or one that found the same again. */
export interface StagedScan extends NewFindings {
  /** Null where the same was found: there is nothing to write of findings. */
  readonly id: number | null;
  /** What it says of vulnerabilities that was not known; only where the same was found. */
  readonly said: ChangedAdvisories;
  readonly digest: string;
  /** Says from what the findings were made. */
  readonly basis: string;
}

/** Findings from which on they are written before the scan comes into use. */
const MANY = 500;
/** Findings of one transaction. */
const SOME = 450;
const KEY = 'findings.staged ';
const keyOf = (id: number): string => KEY + `${id}`.padStart(16, '0');

/** newFindings tells what findings a digest has with a scan of a place. */
export async function newFindings(
  read: Executor,
  digest: string,
  findings: readonly Finding[],
  place: ScanPlace,
  current: CurrentScan | null,
): Promise<NewFindings> {
  const before = current === null ? [] : await storedFindings(read, current.id);
  const listed = await listedAmong(
    read,
    findings.map(({ cve }) => cve),
  );
  const made = toStored(findings, before, listed);
  const others = place.others.map(({ platform }) => platform);
  const had = await hadPlatforms(read, digest);
  const found = others.length === 0 ? made : joinFindings(before, had, others, place.platform ?? '', made);
  return { before, had, found };
}

/** StagedScans writes the findings of large scans in pieces, before the transaction that brings the scan into use. */
export class StagedScans {
  readonly #store: Store;
  readonly #staged = new WeakMap<readonly Finding[], StagedScan>();

  constructor(store: Store) {
    this.#store = store;
  }

  async stage({ digest, scan, at, ...given }: NewScan): Promise<void> {
    const store = this.#store;
    const { findings } = scan;
    if (findings === null || findings.length < MANY || this.#staged.get(findings)?.digest === digest) return;
    await settleFindings(store, digest, null);
    const current = await readCurrent(store.read, digest);
    const place = await placeScan(store.read, digest, given, current);
    if (place === null) return;
    const basis = await basisOf(store.read, digest, place, current);
    const made = await newFindings(store.read, digest, findings, place, current);
    if (current !== null && areSame(made.before, made.found)) {
      const said = await changedAdvisories(store.read, findings);
      this.#staged.set(findings, { ...made, id: null, said, digest, basis });
      return;
    }
    const id = await this.#write(digest, at, made.found);
    this.#staged.set(findings, { ...made, id, said: [], digest, basis });
  }

  /** Gives the number of the scan. */
  async #write(digest: string, at: number, found: readonly StoredFinding[]): Promise<number> {
    const places = new Places();
    let made: number | null = null;
    for (let from = 0; made === null || from < found.length; from += SOME) {
      const some = found.slice(from, from + SOME);
      made = await this.#store.write(async (transaction) => {
        const id = made ?? (await begin(transaction, digest, at));
        await insertSome(transaction, id, some, from, places);
        if (from + SOME >= found.length) await keepPlaces(transaction, id, places);
        return id;
      });
      await nextTurn();
    }
    return made;
  }

  /** Gives what was staged for a scan. */
  of({ digest, scan: { findings } }: NewScan): StagedScan | null {
    const staged = findings === null ? undefined : this.#staged.get(findings);
    return staged?.digest === digest ? staged : null;
  }

  /** Drops what was staged for a scan that is recorded, unless it is in use. */
  async drop({ id }: StagedScan, { findings }: NewScan['scan']): Promise<void> {
    if (findings !== null) this.#staged.delete(findings);
    if (id !== null) await dropStaged(this.#store, id);
  }
}

async function begin(transaction: Executor, digest: string, at: number): Promise<number> {
  const [made] = await run(
    transaction,
    sql<
      Row<'scans', 'id'>
    >`insert into scans (digest, recorded_at, complete, current) values (${digest}, ${at}, 0, 0) returning id`,
  );
  if (made === undefined) throw new Error('a scan was not inserted');
  await run(transaction, sql`insert into settings (key, value) values (${keyOf(made.id)}, ${`${at}`})`);
  return made.id;
}

/** Whatever changes what a scan leaves changes this: every change of the findings in use is one of the facts. */
async function basisOf(
  read: Executor,
  digest: string,
  place: ScanPlace | null,
  current: CurrentScan | null,
): Promise<string> {
  const rows = await run(
    read,
    sql<Row<'images', 'facts_version'>>`select facts_version from images where digest = ${digest}`,
  );
  const catalogue = await run(
    read,
    sql<Row<'catalogue_states', 'edition'>>`select edition from catalogue_states where name = 'kev'`,
  );
  const had = await hadPlatforms(read, digest);
  return JSON.stringify([rows[0]?.facts_version ?? 0, catalogue[0]?.edition, had, place, current?.id]);
}

/** takeStaged tells whether what was staged is still there and what the scan leaves, and lets nobody else have it. */
export async function takeStaged(
  transaction: Executor,
  { id, digest, basis }: StagedScan,
  place: ScanPlace | null,
  current: CurrentScan | null,
): Promise<boolean> {
  await holdCatalogue(transaction);
  if ((await basisOf(transaction, digest, place, current)) !== basis) return false;
  if (id === null) return true;
  const taken = await run(transaction, sql`delete from settings where key = ${keyOf(id)} returning key`);
  return taken.length > 0;
}

/** useStaged brings a staged scan into use, and gives its number. */
export async function useStaged(
  transaction: Executor,
  id: number,
  scan: Omit<PartRow, 'platform' | 'image'>,
  at: number,
): Promise<number> {
  await run(
    transaction,
    sql`update scans set scanner = ${scan.scanner}, scanner_version = ${scan.scanner_version}, db_updated_at = ${scan.db_updated_at}, scanned_at = ${scan.scanned_at}, recorded_at = ${at}, os_family = ${scan.os_family}, os_name = ${scan.os_name},
       os_eosl = ${scan.os_eosl}, complete = 1, current = 1 where id = ${id}`,
  );
  return id;
}

/** Deletes what was staged and not used, some findings in each transaction; nothing where it was used. */
async function dropStaged(store: Store, id: number): Promise<void> {
  for (;;) {
    const more = await store.write(async (transaction) => {
      const held = await run(
        transaction,
        sql`update settings set value = value where key = ${keyOf(id)} returning key`,
      );
      if (held.length === 0) return false;
      const gone = await run(
        transaction,
        sql`delete from findings where scan_id = ${id} and ordinal in (
           select ordinal from findings where scan_id = ${id} order by ordinal limit ${SOME}) returning ordinal`,
      );
      if (gone.length > 0) return true;
      await run(transaction, sql`delete from scans where id = ${id}`);
      await run(transaction, sql`delete from settings where key = ${keyOf(id)}`);
      return false;
    });
    if (!more) return;
    await nextTurn();
  }
}

/** dropLeftStaged deletes what was staged before a time in milliseconds, by a process that did not come to use it. */
export async function dropLeftStaged(store: Store, before: number, signal?: AbortSignal): Promise<void> {
  for (const { id, at } of await readStaged(store.read)) {
    if (signal?.aborted === true) return;
    if (at < before) await dropStaged(store, id);
  }
}

async function readStaged(read: Executor): Promise<{ id: number; at: number }[]> {
  const rows = await run(
    read,
    sql<
      Row<'settings', 'key' | 'value'>
    >`select key, value from settings where key >= ${KEY} and key < ${`${KEY}~`} order by key`,
  );
  return rows.map(({ key, value }) => ({ id: Number(key.slice(KEY.length)), at: Number(value) }));
}
