import { sql } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  hasEnded,
  releaseNames,
  type CatalogueStore,
  type OsRelease,
  type ReleaseChange,
  type ReleaseData,
} from '../../catalogues/index.ts';
import type { OperatingSystem } from '../../findings/index.ts';
import { heldShared, insertMany } from '../sql/dialect.ts';
import { catalogueNotes, catalogueState } from './catalogue-state.ts';
import { lockImage, rebuildFacts } from './facts.ts';
import { inLists } from '../sql/marks.ts';
import { readParts, wholeOf, type PartRow } from './scan-platforms.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** releaseStore keeps when operating systems end in a database, and marks those of current scans. */
export function releaseStore(store: Store): CatalogueStore<ReleaseData, ReleaseChange> {
  return {
    state: () => catalogueState(store.read, NAME, 'os_releases'),
    ...catalogueNotes(store, NAME),
    replace: (data, from) => store.write((transaction) => replace(transaction, data, from)),
    mark: (at, signal) => markScans(store, at, signal),
  };
}

const NAME = 'end_of_life';

/** SUPPORT says in `scans.os_eosl` who knows that support has ended; the scanner's word stays, whatever is published later. */
const SUPPORT = { lasts: 0, endedByScanner: 1, endedByReleaseData: 2 } as const;

/**
 * supportOf gives what is kept of an operating system with a scan; null for none. Release data stays as it is until the transaction ends,
 * so that no scan is recorded by what was just replaced.
 */
export async function supportOf(
  transaction: Executor,
  os: OperatingSystem | null,
  at: number,
): Promise<number | null> {
  if (os === null) return null;
  if (os.eosl) return SUPPORT.endedByScanner;
  await run(
    transaction,
    sql`select name from catalogue_states where name = ${sql.lit(NAME)} ${heldShared(transaction)}`,
  );
  const names = releaseNames(os);
  const releases: OsRelease[] = [];
  for (const marks of inLists([...new Set(names.map(({ product }) => product))]))
    releases.push(...(await run(transaction, sql<OsRelease>`${RELEASES} where product in (${marks})`)));
  return hasEnded(os, releases, at) === true ? SUPPORT.endedByReleaseData : SUPPORT.lasts;
}

const RELEASES = sql`select product, release, ends_at as "endsAt", extended_ends_at as "extendedEndsAt" from os_releases`;

const RELEASE = {
  product: 'text',
  release: 'text',
  ends_at: 'integer',
  extended_ends_at: 'integer',
} as const;

async function replace(
  transaction: Executor,
  { releases, releasedAt = null }: ReleaseData,
  { source, validators, at }: Parameters<CatalogueStore<ReleaseData, ReleaseChange>['replace']>[1],
): Promise<ReleaseChange> {
  // Written first, so that who records a scan waits, and another who replaces too.
  await run(
    transaction,
    sql`update catalogue_states set entries = ${releases.length}, updated_at = ${releasedAt}, fetched_at = ${at}, checked_at = ${at}, last_error = null, source = ${source}, etag = ${validators.etag}, last_modified = ${validators.lastModified}
     where name = ${sql.lit(NAME)}`,
  );
  const key = ({ product, release }: OsRelease): string => `${product} ${release}`;
  const before = new Map(
    (await run(transaction, sql<OsRelease>`${RELEASES}`)).map((one) => [key(one), one] as const),
  );
  const isSame = (one: OsRelease): boolean => {
    const kept = before.get(key(one));
    return kept?.endsAt === one.endsAt && kept.extendedEndsAt === one.extendedEndsAt;
  };
  const now = new Set(releases.map(key));
  const gone = [...before].filter(([name]) => !now.has(name));
  const changed = releases.filter((one) => !isSame(one));
  if (gone.length + changed.length === 0) return 0;
  for (const [, { product, release }] of gone)
    await run(transaction, sql`delete from os_releases where product = ${product} and release = ${release}`);
  await insertMany(
    transaction,
    'os_releases',
    RELEASE,
    changed.map(({ product, release, endsAt, extendedEndsAt }) => [product, release, endsAt, extendedEndsAt]),
    'on conflict (product, release) do update set ends_at = excluded.ends_at, extended_ends_at = excluded.extended_ends_at',
  );
  return gone.length + changed.length;
}

interface ScanRow {
  readonly id: number;
  readonly digest: string;
  readonly os_family: string;
  readonly os_name: string | null;
  readonly os_eosl: number | null;
}

/** Scans that are looked at in one step: a step blocks everyone else whom this process serves. */
const PAGE = 200;

