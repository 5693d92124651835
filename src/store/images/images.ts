import { sql, type RawBuilder } from 'kysely';
import { isDigest } from '../../base/index.ts';
import {
  IMAGE_STATES,
  type ImageItem,
  type ImageList,
  type ImageQuery,
  type ImageRecord,
  type ImageStore,
  type Judged,
  type Review,
  type StateCounts,
} from '../../inventory/index.ts';
import { readFacts, refreshFacts } from '../facts/facts.ts';
import { KnownImages } from './search.ts';
import { readSightings, staleImages, writeJudged } from '../facts/image-states.ts';
import { presentedOf } from '../findings/presented.ts';
import { readFailures } from '../scans/failures.ts';
import { containing } from '../sql/search.ts';
import { inLists } from '../sql/marks.ts';
import { followLedger } from './sightings.ts';
import type { Store } from '../sql/store.ts';
import { triageOf } from '../scans/triage.ts';
import { run, type Executor, type MaybeRow, type Row } from '../sql/run.ts';

/** imageStore keeps the inventory of images in a database. */
export function imageStore(store: Store): ImageStore {
  const { read } = store;
  const known = new KnownImages(read);
  return {
    follow: (rows) => followLedger(store, rows),
    stale: (judgedFor, at, limit) => staleImages(read, judgedFor, at, limit),
    facts: (digest) => readFacts(read, digest),
    refreshFacts: (digest, at) => refreshFacts(store, digest, at),
    judged: (judgements) => writeJudged(store, judgements),
    list: (query) => listImages(read, query, known),
    async item(digest) {
      const rows = await run(
        read,
        sql<StateRow>`select ${COLUMNS} from image_states t where digest = ${digest} and state is not null`,
      );
      return (await toItems(read, rows))[0] ?? null;
    },
    record: (digest) => readRecord(read, digest),
  };
}

const COLUMNS = sql`t.digest, t.name, t.state, t.namespaces, t.scan, t.next, t.last_row_id`;

interface StateRow extends Row<
  'image_states',
  'digest' | 'name' | 'namespaces' | 'scan' | 'next' | 'last_row_id'
> {
  readonly state: string;
}

/** Each order has an index that holds it with the state (0027). What stands for null is less than every value, on both engines. */
const ORDER: Readonly<Record<ImageQuery['sort'], RawBuilder<unknown> | null>> = {
  attention: sql`t.attention`,
  name: null,
  severity: sql`t.severity`,
  findings: sql`t.findings`,
  last_seen: sql`coalesce(t.last_row_id, 0)`,
  scanned: sql`coalesce(t.scanned_at, -1)`,
};

/** One direction is the other read backwards, so that one index serves both. */
function orderOf({ sort, descending }: ImageQuery): RawBuilder<unknown> {
  const first = ORDER[sort];
  const way = descending ? sql`desc` : sql``;
  const ties = (first === null) === descending ? sql`desc` : sql``;
  return sql`${first === null ? sql`` : sql`${first} ${way}, `}t.name ${ties}, t.digest ${ties}`;
}

/** More than any list has; what follows an offset is given up to it. */
const ALL = 1_000_000_000;

async function listImages(read: Executor, query: ImageQuery, known: KnownImages): Promise<ImageList> {
  await known.follow();
  const states = await known.states();
  if (query.search === null) {
    const rows = await walkImages(read, query);
    return { items: await toItems(read, rows), states, total: totalOf(states, query.state) };
  }
  const found = await known.search(query.search, query.state);
  const { total, few } = found;
  const rows = few === null ? await walkImages(read, query, found) : await sortImages(read, query, few);
  return { items: await toItems(read, rows), states, total };
}

/**
 * Walks the index of the order and asks of each image whether it matches, until the page is full; the wide rows of what it leaves out are
 * never read. Images that a part of a name finds stand together in the order of names, so that there the narrow rows between them are walked.
 */
