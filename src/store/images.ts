import { isDigest } from '../base/index.ts';
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
} from '../inventory/index.ts';
import { runText, type Cell } from './dialect.ts';
import { readFacts, refreshFacts } from './facts.ts';
import { readSightings, staleImages, statesVersion, writeJudged } from './image-states.ts';
import { containing } from './search.ts';
import { inChunks } from './marks.ts';
import { followLedger } from './sightings.ts';
import type { Store } from './store.ts';
import { triageOf } from './triage.ts';

type Executor = Parameters<typeof runText>[0];

/** imageStore keeps the inventory of images in a database. */
export function imageStore(store: Store): ImageStore {
  const { read } = store;
  let counted: { readonly version: string; readonly states: StateCounts } | null = null;
  const states = async (): Promise<StateCounts> => {
    const version = await statesVersion(read);
    if (counted?.version !== version) counted = { version, states: await countStates(read) };
    return counted.states;
  };
  return {
    follow: (rows) => followLedger(store, rows),
    stale: (judgedFor, at, limit) => staleImages(read, judgedFor, at, limit),
    facts: (digest) => readFacts(read, digest),
    refreshFacts: (digest, at) => refreshFacts(store, digest, at),
    judged: (judgements) => writeJudged(store, judgements),
    list: (query) => listImages(read, query, states),
    async item(digest) {
      const rows = await runText<StateRow>(
        read,
        `select ${COLUMNS} from image_states where digest = ? and state is not null`,
        [digest],
      );
      return (await toItems(read, rows))[0] ?? null;
    },
    record: (digest) => readRecord(read, digest),
  };
}

const COLUMNS = 'digest, name, state, namespaces, scan, next, last_row_id';

interface StateRow {
  readonly digest: string;
  readonly name: string;
  readonly state: string;
  readonly namespaces: string | null;
  readonly scan: string | null;
  readonly next: string | null;
  readonly last_row_id: number | null;
}

/** What stands for null is less than every value, on both engines. */
const ORDER: Readonly<Record<ImageQuery['sort'], readonly string[]>> = {
  attention: ['attention'],
  name: ['name'],
  severity: ['severity'],
  findings: ['findings'],
  last_seen: ['coalesce(last_row_id, 0)'],
  scanned: ['coalesce(scanned_at, -1)'],
};

/** More than any list has; what follows an offset is given up to it. */
const ALL = 1_000_000_000;

async function listImages(
  read: Executor,
  query: ImageQuery,
  countedStates: () => Promise<StateCounts>,
): Promise<ImageList> {
  const conditions = ['state is not null'];
  const cells: Cell[] = [];
  if (query.state !== null) {
    conditions.push('state = ?');
    cells.push(query.state);
  }
  if (query.search !== null) {
    conditions.push("search like ? escape '\\'");
    cells.push(containing(query.search));
  }
  const where = conditions.join(' and ');
  const order = [
    ...ORDER[query.sort].map((column) => `${column}${query.descending ? ' desc' : ''}`),
    'name',
    'digest',
  ];
  const rows = await runText<StateRow>(
    read,
    `select ${COLUMNS} from image_states where ${where} order by ${[...new Set(order)].join(', ')} limit ? offset ?`,
    [...cells, query.limit ?? ALL, query.offset],
  );
  const states = await countedStates();
  const items = await toItems(read, rows);
  if (query.search === null) return { items, states, total: totalOf(states, query.state) };
  const [counted] = await runText<{ total: number }>(
    read,
    `select count(*) as total from image_states where ${where}`,
    cells,
  );
  return { items, states, total: counted?.total ?? 0 };
}

async function countStates(read: Executor): Promise<StateCounts> {
  const rows = await runText<{ state: string; count: number }>(
    read,
    'select state, count(*) as count from image_states where state is not null group by state',
    [],
  );
  const counts = new Map(rows.map(({ state, count }) => [state, count]));
  return Object.fromEntries(
    IMAGE_STATES.map((state) => [state, counts.get(state) ?? 0]),
  ) as unknown as StateCounts;
}

function totalOf(states: StateCounts, state: ImageQuery['state']): number {
  return state === null ? IMAGE_STATES.reduce((sum, name) => sum + states[name], 0) : states[state];
}

async function toItems(read: Executor, rows: readonly StateRow[]): Promise<ImageItem[]> {
  const reviews = await readReviews(
    read,
    rows.flatMap(({ last_row_id }) => (last_row_id === null ? [] : [last_row_id])),
  );
  return rows.map((row) => ({
    digest: row.digest,
    name: row.name,
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
  for (const { marks, cells } of inChunks(ids)) {
    const rows = await runText<ReviewRow>(
      read,
      `select r.id, r.at, s.allowed, s.namespace, s.image, s.reason, s.label, s.policy, s.break_glass
       from ledger_rows r join ledger_shapes s on s.id = r.shape where r.id in (${marks})`,
      cells,
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
  const [image] = await runText<{
    source: string | null;
    first_seen_at: number;
    facts_version: number;
    recorded_at: number | null;
    requested_at: number | null;
  }>(
    read,
    `select i.source, i.first_seen_at, i.facts_version, s.recorded_at, q.requested_at
     from images i left join scans s on s.digest = i.digest and s.current = 1 left join scan_queue q on q.digest = i.digest
     where i.digest = ?`,
    [digest],
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
  };
}
