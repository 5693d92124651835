import { parseTime } from '../base/index.ts';
import type { LedgerRow } from './entry.ts';
import { parseRow } from './export-row.ts';
import { KnownLines, RowLine } from './row-line.ts';

/**
 * RowBatch is some rows, newest first, as columns. `shapes[i]` is a row that agrees with row i in every field that a replay reads but id,
 * time and pod (requesters, uids and a bypass's reason belong to only one row): a cluster admits the same images over and over, so one
 * object stands for many rows, and who walks them can remember what it made of it. Rows of one shape need not share the object.
 */
export interface RowBatch {
  readonly ids: readonly number[];
  /** RFC 3339, and the same in milliseconds. */
  readonly times: readonly string[];
  readonly at: readonly number[];
  readonly pods: readonly (string | null)[];
  readonly shapes: readonly LedgerRow[];
}

/** MutableBatch is a batch that is being filled. */
export interface MutableBatch {
  readonly ids: number[];
  readonly times: string[];
  readonly at: number[];
  readonly pods: (string | null)[];
  readonly shapes: LedgerRow[];
}

/** emptyBatch begins a batch. */
export function emptyBatch(): MutableBatch {
  return { ids: [], times: [], at: [], pods: [], shapes: [] };
}

/** cutBatch leaves the first rows of a batch. */
export function cutBatch(batch: MutableBatch, rows: number): void {
  for (const column of Object.values(batch) as unknown[][]) column.length = Math.min(column.length, rows);
}

/** MAX_ROW bounds a row line: a sentence with ten thousand CVEs fits. Images may have longer lines. */
export const MAX_ROW = 262_144;
/** Beyond this many characters of rows the memory is emptied and begun again. */
const MAX_KNOWN = 32 * 1024 * 1024;

/**
 * RowShapes reads row lines into a batch. A line in the layout of our own writer whose invariable parts were parsed before, byte for byte,
 * needs no JSON parser: what is left is checked by hand, so that a damaged line is found all the same. Any other line is parsed. Twice as
 * fast as JSON.parse of each single line.
 */
export class RowShapes {
  readonly #lines = new KnownLines<LedgerRow>();
  readonly #whole: boolean;
  readonly #shapes = new Map<number, LedgerRow[]>();
  #known = 0;
  readonly #line = new RowLine();

  /** `whole`: each row is an object of its own with every field of its line. */
  constructor(whole: boolean) {
    this.#whole = whole;
  }

  /**
   * Takes the line `text[from, to)` when it is one of a known shape; false when it must be parsed. Throws an Error
   * with a sentence for a time that is none.
   */
  takeKnown(text: string, from: number, to: number, into: MutableBatch): boolean {
    const line = this.#line;
    if (!line.locate(text, from, to)) return false;
    const shape = this.#lines.find(text, line, to);
    if (shape === undefined) return false;
    const time = text.slice(line.timeAt + 1, line.timeEnd - 1);
    const pod = textAt(text, line.podAt, line.podEnd);
    if (this.#whole) push(into, line.id, time, pod, ownRow(shape, text, line, time, pod));
    else push(into, line.id, time, pod, shape);
    return true;
  }

  /** Takes a row line's parsed value; `text[from, to)` is the line, remembered for the next of its shape. */
  takeParsed(
    value: Readonly<Record<string, unknown>>,
    text: string,
    from: number,
    to: number,
    into: MutableBatch,
  ): void {
    const row = parseRow(value);
    if (to - from > MAX_ROW) throw new Error(`the row is longer than ${MAX_ROW / 1024} KiB`);
    const shape = this.#whole ? row : this.#intern(row, to - from);
    push(into, row.id, row.time, row.pod ?? null, shape);
    const whole = text.slice(from, to);
    if (this.#line.locate(whole, 0, whole.length)) this.#lines.keep(whole, this.#line, shape);
  }

  /** One object for all rows that a replay cannot tell apart but by id, time and pod. */
  #intern(row: LedgerRow, size: number): LedgerRow {
    if (this.#known >= MAX_KNOWN) {
      this.#shapes.clear();
      this.#known = 0;
    }
    const key = sketchRow(row);
    const candidates = this.#shapes.get(key);
    const known = candidates?.find((candidate) => isSame(candidate, row));
    if (known !== undefined) return known;
    if (candidates === undefined) this.#shapes.set(key, [row]);
    else candidates.push(row);
    this.#known += size;
    return row;
  }
}

/** A row like another of its shape, with what is its own from its line. */
function ownRow(shape: LedgerRow, text: string, line: RowLine, time: string, pod: string | null): LedgerRow {
  return {
    ...shape,
    id: line.id,
    time,
    review_uid: textAt(text, line.reviewAt, line.reviewEnd),
    pod,
    pod_uid: textAt(text, line.podUidAt, line.podUidEnd),
  };
}

/** The text or null that stands in a line; what `RowLine` finds has no escapes. */
function textAt(text: string, from: number, to: number): string | null {
  return text.charCodeAt(from) === 34 ? text.slice(from + 1, to - 1) : null;
}

function push(into: MutableBatch, id: number, time: string, pod: string | null, shape: LedgerRow): void {
  const at = parseTime(time);
  if (at !== at) throw new Error('time is not an RFC 3339 time');
  into.ids.push(id);
  into.times.push(time);
  into.at.push(at);
  into.pods.push(pod);
  into.shapes.push(shape);
}

/** A number that rows of one shape share and most others do not, for a parsed row of any layout. */
function sketchRow(row: LedgerRow): number {
  let mix = row.allowed ? 1 : 2;
  for (const text of [
    row.namespace,
    row.image,
    row.digest,
    row.reason,
    row.container,
    row.policy_revision,
    row.inputs,
  ]) {
    mix = Math.imul(mix, 31) | 0;
    if (!text) continue;
    const { length } = text;
    mix =
      (mix +
        length +
        text.charCodeAt(length - 1) +
        (text.charCodeAt(length >> 1) << 8) +
        (text.charCodeAt(0) << 16)) |
      0;
  }
  for (const signal of row.signals ?? []) mix = (Math.imul(mix, 31) + signal.length) | 0;
  return mix;
}

function isSame(a: LedgerRow, b: LedgerRow): boolean {
  return (
    a.allowed === b.allowed &&
    a.digest === b.digest &&
    a.image === b.image &&
    a.namespace === b.namespace &&
    a.container === b.container &&
    a.policy_revision === b.policy_revision &&
    a.reason === b.reason &&
    a.label === b.label &&
    a.policy === b.policy &&
    a.exposed_by === b.exposed_by &&
    a.break_glass === b.break_glass &&
    a.pod_level === b.pod_level &&
    a.kind === b.kind &&
    a.cluster === b.cluster &&
    a.inputs === b.inputs &&
    a.platform === b.platform &&
    a.clock_suspect === b.clock_suspect &&
    isSameList(a.signals, b.signals)
  );
}

function isSameList(a: LedgerRow['signals'], b: LedgerRow['signals']): boolean {
  if (a === b) return true;
  if (!a || !b || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}