async function walkImages(
  read: Executor,
  query: ImageQuery,
  { first, last }: { readonly first: string; readonly last: string } = { first: '', last: '' },
): Promise<StateRow[]> {
  const { state, search, sort, limit, offset } = query;
  const order = orderOf(query);
  let from = sql`image_states t`;
  let matches = sql`t.state is not null`;
  if (search !== null && sort === 'name') {
    from = sql`image_search t`;
    matches = sql`t.name >= ${first} and t.name <= ${last} and t.search like ${containing(search)} escape '\\'`;
  } else if (search !== null) {
    // SQLite walks the one that is named first.
    from = sql`image_states t cross join image_search x`;
    matches = sql`t.state is not null and x.digest = t.digest and x.search like ${containing(search)} escape '\\'`;
  }
  return run(
    read,
    sql<StateRow>`select ${COLUMNS} from (
       select t.digest as page from ${from} where ${matches} ${state === null ? sql`` : sql`and t.state = ${state}`}
       order by ${order} limit ${limit ?? ALL} offset ${offset}
     ) p join image_states t on t.digest = p.page order by ${order}`,
  );
}

async function sortImages(
  read: Executor,
  query: ImageQuery,
  digests: readonly string[],
): Promise<StateRow[]> {
  const [marks] = inLists(digests);
  if (marks === undefined) return [];
  return run(
    read,
    sql<StateRow>`select ${COLUMNS} from image_states t where t.state is not null and t.digest in (${marks})
     order by ${orderOf(query)} limit ${query.limit ?? ALL} offset ${query.offset}`,
  );
}

function totalOf(states: StateCounts, state: ImageQuery['state']): number {
  return state === null ? IMAGE_STATES.reduce((sum, name) => sum + states[name], 0) : states[state];
}

async function toItems(read: Executor, rows: readonly StateRow[]): Promise<ImageItem[]> {
  const reviews = await readReviews(
    read,
    rows.flatMap(({ last_row_id }) => (last_row_id === null ? [] : [last_row_id])),
  );
  const failures = await readFailures(
    read,
    rows.map(({ digest }) => digest),
  );
  return rows.map((row) => ({
    digest: row.digest,
    name: row.name,
    failures: failures.get(row.digest) ?? [],
    state: row.state as ImageItem['state'],
    namespaces: row.namespaces === null ? [] : (JSON.parse(row.namespaces) as string[]),
    scan: row.scan === null ? null : (JSON.parse(row.scan) as Judged['scan']),
    next: row.next === null ? null : (JSON.parse(row.next) as Judged['next']),
    lastReview: row.last_row_id === null ? null : (reviews.get(row.last_row_id) ?? null),
  }));
}

interface ReviewRow {
  readonly id: number;
  readonly at: number;
  readonly allowed: number;
  readonly namespace: string | null;
  readonly image: string | null;
  readonly reason: string;
  readonly label: string | null;
  readonly policy: string | null;
  readonly break_glass: number;
}

async function readReviews(read: Executor, ids: readonly number[]): Promise<Map<number, Review>> {
  const reviews = new Map<number, Review>();
  for (const marks of inLists(ids)) {
    const rows = await run(
      read,
      sql<ReviewRow>`select r.id, r.at, s.allowed, s.namespace, s.image, s.reason, s.label, s.policy, s.break_glass
       from ledger_rows r join ledger_shapes s on s.id = r.shape where r.id in (${marks})`,
    );
    for (const { id, allowed, image, break_glass, ...row } of rows)
      reviews.set(id, {
        ...row,
        rowId: id,
        allowed: allowed === 1,
        image: image ?? '',
        breakGlass: break_glass === 1,
      });
  }
  return reviews;
}

async function readRecord(read: Executor, digest: string): Promise<ImageRecord | null> {
  if (!isDigest(digest)) return null;
  const [image] = await run(
    read,
    sql<
      Row<'images', 'source' | 'first_seen_at' | 'facts_version'> &
        MaybeRow<'scans', 'recorded_at'> &
        MaybeRow<'scan_queue', 'requested_at'>
    >`select i.source, i.first_seen_at, i.facts_version, s.recorded_at, q.requested_at
     from images i left join scans s on s.digest = i.digest and s.current = 1 left join scan_queue q on q.digest = i.digest
     where i.digest = ${digest}`,
  );
  if (image === undefined) return null;
  const facts = await readFacts(read, digest);
  return {
    digest,
    source: image.source,
    firstSeenAt: image.first_seen_at,
    factsVersion: image.facts_version,
    facts,
    scanRecordedAt: image.recorded_at,
    scanner: facts?.scan?.scanner ?? null,
    scanRequestedAt: image.requested_at,
    sightings: (await readSightings(read, [digest])).map(({ sighting }) => sighting),
    triage: await triageOf(read, digest),
    presented: await presentedOf(read, digest),
  };
}
