import { sql } from 'kysely';
import { byCodeUnit, sha256Hex } from '../../base/index.ts';
import type { ImageToJudge, Judged, Sighting } from '../../inventory/index.ts';
import { insertMany, type Cell } from '../sql/dialect.ts';
import { inLists } from '../sql/marks.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

const TOUCHED = { digest: 'text', touched: 'integer', name: 'text', search: 'text' } as const;
const TOUCH = 'on conflict (digest) do update set touched = image_states.touched + 1, judged_for = null';

/** touch makes sure that an image is judged again; `names` is the hash of the names in its facts, where the facts were updated. */
export async function touch(transaction: Executor, digest: string, names: string): Promise<void> {
  const types = { ...TOUCHED, facts_names: 'text' } as const;
  const tail = `${TOUCH}, facts_names = excluded.facts_names`;
  await insertMany(transaction, 'image_states', types, [[digest, 1, '', '', names]], tail);
}

/** keepFactsNames keeps the hash of the names that stand in the facts of an image. */
export async function keepFactsNames(transaction: Executor, digest: string, names: string): Promise<void> {
  await run(
    transaction,
    sql`update image_states set facts_names = ${names} where digest = ${digest} and facts_names is distinct from ${names}`,
  );
}

/** touchAll makes sure that images are judged again; digests in ascending order, each once. */
export async function touchAll(transaction: Executor, digests: readonly string[]): Promise<void> {
  await insertMany(
    transaction,
    'image_states',
    TOUCHED,
    digests.map((digest) => [digest, 1, '', '']),
    TOUCH,
  );
}

interface StaleRow {
  readonly digest: string;
  readonly touched: number;
  readonly basis: string | null;
  readonly judged_until: number | null;
  readonly scan: string | null;
  readonly next: string | null;
  readonly facts_version: number | null;
  readonly has_facts: number;
  readonly facts_names: string | null;
  readonly last_row_id: number | null;
  readonly last_allowed: number | null;
}

/** staleImages gives images whose state may no longer hold, with what they are judged from but the facts. */
export async function staleImages(
  read: Executor,
  judgedFor: string,
  at: number,
  limit: number,
): Promise<readonly ImageToJudge[]> {
  // Ranges of an index instead of "is not equal", which has none: this is asked before every list.
  const ranges = [
    sql`judged_for is null`,
    sql`judged_for < ${judgedFor}`,
    sql`judged_for > ${judgedFor}`,
    sql`judged_until <= ${at}`,
  ];
  for (const range of ranges) {
    const rows = await run(
      read,
      sql<StaleRow>`select t.digest, t.touched, t.basis, t.facts_names, t.judged_until, t.scan, t.next, i.facts_version, i.last_row_id, i.last_allowed,
         case when i.facts is null then 0 else 1 end as has_facts
       from (select * from image_states where ${range} limit ${limit}) as t left join images i on i.digest = t.digest`,
    );
    if (rows.length > 0) return whole(read, rows);
  }
  return [];
}

async function whole(read: Executor, rows: readonly StaleRow[]): Promise<ImageToJudge[]> {
  const digests = rows.map(({ digest }) => digest);
  const names = new Map<string, readonly string[]>();
  for (const digest of digests) names.set(digest, await newestNames(read, digest));
  const sightings = Map.groupBy(await readSightings(read, digests), ({ digest }) => digest);
  return rows.map((row) => ({
    digest: row.digest,
    touched: row.touched,
    factsVersion: row.facts_version ?? 0,
    hasFacts: row.has_facts === 1,
    names: names.get(row.digest) ?? [],
    namesInFacts: row.has_facts === 0 || row.facts_names === hashNames(names.get(row.digest) ?? []),
    lastRowId: row.last_row_id,
    lastAllowed: row.last_allowed === null ? null : row.last_allowed === 1,
    sightings: (sightings.get(row.digest) ?? []).map(({ sighting }) => sighting),
    before:
      row.basis === null
        ? null
        : {
            basis: row.basis,
            judgedUntil: row.judged_until,
            scan: row.scan === null ? null : (JSON.parse(row.scan) as Judged['scan']),
            next: row.next === null ? null : (JSON.parse(row.next) as Judged['next']),
          },
  }));
}

/** Names beyond these, the newest first, are left out of the facts: a reader bounds the line of an image. */
const MAX_NAMES = 1000;

/** newestNames gives the names of an image, the one seen last first; `asked`: only those whose registries may be asked. */
export async function newestNames(
  read: Executor,
  digest: string,
  which: 'all' | 'asked' = 'all',
): Promise<string[]> {
  const only = which === 'asked' ? sql`and not_asked is null` : sql``;
  const rows = await run(
    read,
    sql<
      Row<'image_names', 'name'>
    >`select name from image_names where digest = ${digest} ${only} order by last_seen_at desc, name limit ${MAX_NAMES}`,
  );
  return rows.map(({ name }) => name);
}

/** hashNames gives a short hash of a set of names, whatever their order. */
export function hashNames(names: readonly string[]): string {
  return sha256Hex(JSON.stringify(names.toSorted(byCodeUnit))).slice(0, 32);
}

