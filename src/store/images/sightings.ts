import { byCodeUnit } from '../../base/index.ts';
import { sql } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { insertMany } from '../sql/dialect.ts';
import { imageOf } from '../cells/intern.ts';
import { moveMark } from '../ledger/mark.ts';
import { touchAll } from '../facts/image-states.ts';
import { inChunks, inLists } from '../sql/marks.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** Up to which ledger row the sightings follow. */
const MARK = 'sightings_upto';

/** Seen is the newest row of an image in a namespace, among the rows that are taken in. */
interface Seen {
  readonly digest: string;
  readonly namespace: string;
  readonly row: number;
  readonly shape: number;
}

/** Followed is what the next rows say. */
interface Followed {
  readonly seen: readonly Seen[];
  /** The newest row of kind `review` of each digest. */
  readonly reviews: ReadonlyMap<string, number>;
  /** When each name was seen last, by digest and name. */
  readonly names: ReadonlyMap<string, readonly [digest: string, name: string, at: number]>;
}

/**
 * followLedger takes the next rows of the ledger into the sightings, `rows` at most, and marks the images that must be judged again:
 * those that are new, that stand in another way than before, or whose last verdict has turned. Which review was the last of an image,
 * and when a name was seen last, an append writes once a minute at most; the end of a burst is written here. False once there are no more rows.
 * Appends do nothing for it, so that an admission waits for none of this; two replicas that follow at once take each row once.
 */
export async function followLedger(store: Store, rows: number): Promise<boolean> {
  const [state] = await run(
    store.read,
    sql<
      Row<'ledger_head', 'size'> & { mark: string | null }
    >`select size, (select value from settings where key = ${sql.lit(MARK)}) as mark from ledger_head where id = 1`,
  );
  const size = state?.size ?? 0;
  const from = state?.mark === undefined || state.mark === null ? null : Number(state.mark);
  if (from !== null && from >= size) return false;
  const upto = Math.min(size, (from ?? 0) + rows);
  const followed = await readRows(store.read, from ?? 0, upto);
  await seeNames(store, followed);
  if (from === null) await stateForAll(store);
  await takeIn(store, followed);
  await store.write((transaction) => moveMark(transaction, MARK, from, upto)); // unless another replica was quicker
  return true;
}

/** Images that one transaction takes in. */
const IMAGES = 128;

/** Images that were there before there were states; any that comes later has one from the beginning. */
async function stateForAll(store: Store): Promise<void> {
  for (let last = ''; ;) {
    const page = await run(
      store.read,
      sql<
        Row<'images', 'digest'>
      >`select digest from images where digest > ${last} order by digest limit ${IMAGES}`,
    );
    const types = { digest: 'text', name: 'text', search: 'text' } as const;
    const rows = page.map(({ digest }) => [digest, '', '']);
    if (rows.length > 0)
      await store.write((transaction) =>
        insertMany(transaction, 'image_states', types, rows, 'on conflict (digest) do nothing'),
      );
    const end = page.at(-1)?.digest;
    if (end === undefined) return;
    last = end;
    await nextTurn();
  }
}

async function readRows(read: Executor, from: number, upto: number): Promise<Followed> {
  const newest = await run(
    read,
    sql<
      Row<'ledger_rows', 'shape' | 'at'> & { row: number }
    >`select shape, max(id) as row, max(at) as at from ledger_rows where id > ${from} and id <= ${upto} group by shape`,
  );
  const rowOf = new Map(newest.map(({ shape, ...last }) => [shape, last]));
  const seen = new Map<string, Seen>();
  const reviews = new Map<string, number>();
  const names = new Map<string, [digest: string, name: string, at: number]>();
  for (const marks of inLists([...rowOf.keys()])) {
    const shapes = await run(
      read,
      sql<
        Row<'ledger_shapes', 'id' | 'kind' | 'digest' | 'image' | 'namespace'>
      >`select distinct id, kind, digest, image, namespace from ledger_shapes where image is not null and id in (${marks})`,
    );
    for (const { id, kind, namespace, ...shape } of shapes) {
      const { digest, name } = imageOf(shape);
      const { row = 0, at = 0 } = rowOf.get(id) ?? {};
      if (digest === null) continue;
      // A reconciliation judges again what runs; it is not a review.
      if (kind === 'review' && row > (reviews.get(digest) ?? 0)) reviews.set(digest, row);
      const named = `${digest} ${name}`;
      if (name !== null && at > (names.get(named)?.[2] ?? 0)) names.set(named, [digest, name, at]);
      const key = `${digest} ${namespace ?? ''}`;
      if (row > (seen.get(key)?.row ?? 0))
        seen.set(key, { digest, namespace: namespace ?? '', row, shape: id });
    }
    await nextTurn();
  }
  const sorted = [...seen.values()].toSorted((a, b) => byCodeUnit(a.digest, b.digest));
  return { seen: sorted, reviews, names };
}

