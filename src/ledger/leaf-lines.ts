import { canonicalJson } from '../base/index.ts';
import type { LedgerRow } from './entry.ts';
import { toLeafShape } from './leaf.ts';
import { hashLeaf, type Hash } from './merkle.ts';
import { KnownLines, RowLine } from './row-line.ts';
import { MAX_ROW } from './row-shapes.ts';

/** The text of a leaf but for what is a row's own, in the order of the keys. */
interface LeafParts {
  readonly toId: string;
  readonly toPod: string;
  readonly toPodUid: string;
  readonly toReviewUid: string;
  readonly toTime: string;
}

/**
 * LeafLines hashes the row lines of an export as an auditor would: parse the line, drop `type`, canonicalise (RFC 8785). A line in our
 * writer's layout that differs from one before only in its own fields is put together from that one's parts, which takes a third of the
 * time; the texts are the same.
 */
export class LeafLines {
  /** Number of the row of the line that was hashed last. */
  id = 0;
  readonly #line = new RowLine();
  readonly #known = new KnownLines<LeafParts>();

  /** Hashes the line `text[from, to)` when it is like one before; null when it must be parsed. */
  hashKnown(text: string, from: number, to: number): Hash | null {
    const line = this.#line;
    if (to - from > MAX_ROW || !line.locate(text, from, to) || line.id === 0) return null;
    const parts = this.#known.find(text, line, to);
    if (parts === undefined) return null;
    this.id = line.id;
    return hashLeaf(leafOf(parts, text, line));
  }

  /** Hashes a row by the parsed value of its line `text`, which is remembered. Throws an Error that says what is wrong. */
  hashParsed(value: Readonly<Record<string, unknown>>, text: string): Hash {
    const { type: _, ...row } = value;
    if (text.length > MAX_ROW) throw new Error(`the row is longer than ${MAX_ROW / 1024} KiB`);
    if (!Number.isSafeInteger(row.id) || (row.id as number) < 1)
      throw new Error('id is not a whole number from 1 up');
    this.id = row.id as number;
    const leaf = canonicalJson(row);
    const line = this.#line;
    const { signals } = row;
    if ((signals === null || Array.isArray(signals)) && line.locate(text, 0, text.length)) {
      const { toId, toPod, toPodUid, toRequester, toReviewUid, toTime } = toLeafShape(
        row as unknown as LedgerRow,
      );
      const requester = row.requester === null ? 'null' : JSON.stringify(row.requester);
      const parts = {
        toId,
        toPod,
        toPodUid,
        toReviewUid: `${toRequester}${requester}${toReviewUid}`,
        toTime,
      };
      // A row of another release has other fields, and what is put together is not its leaf.
      if (leafOf(parts, text, line) === leaf) this.#known.keep(text, line, parts);
    }
    return hashLeaf(leaf);
  }
}

function leafOf(parts: LeafParts, text: string, line: RowLine): string {
  return (
    parts.toId +
    text.slice(line.idAt, line.idEnd) +
    parts.toPod +
    text.slice(line.podAt, line.podEnd) +
    parts.toPodUid +
    text.slice(line.podUidAt, line.podUidEnd) +
    parts.toReviewUid +
    text.slice(line.reviewAt, line.reviewEnd) +
    parts.toTime +
    text.slice(line.timeAt, line.timeEnd) +
    '}'
  );
}
