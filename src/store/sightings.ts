import { isDigest } from '../base/index.ts';
import { parseReference } from '../image/index.ts';
import { insertMany, runText } from './dialect.ts';
import { moveMark } from './ledger-mark.ts';
import { touchAll } from './image-states.ts';
import { inChunks } from './marks.ts';
import type { Store } from './store.ts';

type Executor = Parameters<typeof runText>[0];

/** Up to which ledger row the sightings follow. */
const MARK = 'sightings_upto';

/** Seen is the newest row of an image in a namespace, among the rows that are taken in. */
interface Seen {
  readonly digest: string;
  readonly namespace: string;
  readonly row: number;
  readonly shape: number;
}

/**
 * followLedger takes the next rows of the ledger into the sightings, `rows` at most, and marks the images that must be judged again:
 * those that are new, that stand in another way than before, or whose last verdict has turned. False once there are no more rows.
 * Appends do nothing for it, so that an admission waits for none of this; two replicas that follow at once take each row once.
 */
export async function followLedger(store: Store, rows: number): Promise<boolean> {
  const [state] = await runText<{ size: number; mark: string | null }>(
    store.read,
    `select size, (select value from settings where key = '${MARK}') as mark from ledger_head where id = 1`,
    [],
  );
  const size = state?.size ?? 0;
  const from = state?.mark === undefined || state.mark === null ? null : Number(state.mark);
  if (from !== null && from >= size) return false;
  const upto = Math.min(size, (from ?? 0) + rows);
  const seen = await readSeen(store.read, from ?? 0, upto);
  await store.write(async (transaction) => {
    if (!(await moveMark(transaction, MARK, from, upto))) return; // another replica was quicker
    if (from === null) await stateForAll(transaction);
    await takeIn(transaction, seen);
  });
  return true;
}

/** Images that were there before there were states. */
async function stateForAll(transaction: Executor): Promise<void> {
  await runText(
    transaction,
    `insert into image_states (digest, name, search) select digest, '', '' from images where true
     on conflict (digest) do nothing`,
    [],
  );
}

async function readSeen(read: Executor, from: number, upto: number): Promise<Seen[]> {
  const newest = await runText<{ shape: number; row: number }>(
    read,
    'select shape, max(id) as row from ledger_rows where id > ? and id <= ? group by shape',
    [from, upto],
  );
  const rowOf = new Map(newest.map(({ shape, row }) => [shape, row]));
  const seen = new Map<string, Seen>();
  for (const { marks, cells } of inChunks([...rowOf.keys()])) {
    const shapes = await runText<{
      id: number;
      digest: string | null;
      image: string | null;
      namespace: string | null;
    }>(
      read,
      `select distinct id, digest, image, namespace from ledger_shapes where image is not null and id in (${marks})`,
      cells,
    );
    for (const { id, image, namespace, ...shape } of shapes) {
      const digest = shape.digest ?? digestOf(image);
      const row = rowOf.get(id) ?? 0;
      if (digest === null) continue;
      const key = `${digest} ${namespace ?? ''}`;
      if (row > (seen.get(key)?.row ?? 0))
        seen.set(key, { digest, namespace: namespace ?? '', row, shape: id });
    }
  }
  return [...seen.values()].toSorted((a, b) => (a.digest < b.digest ? -1 : a.digest > b.digest ? 1 : 0));
}

/** "Null on a reference with a digest takes the reference's." */
function digestOf(image: string | null): string | null {
  const reference = parseReference(image ?? '');
  return 'fault' in reference || reference.digest === null || !isDigest(reference.digest)
    ? null
    : reference.digest;
}

interface Known {
  readonly digest: string;
  readonly state: string | null;
  readonly last_allowed: number | null;
  readonly last_row_id: number | null;
  readonly state_row_id: number | null;
}

async function takeIn(transaction: Executor, seen: readonly Seen[]): Promise<void> {
  for (const { cells } of inChunks([...new Set(seen.map(({ digest }) => digest))])) {
    const digests = new Set(cells);
    const part = seen.filter(({ digest }) => digests.has(digest));
    const marks = cells.map(() => '?').join(', ');
    const standing = await runText<{ digest: string; namespace: string; shape: number }>(
      transaction,
      `select digest, namespace, shape from image_sightings where digest in (${marks})`,
      cells,
    );
    const known = await runText<Known>(
      transaction,
      `select i.digest, t.state, i.last_allowed, i.last_row_id, t.last_row_id as state_row_id
       from images i left join image_states t on t.digest = i.digest where i.digest in (${marks})`,
      cells,
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
      'on conflict (digest, namespace) do update set row_id = excluded.row_id, shape = excluded.shape',
    );
    await touchAll(transaction, [...touched].toSorted());
    await insertMany(
      transaction,
      'image_states',
      { digest: 'text', last_row_id: 'integer', name: 'text', search: 'text' },
      known
        .filter((image) => image.last_row_id !== image.state_row_id)
        .map((image) => [image.digest, image.last_row_id, '', '']),
      'on conflict (digest) do update set last_row_id = excluded.last_row_id',
    );
  }
}
