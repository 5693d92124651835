import { hashLeaf, joinLeaf, toLeafShape, UNREADABLE, type Leaf, type LeafShape } from '../ledger/index.ts';
import { hexOf, runText } from './dialect.ts';
import { inChunks } from './marks.ts';
import type { ShapeFields } from './shape.ts';
import { toShapeRow } from './shapes.ts';
import type { Store } from './store.ts';
import { TimeText } from './time-text.ts';
import { unpackUid } from './uid.ts';

interface LeafColumns {
  readonly id: number;
  readonly at: number;
  readonly shape: number;
  readonly pod: string | null;
  /** Hex of the packed bytes. */
  readonly pod_uid: string | null;
  readonly review_uid: string | null;
  readonly requester: number | null;
}

/** Shapes that are remembered; a few kilobytes each at most, but for long reasons. */
const MAX_SHAPES = 20_000;
const MAX_CHARS = 32 * 1024 * 1024;
const MAX_NAMES = 20_000;
/** Hex digits of a packed UUID. */
const UUID_HEX = 32;

/**
 * LeafReader hashes rows as they stand in the tables. What was changed there so that it can no longer be read as a row (a shape that
 * is gone, signals that are no list) is given the hash UNREADABLE, which is that of no row.
 */
export class LeafReader {
  readonly #read: Store['read'];
  readonly #statement: string;
  readonly #shapes = new Map<number, LeafShape | null>();
  /** Requesters as JSON texts. */
  readonly #names = new Map<number, string>();
  readonly #time = new TimeText();
  #chars = 0;

  constructor(read: Store['read']) {
    this.#read = read;
    this.#statement = `select id, at, shape, pod, ${hexOf(read, 'pod_uid')} as pod_uid,
      ${hexOf(read, 'review_uid')} as review_uid, requester from ledger_rows where id > ? order by id limit ?`;
  }

  /** The hashes of at most `limit` rows with an id above `after`, by id. */
  async leaves(after: number, limit: number): Promise<readonly Leaf[]> {
    const rows = await runText<LeafColumns>(this.#read, this.#statement, [after, limit]);
    const [shapes, names] = [new Set<number>(), new Set<number>()];
    for (const { shape, requester } of rows) {
      if (!this.#shapes.has(shape)) shapes.add(shape);
      if (requester !== null && !this.#names.has(requester)) names.add(requester);
    }
    if (shapes.size > 0) await this.#loadShapes(rows, shapes);
    if (names.size > 0) await this.#loadNames(rows, names);
    return rows.map((row) => ({ id: row.id, hash: this.#hash(row) }));
  }

  #hash({ id, at, shape, pod, pod_uid, review_uid, requester }: LeafColumns): string {
    const known = this.#shapes.get(shape);
    const name = requester === null ? 'null' : this.#names.get(requester);
    if (known === undefined || known === null || name === undefined) return UNREADABLE;
    try {
      const time = `"${this.#time.of(at)}"`;
      const own = pod === null ? 'null' : JSON.stringify(pod);
      return hashLeaf(joinLeaf(known, id, own, uidText(pod_uid), name, uidText(review_uid), time));
    } catch {
      return UNREADABLE; // a time that no calendar has
    }
  }

  async #loadShapes(rows: readonly LeafColumns[], missing: Set<number>): Promise<void> {
    if (this.#shapes.size > MAX_SHAPES || this.#chars > MAX_CHARS) {
      this.#shapes.clear();
      this.#chars = 0;
      for (const { shape } of rows) missing.add(shape);
    }
    for (const { marks, cells } of inChunks([...missing])) {
      const found = await runText<ShapeFields & { id: number }>(
        this.#read,
        `select * from ledger_shapes where id in (${marks})`,
        cells,
      );
      for (const shape of found) {
        this.#shapes.set(shape.id, readShape(shape));
        this.#chars += 500 + shape.reason.length;
      }
    }
    for (const id of missing) if (!this.#shapes.has(id)) this.#shapes.set(id, null);
  }

  async #loadNames(rows: readonly LeafColumns[], missing: Set<number>): Promise<void> {
    if (this.#names.size > MAX_NAMES) {
      this.#names.clear();
      for (const { requester } of rows) if (requester !== null) missing.add(requester);
    }
    for (const { marks, cells } of inChunks([...missing])) {
      const found = await runText<{ id: number; name: string }>(
        this.#read,
        `select id, name from ledger_names where id in (${marks})`,
        cells,
      );
      for (const { id, name } of found) this.#names.set(id, JSON.stringify(name));
    }
  }
}

function readShape(shape: ShapeFields): LeafShape | null {
  try {
    return toLeafShape(toShapeRow(shape));
  } catch {
    return null;
  }
}

/** The JSON text of a uid from the hex of its packed bytes. */
function uidText(hex: string | null): string {
  if (hex === null) return 'null';
  if (hex.length !== UUID_HEX) return JSON.stringify(unpackUid(Buffer.from(hex, 'hex')));
  return `"${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}"`;
}
