import type { NewRow } from '../../ledger/index.ts';
import type { ShapeRow } from './shapes.ts';

/** ShapeIndex finds a value by the shape of a row, without making a text of it: this runs for every row that is written. */
export class ShapeIndex<T> {
  readonly #bySketch = new Map<number, { readonly row: ShapeRow; readonly value: T }[]>();
  #size = 0;

  /** How many shapes there are. */
  get size(): number {
    return this.#size;
  }

  /** The value of the shape that the row has; `row` must be storable, except for the fields that only the row has. */
  find(row: Shaped): T | undefined {
    const candidates = this.#bySketch.get(sketch(row));
    if (candidates === undefined) return undefined;
    for (let i = 0; i < candidates.length; i += 1) {
      const candidate = candidates[i] as { readonly row: ShapeRow; readonly value: T };
      if (isSame(candidate.row, row)) return candidate.value;
    }
    return undefined;
  }

  /** Adds a shape that was not found. */
  add(row: ShapeRow, value: T): void {
    const key = sketch(row);
    const candidates = this.#bySketch.get(key);
    if (candidates === undefined) this.#bySketch.set(key, [{ row, value }]);
    else candidates.push({ row, value });
    this.#size += 1;
  }

  clear(): void {
    this.#bySketch.clear();
    this.#size = 0;
  }
}

/** Shaped is a row with the fields that make its shape. */
type Shaped = Omit<NewRow, 'at'>;

/** A number that rows of one shape share and most others do not. */
function sketch(row: Shaped): number {
  let mix = row.allowed ? 1 : 2;
  mix = letters(mix, row.namespace);
  mix = letters(mix, row.image);
  mix = letters(mix, row.digest);
  mix = letters(mix, row.reason);
  mix = letters(mix, row.container);
  mix = letters(mix, row.policy_revision);
  mix = letters(mix, row.inputs);
  return (Math.imul(mix, 31) + (row.signals?.length ?? 7)) | 0;
}

function letters(mix: number, text: string | null | undefined): number {
  if (text === null || text === undefined || text === '') return Math.imul(mix, 31) | 0;
  const last = text.length - 1;
  return (
    (Math.imul(mix, 31) +
      last +
      (text.charCodeAt(last) << 8) +
      (text.charCodeAt(last - 1) << 12) +
      (text.charCodeAt(last >> 1) << 16)) |
    0
  );
}

function isSame(a: ShapeRow, b: Shaped): boolean {
  return isSameImage(a, b) && isSameVerdict(a, b) && isSamePod(a, b) && isSameRecord(a, b);
}

/** Which image, and what it was judged by. */
function isSameImage(a: ShapeRow, b: Shaped): boolean {
  return (
    a.digest === (b.digest ?? null) &&
    a.image === (b.image ?? null) &&
    a.container === (b.container ?? null) &&
    a.inputs === (b.inputs ?? null) &&
    (a.platform ?? null) === (b.platform || null)
  );
}

/** What was decided, by which policy. */
function isSameVerdict(a: ShapeRow, b: Shaped): boolean {
  return (
    a.allowed === b.allowed &&
    a.reason === b.reason &&
    a.policy_revision === (b.policy_revision ?? '') &&
    a.policy === (b.policy ?? null) &&
    a.label === (b.label ?? null) &&
    a.review_allowed === (b.review_allowed ?? b.allowed) &&
    a.break_glass === (b.break_glass ?? false) &&
    a.break_glass_reason === (b.break_glass_reason ?? null)
  );
}

/** Where the pod is, and what it shows of itself. */
function isSamePod(a: ShapeRow, b: Shaped): boolean {
  return (
    a.namespace === (b.namespace ?? null) &&
    a.cluster === (b.cluster ?? null) &&
    a.exposed_by === (b.exposed_by ?? null) &&
    isSameList(a.signals ?? null, b.signals ?? null)
  );
}

/** What kind of row it is. */
function isSameRecord(a: ShapeRow, b: Shaped): boolean {
  return (
    (a.clock_suspect === true) === (b.clock_suspect === true) &&
    a.kind === (b.kind ?? 'review') &&
    a.subresource === (b.subresource ?? null) &&
    a.pod_level === (b.pod_level ?? false)
  );
}

function isSameList(a: readonly string[] | null, b: readonly string[] | null): boolean {
  if (a === b) return true;
  if (a === null || b === null || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}
