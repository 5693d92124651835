import { sql } from 'kysely';
import {
  LeafBytes,
  toLeafShape,
  toLeafShapeBytes,
  UNREADABLE,
  type Leaf,
  type LeafShapeBytes,
} from '../../ledger/index.ts';
import { anyHexOf } from '../sql/dialect.ts';
import { inLists } from '../sql/marks.ts';
import type { ShapeFields } from '../cells/shape.ts';
import { toShapeRow } from '../cells/shapes.ts';
import type { Store } from '../sql/store.ts';
import { TimeText } from '../sql/time-text.ts';
import { unpackUid } from '../cells/uid.ts';
import { readCells, run, type Row } from '../sql/run.ts';

/** The columns of a row in the order of the statement; uids as the hex of their packed bytes. */
type LeafCells = readonly [
  id: number,
  at: number,
  shape: number,
  pod: string | null,
  pod_uid: string | null,
  review_uid: string | null,
  requester: number | null,
];

/** Shapes that are remembered; a few kilobytes each at most, but for long reasons. */
const MAX_SHAPES = 20_000;
const MAX_CHARS = 32 * 1024 * 1024;
const MAX_NAMES = 20_000;
/** Hex digits of a packed UUID. */
const UUID_HEX = 32;

/**
 * LeafReader hashes rows as they stand in the tables. What was changed there so that it can no longer be read as a row (a shape that is
 * gone, signals that are not a list) is given the hash UNREADABLE, which is that of no row.
 */
export class LeafReader {
  readonly #read: Store['read'];
  readonly #shapes = new Map<number, LeafShapeBytes | null>();
  /** Requesters as JSON texts. */
  readonly #names = new Map<number, Uint8Array>();
  readonly #leaf = new LeafBytes();
  readonly #time = new TimeText();
  #chars = 0;

  constructor(read: Store['read']) {
    this.#read = read;
  }

  /** The hashes of at most `limit` rows with an id above `after`, by id. */
  async leaves(after: number, limit: number): Promise<readonly Leaf[]> {
    const read = this.#read;
    const rows = (await readCells(
      read,
      sql`select id, at, shape, pod, ${anyHexOf(read, 'pod_uid')} as pod_uid,
        ${anyHexOf(read, 'review_uid')} as review_uid, requester from ledger_rows where id > ${after} order by id limit ${limit}`,
    )) as readonly LeafCells[];
    const [shapes, names] = [new Set<number>(), new Set<number>()];
    for (const cells of rows) {
      if (!this.#shapes.has(cells[2])) shapes.add(cells[2]);
      const requester = cells[6];
      if (requester !== null && !this.#names.has(requester)) names.add(requester);
    }
    if (shapes.size > 0) await this.#loadShapes(rows, shapes);
    if (names.size > 0) await this.#loadNames(rows, names);
    return rows.map((row) => ({ id: row[0], hash: this.#hash(row) }));
  }

  #hash([id, at, shape, pod, podUid, reviewUid, requester]: LeafCells): string {
    const known = this.#shapes.get(shape);
    const name = requester === null ? NULL : this.#names.get(requester);
    if (known === undefined || known === null || name === undefined) return UNREADABLE;
    const leaf = this.#leaf;
    try {
      leaf.part(known.toId);
      leaf.number(id);
      leaf.part(known.toPod);
      if (pod === null) leaf.part(NULL);
      else leaf.text(pod);
      leaf.part(known.toPodUid);
      putUid(leaf, podUid);
      leaf.part(known.toRequester);
      leaf.part(name);
      leaf.part(known.toReviewUid);
      putUid(leaf, reviewUid);
      leaf.part(known.toTime);
      leaf.text(this.#time.of(at));
      leaf.part(END);
      return leaf.hash();
    } catch {
      leaf.clear();
      return UNREADABLE; // a time that no calendar has
    }
  }

  async #loadShapes(rows: readonly LeafCells[], missing: Set<number>): Promise<void> {
    if (this.#shapes.size > MAX_SHAPES || this.#chars > MAX_CHARS) {
      this.#shapes.clear();
      this.#chars = 0;
      for (const row of rows) missing.add(row[2]);
    }
    for (const marks of inLists([...missing])) {
      const found = await run(
        this.#read,
        sql<ShapeFields & Row<'ledger_shapes', 'id'>>`select * from ledger_shapes where id in (${marks})`,
      );
      for (const shape of found) {
        this.#shapes.set(shape.id, readShape(shape));
        this.#chars += 500 + shape.reason.length;
      }
    }
    for (const id of missing) if (!this.#shapes.has(id)) this.#shapes.set(id, null);
  }

  async #loadNames(rows: readonly LeafCells[], missing: Set<number>): Promise<void> {
    if (this.#names.size > MAX_NAMES) {
      this.#names.clear();
      for (const [, , , , , , requester] of rows) if (requester !== null) missing.add(requester);
    }
    for (const marks of inLists([...missing])) {
      const found = await run(
        this.#read,
        sql<Row<'ledger_names', 'id' | 'name'>>`select id, name from ledger_names where id in (${marks})`,
      );
      for (const { id, name } of found) this.#names.set(id, Buffer.from(JSON.stringify(name)));
    }
  }
}

function readShape(shape: ShapeFields): LeafShapeBytes | null {
  try {
    return toLeafShapeBytes(toLeafShape(toShapeRow(shape)));
  } catch {
    return null;
  }
}

const NULL = Buffer.from('null');
const END = Buffer.from('}');

/** Adds the JSON text of a uid from the hex of its packed bytes. */
function putUid(leaf: LeafBytes, hex: string | null): void {
  if (hex === null) leaf.part(NULL);
  else if (hex.length === UUID_HEX) leaf.uuid(hex);
  else leaf.text(unpackUid(Buffer.from(hex, 'hex')));
}
