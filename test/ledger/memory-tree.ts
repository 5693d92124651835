import {
  leafHash,
  recordedRow,
  type GrowingTree,
  type LedgerRow,
  type SignedCheckpoint,
  type TreeStore,
} from '../../src/ledger/index.ts';
import { entriesFrom } from './grown.ts';

/** MemoryTree is a ledger, its tree and its checkpoints in memory. */
export class MemoryTree implements TreeStore, GrowingTree {
  readonly #rows: LedgerRow[] = [];
  readonly #tiles = new Map<string, Buffer>();
  #size = 0;
  #checkpoints: SignedCheckpoint[] = [];
  #key: string | null = null;

  /** The rows, oldest first. */
  get all(): readonly LedgerRow[] {
    return this.#rows;
  }

  grow(count: number): void {
    for (const { uid, rows } of entriesFrom(this.#rows.length + 1, count))
      for (const row of rows) this.#rows.push({ ...recordedRow(uid, row, null), id: this.#rows.length + 1 });
  }

  /** The database as it is now, to be put back later. */
  copy(): MemoryTree {
    const copy = new MemoryTree();
    copy.#rows.push(...this.#rows);
    for (const [key, hashes] of this.#tiles) copy.#tiles.set(key, hashes);
    copy.#size = this.#size;
    copy.#checkpoints = [...this.#checkpoints];
    copy.#key = this.#key;
    return copy;
  }

  /** Appends rows that depend on a number as well, so that two histories can differ. */
  growAs(count: number, salt: number): void {
    for (let i = 0; i < count; i += 1) {
      const [entry] = entriesFrom(salt * 1000 + this.#rows.length + 1, 1);
      for (const row of entry?.rows ?? [])
        this.#rows.push({ ...recordedRow(entry?.uid ?? null, row, null), id: this.#rows.length + 1 });
    }
  }

  /** Puts other rows in the place of those from `row.id` on. */
  rewrite(rows: readonly LedgerRow[]): void {
    this.#rows.splice((rows[0]?.id ?? 1) - 1, rows.length, ...rows);
  }

  alone<T>(act: (tree: GrowingTree) => Promise<T>): Promise<T> {
    return act(this);
  }
  async size() {
    return this.#size;
  }
  async rows() {
    return this.#rows.length;
  }
  async key() {
    return this.#key;
  }
  async leaves(after: number, limit: number) {
    return this.#rows.slice(after, after + limit).map((row) => ({ id: row.id, hash: leafHash(row) }));
  }
  async tile(level: number, tile: number) {
    return this.#tiles.get(`${level}/${tile}`) ?? null;
  }
  async newestCheckpoint() {
    return this.#checkpoints.at(-1) ?? null;
  }
  async checkpoints(after: number, limit: number) {
    return this.#checkpoints.filter(({ size }) => size > after).slice(0, limit);
  }
  async recentCheckpoints(limit: number, offset: number) {
    const items = this.#checkpoints.toReversed().slice(offset, offset + limit);
    return { items, total: this.#checkpoints.length };
  }
  async putTiles(tiles: readonly { level: number; tile: number; hashes: Buffer }[], size: number) {
    for (const { level, tile, hashes } of tiles) this.#tiles.set(`${level}/${tile}`, hashes);
    this.#size = size;
  }
  async putCheckpoint(checkpoint: SignedCheckpoint, key: string, keep: number) {
    this.#checkpoints = [...this.#checkpoints, checkpoint].slice(-keep);
    this.#key = key;
  }
}
