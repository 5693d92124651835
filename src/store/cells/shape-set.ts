import { sql, type Selectable } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RowRange } from '../../ledger/index.ts';
import type { Store } from '../sql/store.ts';
import type { Tables } from '../tables/index.ts';
import { run, type Row } from '../sql/run.ts';

/** Rows that one statement looks at, so that a synchronous engine lets the process answer others in between. */
const SLICE = 32_768;
/** Ids of shapes that one statement looks at. */
const SHAPES = 4096;

type ShapeTable = Selectable<Tables['ledger_shapes']>;

/** ShapeSet is the ids of the shapes that some rows have, a bit for each. */
export class ShapeSet {
  #bits = new Uint8Array(1024);
  #last = 0;

  /** Collects the shapes of a range of rows. */
  static async of(store: Store, { first, last }: RowRange): Promise<ShapeSet> {
    const set = new ShapeSet();
    for (let from = first; from <= last; from += SLICE) {
      const found = await run(
        store.read,
        sql<
          Row<'ledger_rows', 'shape'>
        >`select distinct shape from ledger_rows where id between ${from} and ${Math.min(last, from + SLICE - 1)}`,
      );
      for (const { shape } of found) set.#add(shape);
      await nextTurn();
    }
    return set;
  }

  #add(id: number): void {
    const at = id >>> 3;
    if (at >= this.#bits.length) {
      const wider = new Uint8Array(Math.max(at + 1, this.#bits.length * 2));
      wider.set(this.#bits);
      this.#bits = wider;
    }
    this.#bits[at] = (this.#bits[at] as number) | (1 << (id & 7));
    this.#last = Math.max(this.#last, id);
  }

  #has(id: number): boolean {
    return ((this.#bits[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }

  /** Reads columns of the shapes, which include `id`. */
  async *read<Column extends keyof ShapeTable>(
    store: Store,
    columns: readonly Column[],
  ): AsyncGenerator<Pick<ShapeTable, Column | 'id'>, void, undefined> {
    for (let from = 1; from <= this.#last; from += SHAPES) {
      const found = await run(
        store.read,
        sql<
          Pick<ShapeTable, Column | 'id'>
        >`select id, ${sql.join(columns.map((column) => sql.ref(column)))} from ledger_shapes where id between ${from} and ${from + SHAPES - 1}`,
      );
      for (const row of found) if (this.#has(row.id)) yield row;
    }
  }
}
