/** StatePiece is a part of what one process keeps in step for another: entries of one topic that are new or gone. */
export interface StatePiece {
  readonly topic: string;
  readonly put: readonly (readonly [string, unknown])[];
  readonly gone: readonly string[];
  /** Whether the topic stands as a whole with this piece: what came before it takes effect now. */
  readonly whole: boolean;
}

/** Entries of one piece: taking one in must not hold a review up. */
const PIECE = 200;

/** StateTeller tells another process what it is to keep: of each topic what changed since it was told last, in pieces. */
export class StateTeller {
  readonly #tell: (piece: StatePiece) => void;
  readonly #told = new Map<string, ReadonlyMap<string, unknown>>();

  constructor(tell: (piece: StatePiece) => void) {
    this.#tell = tell;
  }

  /** The other process was told nothing yet. */
  forget(): void {
    this.#told.clear();
  }

  /** Tells what of a topic is not as it was told. An entry has changed when it is another object, or another text. */
  set(topic: string, entries: ReadonlyMap<string, unknown>): void {
    const before = this.#told.get(topic);
    if (before === entries) return;
    const put = [...entries].filter(
      ([key, value]) => before === undefined || !before.has(key) || before.get(key) !== value,
    );
    const gone = before === undefined ? [] : [...before.keys()].filter((key) => !entries.has(key));
    this.#told.set(topic, new Map(entries));
    if (before !== undefined && put.length === 0 && gone.length === 0) return;
    for (let from = 0; from < put.length || from === 0; from += PIECE) {
      const whole = from + PIECE >= put.length && gone.length <= PIECE;
      this.#tell({
        topic,
        put: put.slice(from, from + PIECE),
        gone: from === 0 && gone.length <= PIECE ? gone : [],
        whole,
      });
    }
    if (gone.length <= PIECE) return;
    for (let from = 0; from < gone.length; from += PIECE)
      this.#tell({
        topic,
        put: [],
        gone: gone.slice(from, from + PIECE),
        whole: from + PIECE >= gone.length,
      });
  }
}

/** StateKeeper keeps what it is told, and takes a topic into effect once it is whole. */
export class StateKeeper {
  readonly #changed: (
    topic: string,
    entries: ReadonlyMap<string, unknown>,
    keys: ReadonlySet<string>,
  ) => void;
  readonly #entries = new Map<string, Map<string, unknown>>();
  readonly #staged = new Map<string, StatePiece[]>();
  #fresh = new Set<string>();

  /** `changed` is given a topic as it stands, and the keys that are new, others or gone. */
  constructor(
    changed: (topic: string, entries: ReadonlyMap<string, unknown>, keys: ReadonlySet<string>) => void,
  ) {
    this.#changed = changed;
  }

  /** Another life of the teller begins: it tells everything from the start, and until a topic is whole what stood before holds. */
  begin(): void {
    this.#staged.clear();
    this.#fresh = new Set(this.#entries.keys());
  }

  take(piece: StatePiece): void {
    const { topic } = piece;
    const staged = this.#staged.get(topic) ?? [];
    staged.push(piece);
    this.#staged.set(topic, staged);
    if (!piece.whole) return;
    this.#staged.delete(topic);
    const before = this.#entries.get(topic);
    const isFresh = this.#fresh.delete(topic);
    const entries = before === undefined || isFresh ? new Map<string, unknown>() : before;
    const keys = new Set<string>(isFresh ? before?.keys() : []);
    for (const { put, gone } of staged) {
      for (const key of gone) {
        entries.delete(key);
        keys.add(key);
      }
      for (const [key, value] of put) {
        entries.set(key, value);
        keys.add(key);
      }
    }
    this.#entries.set(topic, entries);
    this.#changed(topic, entries, keys);
  }
}
