import { detached, parseTime } from '../base/index.ts';
import type { LedgerRow } from './entry.ts';
import { parseRow } from './export-row.ts';

/**
 * RowBatch is some rows, newest first, as columns. `shapes[i]` is a row that agrees with row i in every field that a
 * replay reads but id, time and pod (requesters, uids and a bypass's reason are those of one row alone): a cluster admits the same images over and over, so one object stands for many rows, and
 * who walks them can remember what it made of it. Rows of one shape need not share the object.
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

/** A line of the layout that `exportLines` writes, by the two parts of it that do not set rows apart. */
interface KnownLine {
  /** From `"cluster"` up to the pod's name. */
  readonly head: string;
  /** From `"container"` to the end. */
  readonly rest: string;
  readonly shape: LedgerRow;
}

/** MAX_ROW bounds a row line: a sentence with ten thousand CVEs fits. Images may have longer lines. */
export const MAX_ROW = 262_144;
const START = '{"type":"row","id":';
const TIME = ',"kind":"review","time":';
const REVIEW = ',"review_uid":';
const CLUSTER = ',"cluster":';
const POD = ',"pod":';
const POD_UID = ',"pod_uid":';
const CONTAINER = ',"container":';
/** So far behind `"cluster"` the pod is looked for. */
const MAX_HEAD = 1024;
/** The fields that set rows of one shape apart, with the ones that come before them. */
const VARIABLE = /"(?:type|id|kind|time|review_uid|pod|pod_uid)"\s*:/;
/** What stands before the pod's name: flat, so that the pod is the row's own. */
const FLAT_HEAD = /^"cluster":(?:null|"[^"\\]*"),"namespace":(?:null|"[^"\\]*"),"pod":$/;
/** Beyond this many characters of lines the memory is emptied and begun again. */
const MAX_KNOWN = 32 * 1024 * 1024;

/**
 * RowShapes reads row lines into a batch. A line in the layout of our own writer whose invariable parts were parsed
 * before, byte for byte, needs no JSON parser: what is left is checked by hand, so that a damaged line is found
 * all the same. Any other line is parsed. Twice as fast as JSON.parse of each line alone.
 */
export class RowShapes {
  readonly #lines = new Map<number, KnownLine[]>();
  readonly #shapes = new Map<number, LedgerRow[]>();
  #known = 0;
  /** Where the parts of the line at hand stand; one object for all lines. */
  readonly #place = { id: 0, timeAt: 0, timeEnd: 0, headAt: 0, podAt: 0, podEnd: 0, restAt: 0 };

  /**
   * Takes the line `text[from, to)` when it is one of a known shape; false when it must be parsed. Throws an Error
   * with a sentence for a time that is none.
   */
  takeKnown(text: string, from: number, to: number, into: MutableBatch): boolean {
    if (!this.#locate(text, from, to)) return false;
    const { headAt, podAt, restAt } = this.#place;
    const candidates = this.#lines.get(sketchLine(text, headAt, podAt, restAt, to));
    if (candidates === undefined) return false;
    for (let i = 0; i < candidates.length; i += 1) {
      const { head, rest, shape } = candidates[i] as KnownLine;
      if (rest.length !== to - restAt || head.length !== podAt - headAt) continue;
      if (text.slice(restAt, to) !== rest || text.slice(headAt, podAt) !== head) continue;
      const { id, timeAt, timeEnd, podEnd } = this.#place;
      const pod = text.charCodeAt(podAt) === 34 ? text.slice(podAt + 1, podEnd - 1) : null;
      push(into, id, text.slice(timeAt + 1, timeEnd - 1), pod, shape);
      return true;
    }
    return false;
  }

  /**
   * Finds the parts of a line in the writer's layout; false for any other line. What it steps over is checked as JSON:
   * the fixed parts letter by letter, the texts for escapes and control characters.
   */
  #locate(text: string, from: number, to: number): boolean {
    const place = this.#place;
    if (!isAt(text, START, from)) return false;
    let at = from + START.length;
    const digits = at;
    let id = 0;
    for (let digit = text.charCodeAt(at) - 48; digit >= 0 && digit <= 9; digit = text.charCodeAt(at) - 48) {
      id = id * 10 + digit;
      at += 1;
    }
    if (at === digits || at - digits > 15 || (at - digits > 1 && text.charCodeAt(digits) === 48))
      return false;
    if (!isAt(text, TIME, at)) return false;
    place.id = id;
    place.timeAt = at + TIME.length;
    place.timeEnd = endOfValue(text, place.timeAt, to);
    if (place.timeEnd === -1 || !isAt(text, REVIEW, place.timeEnd)) return false;
    const reviewEnd = endOfValue(text, place.timeEnd + REVIEW.length, to);
    if (reviewEnd === -1 || !isAt(text, CLUSTER, reviewEnd)) return false;
    place.headAt = reviewEnd + 1;
    const podKey = text.slice(place.headAt, Math.min(to, place.headAt + MAX_HEAD)).indexOf(POD);
    if (podKey === -1) return false;
    place.podAt = place.headAt + podKey + POD.length;
    place.podEnd = endOfValue(text, place.podAt, to);
    if (place.podEnd === -1 || !isAt(text, POD_UID, place.podEnd)) return false;
    const uidEnd = endOfValue(text, place.podEnd + POD_UID.length, to);
    if (uidEnd === -1 || !isAt(text, CONTAINER, uidEnd)) return false;
    place.restAt = uidEnd + 1;
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
    const shape = this.#intern(row, to - from);
    push(into, row.id, row.time, row.pod ?? null, shape);
    this.#remember(text.slice(from, to), shape);
  }

