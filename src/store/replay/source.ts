import { sql } from 'kysely';
import type { ImageFacts } from '../../facts/index.ts';
import { digestOfRow, type ColdImagePolicy, type RowBatch, type RowRange } from '../../ledger/index.ts';
import type { ReplaySource } from '../../whatif/index.ts';
import { FactsCache } from '../ledger/recorded-facts.ts';
import { recordedPolicies } from '../ledger/recorded-policies.ts';
import type { ShapeRow, Shapes } from '../cells/shapes.ts';
import { rowsWithin } from '../ledger/spans.ts';
import type { Store } from '../sql/store.ts';
import { TimeText } from '../sql/time-text.ts';
import { readCells } from '../sql/run.ts';

/** ReplaySourceOptions say what the database does not know, and what may be remembered from one replay to the next. */
export interface ReplaySourceOptions {
  readonly coldImagePolicy: ColdImagePolicy;
  /** One for each process that replays more than once. */
  readonly facts?: FactsCache;
}

/** Rows of the first batch, so that a replay of the newest rows reads little more than it needs; later ones are larger. */
const FIRST_BATCH = 1024;
const BATCH = 8192;
/** Digests, and findings of them, whose facts are held at once; beyond it only those of the batch at hand. */
const MAX_DIGESTS = 20_000;
const MAX_FINDINGS = 500_000;
/** A batch that brought this many findings is followed by none that is larger. */
const MANY_FINDINGS = 100_000;

/**
 * replaySource gives a replay the rows, policies and facts of a store as they stand when it begins; facts as they stand when the
 * first row of their image is given. Memory is bounded by the shapes of rows, not by their number. It can be walked more
 * than once, one walk at a time.
 */
export async function replaySource(store: Store, options: ReplaySourceOptions): Promise<ReplaySource> {
  const policies = await recordedPolicies(store);
  const cache = options.facts ?? new FactsCache();
  const shapes = cache.shapesOf(store.read);
  const facts = new HeldFacts(store, cache);
  return {
    coldImagePolicy: options.coldImagePolicy,
    policies,
    facts: (digest) => facts.get(digest),
    async *rows({ from, to }) {
      yield* walk(store, shapes, facts, await rowsWithin(store, from, to));
    },
  };
}

async function* walk(
  store: Store,
  known: Shapes,
  facts: HeldFacts,
  range: RowRange,
): AsyncGenerator<RowBatch, void, undefined> {
  const text = new TimeText();
  let size = FIRST_BATCH;
  for (let last = range.last; last >= range.first;) {
    const rows = (await readCells(
      store.read,
      sql`select id, at, shape, pod from ledger_rows where id between ${Math.max(range.first, last - size + 1)} and ${last} order by id desc`,
    )) as readonly (readonly [id: number, at: number, shape: number, pod: string | null])[];
    const shapes = await known.load(new Set(rows.map((row) => row[2])));
    const findings = await facts.hold([...shapes.values()]);
    last -= size;
    size = findings > MANY_FINDINGS ? FIRST_BATCH : Math.min(size * 2, BATCH);
    yield toBatch(rows, shapes, text);
  }
}

/** Columns by one walk over the rows: this runs for each of millions. */
function toBatch(
  rows: readonly (readonly [id: number, at: number, shape: number, pod: string | null])[],
  known: ReadonlyMap<number, ShapeRow>,
  text: TimeText,
): RowBatch {
  const batch = {
    ids: [] as number[],
    times: [] as string[],
    at: [] as number[],
    pods: [] as (string | null)[],
    shapes: [] as ShapeRow[],
  };
  for (const [id, at, shape, pod] of rows) {
    batch.ids.push(id);
    batch.times.push(text.of(at));
    batch.at.push(at);
    batch.pods.push(pod);
    batch.shapes.push(known.get(shape) as ShapeRow);
  }
  return batch;
}

/** The facts of the images of the rows that were given. */
class HeldFacts {
  readonly #store: Store;
  readonly #cache: FactsCache;
  /** What was looked up, also where there was nothing. */
  #held = new Map<string, ImageFacts | undefined>();
  #shapes = new WeakSet<object>();
  #findings = 0;

  constructor(store: Store, cache: FactsCache) {
    this.#store = store;
    this.#cache = cache;
  }

  get(digest: string): ImageFacts | undefined {
    return this.#held.get(digest);
  }

  /** Gives how many findings came in. */
  async hold(shapes: readonly (object & Parameters<typeof digestOfRow>[0])[]): Promise<number> {
    if (this.#held.size > MAX_DIGESTS || this.#findings > MAX_FINDINGS) {
      this.#held = new Map();
      this.#shapes = new WeakSet();
      this.#findings = 0;
    }
    const missing = new Set<string>();
    for (const shape of shapes) {
      if (this.#shapes.has(shape)) continue;
      this.#shapes.add(shape);
      const digest = digestOfRow(shape);
      if (digest !== null && !this.#held.has(digest)) missing.add(digest);
    }
    if (missing.size === 0) return 0;
    const found = await this.#cache.load(this.#store.read, [...missing]);
    const before = this.#findings;
    for (const digest of missing) {
      const facts = found.get(digest);
      this.#held.set(digest, facts);
      this.#findings += facts?.scan?.findings?.length ?? 0;
    }
    return this.#findings - before;
  }
}