async function markScans(store: Store, at: number, signal: AbortSignal): Promise<number> {
  const { read } = store;
  const releases = Map.groupBy(await run(read, sql<OsRelease>`${RELEASES}`), ({ product }) => product);
  let images = 0;
  for (let last = 0; ;) {
    const page = await run(
      read,
      sql<ScanRow>`select id, digest, os_family, os_name, os_eosl from scans
       where current = 1 and os_family is not null and id > ${last} order by id limit ${PAGE}`,
    );
    for (const scan of page) {
      if (signal.aborted) return images;
      const now = supportNow(scan, releases, at);
      if (now === (scan.os_eosl ?? SUPPORT.lasts)) continue;
      if (await store.write((transaction) => markImage(transaction, scan, now, at))) images += 1;
      await nextTurn();
    }
    const end = page.at(-1)?.id;
    if (end === undefined) break;
    last = end;
    await nextTurn();
  }
  return images + (await markParts(store, releases, at, signal));
}

/** Of a digest whose platforms are scanned each by itself, one may have another system than the scan that stands for all. */
async function markParts(
  store: Store,
  releases: ReadonlyMap<string, readonly OsRelease[]>,
  at: number,
  signal: AbortSignal,
): Promise<number> {
  let images = 0;
  for (let last = ''; ;) {
    const page = await run(
      store.read,
      sql<
        PartRow & Row<'scan_platforms', 'digest'>
      >`select * from scan_platforms where os_family is not null and digest in (
         select distinct digest from scan_platforms where os_family is not null and digest > ${last} order by digest limit ${PAGE}
       ) order by digest`,
    );
    const marked = page.flatMap((part) => {
      const now = supportNow({ ...part, os_family: part.os_family ?? '' }, releases, at);
      return now === (part.os_eosl ?? SUPPORT.lasts) ? [] : [{ ...part, os_eosl: now }];
    });
    for (const [digest, parts] of Map.groupBy(marked, (part) => part.digest)) {
      if (signal.aborted) return images;
      await store.write((transaction) => markWhole(transaction, digest, parts, at));
      images += 1;
      await nextTurn();
    }
    const end = page.at(-1)?.digest;
    if (end === undefined) return images;
    last = end;
    await nextTurn();
  }
}

async function markWhole(
  transaction: Executor,
  digest: string,
  marked: readonly PartRow[],
  at: number,
): Promise<void> {
  await lockImage(transaction, digest, at);
  for (const { platform, os_eosl, os_family, os_name } of marked)
    await run(
      transaction,
      sql`update scan_platforms set os_eosl = ${os_eosl}
       where digest = ${digest} and platform = ${platform} and os_family = ${os_family} and os_name is not distinct from ${os_name}`,
    );
  const parts = await readParts(transaction, digest);
  if (parts.length === 0) return;
  const whole = wholeOf(parts);
  await run(
    transaction,
    sql`update scans set os_family = ${whole.os_family}, os_name = ${whole.os_name}, os_eosl = ${whole.os_eosl} where digest = ${digest} and current = 1`,
  );
  await rebuildFacts(transaction, digest);
}

function supportNow(
  { os_family, os_name, os_eosl }: Pick<ScanRow, 'os_family' | 'os_name' | 'os_eosl'>,
  releases: ReadonlyMap<string, readonly OsRelease[]>,
  at: number,
): number | null {
  if (os_eosl === SUPPORT.endedByScanner) return os_eosl;
  const os = { family: os_family, name: os_name ?? '' };
  const own = releaseNames(os).flatMap(({ product }) => releases.get(product) ?? []);
  return hasEnded(os, own, at) === true ? SUPPORT.endedByReleaseData : SUPPORT.lasts;
}

async function markImage(
  transaction: Executor,
  { id, digest, os_family, os_name, os_eosl }: ScanRow,
  now: number | null,
  at: number,
): Promise<boolean> {
  await lockImage(transaction, digest, at);
  const changed = await run(
    transaction,
    sql`update scans set os_eosl = ${now} where id = ${id} and current = 1 and os_eosl is not distinct from ${os_eosl} returning id`,
  );
  if (changed.length === 0) return false;
  await run(
    transaction,
    sql`update scan_platforms set os_eosl = ${now}
     where digest = ${digest} and os_family = ${os_family} and os_name is not distinct from ${os_name} and os_eosl is not distinct from ${os_eosl}`,
  );
  await rebuildFacts(transaction, digest);
  return true;
}
