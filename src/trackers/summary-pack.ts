import { textOf, type Entry } from './summary-list.ts';
import type { Block } from '../text/index.ts';
import type { TextRoom } from './text-room.ts';

/** Part is what one text holds of a list: entries from one to before another, and which findings of all these are, from 1. */
export interface Part {
  readonly text: string;
  readonly end: number;
  readonly first: number;
  readonly last: number;
}

/** Frame puts a part of a list into its text; what it says of the number of parts must be as long whatever that is. */
export type Frame = (part: Part) => readonly Block[];

/** A line end in JSON; elsewhere it takes less. */
const LINE_END = 2;

/** packFrom fills one text with as many entries as it holds, from one on; with one at least. */
export function packFrom(all: readonly Entry[], from: number, room: TextRoom, frame: Frame): Part {
  const first = 1 + countOf(all, 0, from);
  const partTo = (end: number): Part => ({
    text: textOf(all, from, end),
    end,
    first,
    last: first - 1 + countOf(all, from, end),
  });
  const costOf = costs(room);
  let used = room.sizeOf(frame({ text: 'x', end: from, first, last: all.length }));
  let end = from;
  for (; end < all.length; end += 1) {
    const entry = all[end];
    if (entry === undefined) break;
    const isNew = end === from || all[end - 1]?.image !== entry.image;
    used += costOf(entry.text) + (isNew ? costOf(`${entry.image} (continued)`) : 0);
    if (used > room.max && end > from) break;
  }
  // What lines cost together can be more than what they cost one by one: a fence gets longer.
  while (end > from + 1 && room.sizeOf(frame(partTo(end))) > room.max) end -= Math.ceil((end - from) / 50);
  return partTo(end);
}

/** packRest fills as many texts as the entries from one on need. */
export function packRest(all: readonly Entry[], from: number, room: TextRoom, frame: Frame): readonly Part[] {
  const parts: Part[] = [];
  for (let at = from; at < all.length;) {
    const part = packFrom(all, at, room, frame);
    parts.push(part);
    at = part.end;
  }
  return parts;
}

function costs(room: TextRoom): (line: string) => number {
  const code = (text: string): readonly Block[] => [{ kind: 'code', text }];
  const empty = room.sizeOf(code('x')) - 1;
  return (line) => room.sizeOf(code(line)) - empty + LINE_END;
}

function countOf(all: readonly Entry[], from: number, to: number): number {
  return all.slice(from, to).reduce((sum, { findings }) => sum + findings, 0);
}
