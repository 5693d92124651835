import { sql } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FactsSnapshot } from '../../admission/index.ts';
import { parseImageFacts, type ImageFacts } from '../../facts/index.ts';
import { inLists } from '../sql/marks.ts';
import { StoreError } from '../sql/store-error.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

interface Entry {
  facts: ImageFacts | null;
  /** -1 where nothing is recorded. */
  version: number;
  chars: number;
  checkedAt: number;
  usedAt: number;
}

/** AdmissionFactsOptions bound what is kept in memory. */
export interface AdmissionFactsOptions {
  /** Monotonic milliseconds; the process's own unless given. */
  readonly now?: () => number;
  /** Milliseconds for which facts count as those that hold now (1000); `refresh` keeps those in use younger than that. */
  readonly maxAge?: number;
  /** Characters of JSON that are kept (32 Mi); beyond, what was not used for longest goes. */
  readonly maxChars?: number;
}

/** What a reading found; a digest whose facts cannot be read is not there. */
type Found = ReadonlyMap<string, ImageFacts | null>;

/** Digests whose versions are compared in one turn of the event loop. */
const TURN = 250;
/** Characters of facts that are read and parsed in one turn, unless those of one image are more: a millisecond or two. */
const TURN_CHARS = 256 * 1024;
/** Images whose facts are read before the first review. */
const WARMED = 5_000;
/** What an entry takes beside its JSON. */
const ENTRY_CHARS = 300;

/** AdmissionFacts keeps the facts of the digests that a cluster admits in memory, as new as `facts_version` says. */
export class AdmissionFacts implements FactsSnapshot {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #maxAge: number;
  readonly #maxChars: number;
  /** In the order in which they were last compared with the database. */
  readonly #entries = new Map<string, Entry>();
  #chars = 0;
  #changedAt = -Infinity;
  #isWarm = false;
  /** Digests that were used since the last refresh; those of a refresh that fails are read again when they are too old. */
  readonly #used = new Set<string>();
  /** Digests that are read with the next statement, and those who wait for it. */
  #asked = new Set<string>();
  #reading: Promise<Found> | null = null;

  constructor(store: Store, options: AdmissionFactsOptions = {}) {
    this.#store = store;
    this.#now = options.now ?? (() => performance.now());
    this.#maxAge = options.maxAge ?? 1000;
    this.#maxChars = options.maxChars ?? 32 * 1024 * 1024;
  }

  known(digest: string): ImageFacts | null | undefined {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return undefined;
    entry.usedAt = this.#now();
    this.#used.add(digest);
    const fresh = entry.usedAt - entry.checkedAt <= this.#maxAge && entry.checkedAt > this.#changedAt;
    return fresh ? entry.facts : undefined;
  }

  /** Says that a write has been committed: nothing that was read before counts as what holds now. */
  changed(): void {
    this.#changedAt = this.#now();
  }

  /** Reviews that arrive together are read together. */
  async read(digest: string): Promise<ImageFacts | null> {
    this.#asked.add(digest);
    this.#reading ??= nextTurn().then(() => {
      const digests = [...this.#asked];
      this.#asked = new Set();
      this.#reading = null;
      return this.#load(digests);
    });
    const facts = (await this.#reading).get(digest);
    if (facts === undefined) throw new StoreError('unreadable', `the facts of ${digest} cannot be read`);
    return facts;
  }

  last(digest: string): ImageFacts | null | undefined {
    return this.#entries.get(digest)?.facts;
  }

  /** Until facts were read once there is nothing to fall back on: other replicas have some. */
  unready(): string | null {
    return this.#isWarm ? null : 'the facts of images have not been read yet';
  }

  /** Reads the facts of the images that were reviewed last, once. Throws when the database does not answer. */
  async warm(): Promise<void> {
    if (this.#isWarm) return;
    const rows = await run(
      this.#store.read,
      sql<
        Row<'images', 'digest'>
      >`select digest from images where facts is not null order by coalesce(last_row_id, 0) desc, digest limit ${WARMED}`,
    );
    for (let from = 0; from < rows.length && this.#chars < this.#maxChars / 2; from += TURN) {
      await this.#load(rows.slice(from, from + TURN).map(({ digest }) => digest));
      await nextTurn();
    }
    this.#isWarm = true;
  }

  /** Compares what was used since it was last compared with what is recorded. Throws when the database does not answer. */
  async refresh(): Promise<void> {
    const used = [...this.#used].filter((digest) => {
      const entry = this.#entries.get(digest);
      return entry !== undefined && entry.usedAt > entry.checkedAt;
    });
    this.#used.clear();
    for (let from = 0; from < used.length; from += TURN) {
      await this.#load(used.slice(from, from + TURN));
      await nextTurn();
    }
  }