interface Known {
  readonly digest: string;
  readonly state: string | null;
  readonly last_allowed: number | null;
  readonly last_row_id: number | null;
  readonly state_row_id: number | null;
}

/**
 * Takes rows in, some images in each transaction and before the mark moves: twice comes to the same as once, and what a slow replica takes in
 * late takes back nothing newer.
 */
async function takeIn(store: Store, followed: Followed): Promise<void> {
  const digests = [...new Set(followed.seen.map(({ digest }) => digest))];
  for (let from = 0; from < digests.length; from += IMAGES) {
    await store.write((transaction) => takeImages(transaction, followed, digests.slice(from, from + IMAGES)));
    await nextTurn();
  }
}

async function takeImages(
  transaction: Executor,
  { seen, reviews }: Followed,
  images: readonly string[],
): Promise<void> {
  for (const { cells } of inChunks(images)) {
    const digests = new Set(cells);
    const part = seen.filter(({ digest }) => digests.has(digest));
    const marks = sql.join(cells);
    const standing = await run(
      transaction,
      sql<
        Row<'image_sightings', 'digest' | 'namespace' | 'shape'>
      >`select digest, namespace, shape from image_sightings where digest in (${marks})`,
    );
    const known = await run(
      transaction,
      sql<Known>`select i.digest, t.state, i.last_allowed, i.last_row_id, t.last_row_id as state_row_id
       from images i left join image_states t on t.digest = i.digest where i.digest in (${marks})`,
    );
    const shapeOf = new Map(
      standing.map(({ digest, namespace, shape }) => [`${digest} ${namespace}`, shape]),
    );
    const moved = part.filter(
      ({ digest, namespace, shape }) => shapeOf.get(`${digest} ${namespace}`) !== shape,
    );
    const touched = new Set(moved.map(({ digest }) => digest));
    for (const { digest, state, last_allowed } of known)
      if ((state === 'Blocked') !== (last_allowed === 0)) touched.add(digest);
    await insertMany(
      transaction,
      'image_sightings',
      { digest: 'text', namespace: 'text', row_id: 'integer', shape: 'integer' },
      part.map(({ digest, namespace, row, shape }) => [digest, namespace, row, shape]),
      `on conflict (digest, namespace) do update set row_id = excluded.row_id, shape = excluded.shape
       where image_sightings.row_id < excluded.row_id`,
    );
    await touchAll(transaction, [...touched].toSorted());
    await insertMany(
      transaction,
      'image_states',
      { digest: 'text', last_row_id: 'integer', name: 'text', search: 'text' },
      known
        .map(({ digest, last_row_id, state_row_id }) => ({
          digest,
          newest: Math.max(reviews.get(digest) ?? 0, last_row_id ?? 0),
          standing: state_row_id ?? 0,
        }))
        .filter(({ newest, standing }) => newest > standing)
        .map(({ digest, newest }) => [digest, newest, '', '']),
      `on conflict (digest) do update set last_row_id = excluded.last_row_id
       where coalesce(image_states.last_row_id, 0) < excluded.last_row_id`,
    );
  }
}

/** Names of one transaction: an append that writes one of them waits for its end. */
const NAMES = 100;

/**
 * Moves when names were seen last; their lines were made with their first rows. Twice comes to the same as once, so that it needs no
 * mark; and by itself, so that it holds no line that a scan waits for while it waits for one of the scan's.
 */
async function seeNames(store: Store, { names }: Followed): Promise<void> {
  const sorted = [...names].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (let from = 0; from < sorted.length; from += NAMES) {
    await store.write(async (transaction) => {
      for (const [, [digest, name, at]] of sorted.slice(from, from + NAMES))
        await run(
          transaction,
          sql`update image_names set last_seen_at = ${at} where digest = ${digest} and name = ${name} and last_seen_at < ${at}`,
        );
    });
    await nextTurn();
  }
}
