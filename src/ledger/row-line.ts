import { detached } from '../base/index.ts';

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
 * RowLine finds the parts of a row line in the layout of our own writer without parsing it. What it steps over is checked as JSON:
 * the fixed parts letter by letter, the texts for escapes and control characters. One object serves all lines.
 */
export class RowLine {
  id = 0;
  /** Values as they are written, quotes included: from the first character to the one behind the last. */
  idAt = 0;
  idEnd = 0;
  timeAt = 0;
  timeEnd = 0;
  reviewAt = 0;
  reviewEnd = 0;
  podAt = 0;
  podEnd = 0;
  podUidAt = 0;
  podUidEnd = 0;
  /** From `"cluster"` up to the pod, and from `"container"` on, stands what rows of one shape share. */
  headAt = 0;
  restAt = 0;

  /** Finds the parts of the line `text[from, to)`; false for a line of any other layout. */
  locate(text: string, from: number, to: number): boolean {
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
    this.id = id;
    this.idAt = digits;
    this.idEnd = at;
    this.timeAt = at + TIME.length;
    this.timeEnd = endOfValue(text, this.timeAt, to);
    if (this.timeEnd === -1 || !isAt(text, REVIEW, this.timeEnd)) return false;
    this.reviewAt = this.timeEnd + REVIEW.length;
    this.reviewEnd = endOfValue(text, this.reviewAt, to);
    if (this.reviewEnd === -1 || !isAt(text, CLUSTER, this.reviewEnd)) return false;
    this.headAt = this.reviewEnd + 1;
    const podKey = text.slice(this.headAt, Math.min(to, this.headAt + MAX_HEAD)).indexOf(POD);
    if (podKey === -1) return false;
    this.podAt = this.headAt + podKey + POD.length;
    this.podEnd = endOfValue(text, this.podAt, to);
    if (this.podEnd === -1 || !isAt(text, POD_UID, this.podEnd)) return false;
    this.podUidAt = this.podEnd + POD_UID.length;
    this.podUidEnd = endOfValue(text, this.podUidAt, to);
    if (this.podUidEnd === -1 || !isAt(text, CONTAINER, this.podUidEnd)) return false;
    this.restAt = this.podUidEnd + 1;
    return true;
  }
}

interface KnownLine<T> {
  /** From `"cluster"` up to the pod's name. */
  readonly head: string;
  /** From `"container"` to the end. */
  readonly rest: string;
  readonly value: T;
}

/** KnownLines keeps what was made of a line, for the lines that share its invariable parts byte for byte. Memory is bounded. */
export class KnownLines<T> {
  readonly #lines = new Map<number, KnownLine<T>[]>();
  #chars = 0;

  /** What was kept for lines like this one, which `line` has located up to `to`. */
  find(text: string, line: RowLine, to: number): T | undefined {
    const { headAt, podAt, restAt } = line;
    const candidates = this.#lines.get(sketch(text, headAt, podAt, restAt, to));
    if (candidates === undefined) return undefined;
    for (let i = 0; i < candidates.length; i += 1) {
      const { head, rest, value } = candidates[i] as KnownLine<T>;
      if (rest.length !== to - restAt || head.length !== podAt - headAt) continue;
      if (text.slice(restAt, to) === rest && text.slice(headAt, podAt) === head) return value;
    }
    return undefined;
  }

  /**
   * Keeps a value for lines like this one, which `line` has located. A line is passed over whose invariable parts hold an escape
   * (a quote would not end a text) or name a variable field a second time, at whatever depth (JSON takes the last).
   */
  keep(text: string, line: RowLine, value: T): void {
    const { headAt, podAt, restAt } = line;
    const [head, rest] = [text.slice(headAt, podAt), text.slice(restAt)];
    if (!FLAT_HEAD.test(head) || rest.includes('\\') || VARIABLE.test(rest)) return;
    if (this.#chars >= MAX_KNOWN) {
      this.#lines.clear();
      this.#chars = 0;
    }
    const key = sketch(text, headAt, podAt, restAt, text.length);
    const known = { head: detached(head), rest: detached(rest), value };
    const candidates = this.#lines.get(key);
    if (candidates === undefined) this.#lines.set(key, [known]);
    else candidates.push(known);
    this.#chars += text.length;
  }
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
function sketch(text: string, headAt: number, podAt: number, restAt: number, to: number): number {
  let mix = Math.imul(podAt - headAt, 31) + (to - restAt);
  for (let at = podAt - POD.length - 2, i = 0; i < 3; i += 1, at -= 3)
    mix = (Math.imul(mix, 31) + text.charCodeAt(at)) | 0;
  const step = Math.max(1, (to - restAt) >> 4);
  for (let at = restAt; at < to; at += step) mix = (Math.imul(mix, 31) + text.charCodeAt(at)) | 0;
  return mix;
}