  async #load(digests: readonly string[]): Promise<Found> {
    const { read } = this.#store;
    const began = this.#now();
    const stored = new Map<string, { readonly version: number; readonly chars: number }>();
    for (const marks of inLists(digests)) {
      const rows = await run(
        read,
        sql<
          Row<'images', 'digest' | 'facts_version'> & { chars: number }
        >`select digest, facts_version, octet_length(facts) as chars from images where facts is not null and digest in (${marks})`,
      );
      for (const row of rows) stored.set(row.digest, { version: row.facts_version, chars: row.chars });
    }
    const loaded = new Map<string, ImageFacts | null>();
    const changed: string[] = [];
    for (const digest of digests) {
      const isSame = this.#entries.get(digest)?.version === (stored.get(digest)?.version ?? -1);
      if (isSame) this.#compared(digest, began, loaded);
      else changed.push(digest);
    }
    const pieces = inPieces(changed, (digest) => stored.get(digest)?.chars ?? 0);
    for (const [i, piece] of pieces.entries()) {
      if (i > 0) await nextTurn();
      const found = await readTexts(read, piece);
      for (const digest of piece) {
        this.#keep(digest, found.get(digest) ?? null, began);
        this.#compared(digest, began, loaded);
      }
    }
    this.#shrink();
    return loaded;
  }

  /** What is kept of a digest was the same at a time; it is then the last one to go. */
  #compared(digest: string, at: number, loaded: Map<string, ImageFacts | null>): void {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return;
    entry.checkedAt = Math.max(entry.checkedAt, at);
    this.#entries.delete(digest);
    this.#entries.set(digest, entry);
    loaded.set(digest, entry.facts);
  }

  #keep(digest: string, found: { readonly version: number; readonly text: string } | null, at: number): void {
    const before = this.#entries.get(digest);
    // Another reading that began later may have come back first.
    if (before !== undefined && before.checkedAt > at) return;
    let facts: ImageFacts | null;
    try {
      facts = found === null ? null : parseImageFacts(JSON.parse(found.text));
    } catch {
      this.#entries.delete(digest);
      this.#chars -= before?.chars ?? 0;
      return;
    }
    const chars = ENTRY_CHARS + (found?.text.length ?? 0);
    this.#entries.set(digest, { facts, version: found?.version ?? -1, chars, checkedAt: at, usedAt: at });
    this.#chars += chars - (before?.chars ?? 0);
  }

  /** One walk from what was compared longest ago; what was used since is behind it. Sorting that many would delay reviews. */
  #shrink(): void {
    if (this.#chars <= this.#maxChars) return;
    const enough = this.#maxChars * 0.8;
    for (const spared of [true, false]) {
      let left = this.#entries.size;
      for (const [digest, entry] of this.#entries) {
        if (this.#chars <= enough || left === 0) break;
        left -= 1;
        this.#entries.delete(digest);
        if (spared && entry.usedAt > entry.checkedAt) this.#entries.set(digest, entry);
        else this.#chars -= entry.chars;
      }
    }
  }
}

interface FactsText {
  readonly version: number;
  readonly text: string;
}

async function readTexts(
  read: Store['read'],
  digests: readonly string[],
): Promise<ReadonlyMap<string, FactsText>> {
  const found = new Map<string, FactsText>();
  for (const marks of inLists(digests)) {
    const rows = await run(
      read,
      sql<
        Row<'images', 'digest' | 'facts_version' | 'facts'>
      >`select digest, facts_version, facts from images where facts is not null and digest in (${marks})`,
    );
    for (const row of rows)
      if (row.facts !== null) found.set(row.digest, { version: row.facts_version, text: row.facts });
  }
  return found;
}

/** Pieces of so much that one turn of the event loop takes it. */
function inPieces(digests: readonly string[], charsOf: (digest: string) => number): readonly string[][] {
  const pieces: string[][] = [];
  let room = -1;
  for (const digest of digests) {
    const chars = charsOf(digest);
    if (chars > room) {
      pieces.push([]);
      room = TURN_CHARS;
    }
    pieces.at(-1)?.push(digest);
    room -= chars;
  }
  return pieces;
}