  /** One object for all rows that a replay cannot tell apart but by id, time and pod. */
  #intern(row: LedgerRow, size: number): LedgerRow {
    if (this.#known >= MAX_KNOWN) {
      this.#lines.clear();
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

  /**
   * Only a line in the writer's layout is remembered, and only when its invariable parts hold no escape (so that a
   * quote ends a text) and name no variable field a second time, at whatever depth (JSON takes the last).
   */
  #remember(line: string, shape: LedgerRow): void {
    if (!this.#locate(line, 0, line.length)) return;
    const { headAt, podAt, restAt } = this.#place;
    const [head, rest] = [line.slice(headAt, podAt), line.slice(restAt)];
    if (!FLAT_HEAD.test(head) || rest.includes('\\') || VARIABLE.test(rest)) return;
    const key = sketchLine(line, headAt, podAt, restAt, line.length);
    const known: KnownLine = { head: detached(head), rest: detached(rest), shape };
    const candidates = this.#lines.get(key);
    if (candidates === undefined) this.#lines.set(key, [known]);
    else candidates.push(known);
    this.#known += line.length;
  }
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

/** Like startsWith, which V8 compares letter by letter; comparing a slice takes a thirtieth of the time. */
function isAt(text: string, part: string, at: number): boolean {
  return text.slice(at, at + part.length) === part;
}

/**
 * The place behind a JSON text or null; -1 for anything else, for a text with an escape, and for what JSON does not
 * allow in one.
 */
function endOfValue(text: string, from: number, to: number): number {
  if (text.charCodeAt(from) !== 34) return isAt(text, 'null', from) && from + 4 <= to ? from + 4 : -1;
  for (let at = from + 1; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) return at + 1;
    if (code === 92 || code < 32) return -1;
  }
  return -1;
}

/** A number that lines of one shape share and most others do not: the lengths and a few letters of the two parts. */
function sketchLine(text: string, headAt: number, podAt: number, restAt: number, to: number): number {
  let mix = Math.imul(podAt - headAt, 31) + (to - restAt);
  for (let at = podAt - POD.length - 2, i = 0; i < 3; i += 1, at -= 3)
    mix = (Math.imul(mix, 31) + text.charCodeAt(at)) | 0;
  const step = Math.max(1, (to - restAt) >> 4);
  for (let at = restAt; at < to; at += step) mix = (Math.imul(mix, 31) + text.charCodeAt(at)) | 0;
  return mix;
}

/** The same for a parsed row of any layout. */
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
    isSameList(a.signals, b.signals)
  );
}

function isSameList(a: LedgerRow['signals'], b: LedgerRow['signals']): boolean {
  if (a === b) return true;
  if (!a || !b || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}
