import { sql } from 'kysely';
import { IMAGE_STATES, type ImageQuery, type StateCounts } from '../../inventory/index.ts';
import { statesVersion } from '../facts/image-states.ts';
import { CHUNK } from '../sql/marks.ts';
import { containing } from '../sql/search.ts';
import { readCells, run, type Executor, type Row } from '../sql/run.ts';

/** Searches that are remembered while no state changes: who pages through one asks it again and again. */
const SEARCHES = 64;

/** KnownImages remembers the tiles, and what searches found, for as long as no state of an image is written. */
export class KnownImages {
  readonly #read: Executor;
  #version: string | null = null;
  #states: StateCounts | null = null;
  readonly #searches = new Map<string, Found>();

  constructor(read: Executor) {
    this.#read = read;
  }

  /** Forgets what no longer holds. */
  async follow(): Promise<void> {
    const version = await statesVersion(this.#read);
    if (version === this.#version) return;
    this.#version = version;
    this.#states = null;
    this.#searches.clear();
  }

  async states(): Promise<StateCounts> {
    const version = this.#version;
    const states = this.#states ?? (await countStates(this.#read));
    if (version === this.#version) this.#states = states;
    return states;
  }

  async search(search: string, state: ImageQuery['state']): Promise<Found> {
    const key = JSON.stringify([search, state]);
    const version = this.#version;
    const found = this.#searches.get(key) ?? (await searchImages(this.#read, search, state));
    if (version !== this.#version) return found;
    const [oldest] = this.#searches.keys();
    if (this.#searches.size >= SEARCHES && oldest !== undefined) this.#searches.delete(oldest);
    this.#searches.set(key, found);
    return found;
  }
}

/**
 * Found says how many a search found; `few` are their digests, null where they are more than are worth sorting. Then `first` and `last` are
 * the names between which they stand, so that a walk in the order of names begins there.
 */
interface Found {
  readonly total: number;
  readonly few: readonly string[] | null;
  readonly first: string;
  readonly last: string;
}

/** One walk over narrow rows, or two where many match. */
async function searchImages(read: Executor, search: string, state: ImageQuery['state']): Promise<Found> {
  const ofState = state === null ? sql`` : sql`and state = ${state}`;
  const where = sql`where search like ${containing(search)} escape '\\' ${ofState}`;
  const first = await readCells(read, sql`select digest from image_search ${where} limit ${CHUNK + 1}`);
  if (first.length <= CHUNK) {
    return { total: first.length, few: first.map(([digest]) => String(digest)), first: '', last: '' };
  }
  const [counted] = await run(
    read,
    sql<
      Pick<Found, 'total' | 'first' | 'last'>
    >`select count(*) as total, min(name) as first, max(name) as last from image_search ${where}`,
  );
  return { ...(counted ?? { total: 0, first: '', last: '' }), few: null };
}

async function countStates(read: Executor): Promise<StateCounts> {
  const rows = await run(
    read,
    sql<
      Row<'image_states', 'state'> & { count: number }
    >`select state, count(*) as count from image_states where state is not null group by state`,
  );
  const counts = new Map(rows.map(({ state, count }) => [state, count]));
  return Object.fromEntries(
    IMAGE_STATES.map((state) => [state, counts.get(state) ?? 0]),
  ) as unknown as StateCounts;
}