interface SightingRow {
  readonly digest: string;
  readonly namespace: string;
  readonly row_id: number;
  readonly at: number;
  readonly image: string | null;
  readonly signals: string | null;
  readonly exposed_by: string | null;
  readonly allowed: number;
  readonly reason: string;
  readonly label: string | null;
  readonly policy: string | null;
  readonly break_glass: number;
}

/** readSightings gives the newest row of each image in each namespace, by digest and namespace. */
export async function readSightings(
  read: Executor,
  digests: readonly string[],
): Promise<{ readonly digest: string; readonly sighting: Sighting }[]> {
  const found: { digest: string; sighting: Sighting }[] = [];
  for (const marks of inLists(digests)) {
    const rows = await run(
      read,
      sql<SightingRow>`select g.digest, g.namespace, g.row_id, r.at, s.image, s.signals, s.exposed_by, s.allowed, s.reason, s.label, s.policy,
         s.break_glass
       from image_sightings g join ledger_rows r on r.id = g.row_id join ledger_shapes s on s.id = g.shape
       where g.digest in (${marks}) order by g.digest, g.namespace`,
    );
    for (const { digest, ...row } of rows) found.push({ digest, sighting: toSighting(row) });
  }
  return found;
}

function toSighting(row: Omit<SightingRow, 'digest'>): Sighting {
  return {
    namespace: row.namespace,
    rowId: row.row_id,
    at: row.at,
    image: row.image ?? '',
    signals: row.signals === null ? null : (JSON.parse(row.signals) as string[]),
    exposedBy: row.exposed_by,
    allowed: row.allowed === 1,
    reason: row.reason,
    label: row.label,
    policy: row.policy,
    breakGlass: row.break_glass === 1,
  };
}

const STATE = {
  digest: 'text',
  touched: 'integer',
  judged_for: 'text',
  judged_until: 'integer',
  basis: 'text',
  state: 'text',
  attention: 'integer',
  severity: 'integer',
  name: 'text',
  search: 'text',
  namespaces: 'text',
  scan: 'text',
  findings: 'integer',
  scanned_at: 'integer',
  last_row_id: 'integer',
  next: 'text',
} as const;

/** A judgement was read before the newest rows were followed: it never takes the last review back. */
const LATER = `last_row_id = case when image_states.last_row_id > coalesce(excluded.last_row_id, 0)
  then image_states.last_row_id else excluded.last_row_id end`;

const KEEP = `on conflict (digest) do update set ${Object.keys(STATE)
  .filter((name) => name !== 'digest' && name !== 'touched')
  .map((name) => (name === 'last_row_id' ? LATER : `${name} = excluded.${name}`))
  .join(', ')} where image_states.touched = excluded.touched`;

/** writeJudged keeps judgements; one of an image that was touched since it was read is left out, and made again. */
export async function writeJudged(store: Store, judgements: readonly Judged[]): Promise<void> {
  const rows = judgements
    .toSorted((a, b) => (a.digest < b.digest ? -1 : 1))
    .map(({ digest, touched, scan, next, ...judged }): Cell[] => {
      const { critical, high, medium, low, unknown } = scan?.findings ?? NO_COUNTS;
      return [
        digest,
        touched,
        judged.judgedFor,
        judged.judgedUntil === null ? null : Math.ceil(judged.judgedUntil),
        judged.basis,
        judged.state,
        judged.attention,
        judged.severity,
        judged.name,
        judged.search,
        JSON.stringify(judged.namespaces),
        scan === null ? null : JSON.stringify(scan),
        critical + high + medium + low + unknown,
        scan === null || scan.scannedAt === null ? null : Math.floor(scan.scannedAt),
        judged.lastRowId,
        next === null ? null : JSON.stringify(next),
      ];
    });
  await store.write(async (transaction) => {
    await insertMany(transaction, 'image_states', STATE, rows, KEEP);
    for (const marks of inLists(rows.map(([digest]) => String(digest))))
      await run(
        transaction,
        sql`insert into image_search (digest, state, name, search)
         select digest, state, name, search from image_states where state is not null and digest in (${marks})
         on conflict (digest) do update set state = excluded.state, name = excluded.name, search = excluded.search
         where image_search.state <> excluded.state or image_search.name <> excluded.name
           or image_search.search <> excluded.search`,
      );
    await run(
      transaction,
      sql`insert into settings (key, value) values (${sql.lit(VERSION)}, '1')
       on conflict (key) do update set value = cast(cast(settings.value as integer) + 1 as text)`,
    );
  });
}

/** Counts the writes of states, so that who counted them knows whether the counts still hold. */
const VERSION = 'image_states_version';

/** statesVersion gives another text after every write of states. Ask it before what is to be kept is read. */
export async function statesVersion(read: Executor): Promise<string> {
  const [row] = await run(
    read,
    sql<Row<'settings', 'value'>>`select value from settings where key = ${sql.lit(VERSION)}`,
  );
  return row?.value ?? '';
}

const NO_COUNTS = { critical: 0, high: 0, medium: 0, low: 0, unknown: 0 };
