import { createHash } from 'node:crypto';
import { IpoError } from '../base/index.ts';
import { readExport } from '../ledger/index.ts';
import { ROWS_FILE } from './package/rows.ts';
import { readCsv } from './csv.ts';
import { isAsked } from './request.ts';
import { requestOf, type Package } from './package/open.ts';
import { POPULATIONS, type Columns, type PopulationName } from './records.ts';
import { parseTime } from '../base/index.ts';

/** SAMPLED are the populations that can be sampled. */
export const SAMPLED = ['admissions', ...(Object.keys(POPULATIONS) as PopulationName[])] as const;
export type Sampled = (typeof SAMPLED)[number];

/** Sample is a draw from a population. */
export interface Sample {
  readonly population: Sampled;
  readonly seed: string;
  readonly size: number;
  /** Records in the population. */
  readonly total: number;
  /** Gaps in the numbers of the rows; null for populations without numbers. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[] | null;
  readonly items: readonly { readonly place: number; readonly record: Readonly<Record<string, unknown>> }[];
}

/**
 * drawSample draws records from a population of a package: those whose place in the population gives the smallest SHA-256 of
 * `<seed>:<population>:<place>`, so that everybody draws the same, with any program. Admissions have their row number as place.
 */
export async function drawSample(
  pkg: Package,
  population: Sampled,
  size: number,
  seed: string,
): Promise<Sample> {
  const draw = new Draw(size, `${seed}:${population}:`);
  let gaps: { from: number; to: number }[] | null = null;
  if (population === 'admissions') {
    gaps = [];
    const request = requestOf(pkg.document);
    const ledger = await readExport(pkg.rows(), ROWS_FILE, { whole: true });
    let last: number | null = null;
    for await (const batch of ledger.rows())
      for (const row of batch.shapes) {
        if (last !== null && row.id !== last - 1) gaps.push({ from: row.id + 1, to: last - 1 });
        last = row.id;
        if ((row.kind ?? 'review') === 'review' && isAsked(row, parseTime(row.time), request))
          draw.take(row.id, row as unknown as Readonly<Record<string, unknown>>);
      }
  } else {
    const { file, columns } = POPULATIONS[population];
    const entry = pkg.entries.get(file);
    if (entry === undefined) throw notHeld(pkg, population);
    let place = 0;
    for await (const batch of readCsv(columns as Columns, file, entry.content()))
      for (const record of batch) draw.take((place += 1), record);
  }
  return { population, seed, size, total: draw.total, gaps, items: draw.items() };
}

/** An empty population has a file all the same: without one, nobody knows what there was. */
function notHeld(pkg: Package, population: PopulationName): IpoError {
  const held = SAMPLED.filter((name) => name === 'admissions' || pkg.entries.has(POPULATIONS[name].file));
  return new IpoError('not_found', `${pkg.name}: the source of the package has no records of ${population}`, {
    hint: `Populations of this package are ${held.join(', ')}`,
  });
}

/** Draw keeps the records with the smallest digests. */
class Draw {
  readonly #size: number;
  readonly #prefix: string;
  #kept: { key: string; place: number; record: Readonly<Record<string, unknown>> }[] = [];
  #worst = '\u{10ffff}';
  total = 0;

  constructor(size: number, prefix: string) {
    this.#size = size;
    this.#prefix = prefix;
  }

  take(place: number, record: Readonly<Record<string, unknown>>): void {
    this.total += 1;
    const key = createHash('sha256').update(`${this.#prefix}${place}`).digest('hex');
    if (this.#kept.length >= this.#size && key > this.#worst) return;
    this.#kept.push({ key, place, record });
    if (this.#kept.length < this.#size * 2) return;
    this.#cut();
  }

  items(): Sample['items'] {
    this.#cut();
    return this.#kept.map(({ place, record }) => ({ place, record })).toSorted((a, b) => a.place - b.place);
  }

  #cut(): void {
    this.#kept = this.#kept.toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(0, this.#size);
    if (this.#kept.length === this.#size) this.#worst = this.#kept.at(-1)?.key ?? '';
  }
}
