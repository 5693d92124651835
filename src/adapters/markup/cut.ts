import type { Block } from '../../trackers/index.ts';

/** SOME_MARKER is as long as any marker, to measure a text that has none yet. */
export const SOME_MARKER = `ipo-1-${'a'.repeat(26)}`;

/** How many lines a block has: what a cut leaves out is counted in them. */
function linesOf(block: Block): number {
  if (block.kind === 'list') return block.items.length;
  if (block.kind === 'table') return block.rows.length;
  if (block.kind === 'rest') return 0;
  return block.kind === 'code' ? block.text.split('\n').length : 1;
}

/** Entries are what a reader counts: rows of tables and items of lists. */
function entriesOf(blocks: readonly Block[]): number {
  return blocks.reduce(
    (sum, block) => sum + (block.kind === 'list' || block.kind === 'table' ? linesOf(block) : 0),
    0,
  );
}

/** The first lines of a block; null for none. */
function firstOf(block: Block, lines: number): Block | null {
  if (lines <= 0 || block.kind === 'rest') return null;
  if (block.kind === 'list') return { ...block, items: block.items.slice(0, lines) };
  if (block.kind === 'table') return { ...block, rows: block.rows.slice(0, lines) };
  if (block.kind === 'code') return { ...block, text: block.text.split('\n').slice(0, lines).join('\n') };
  return block;
}

const SPACE = { kind: 'text', text: ' ' } as const;

function head(blocks: readonly Block[], lines: number, all: number, taker: string): Block[] {
  let left = lines;
  const kept = blocks.flatMap((block) => {
    const first = firstOf(block, left);
    left -= linesOf(block);
    return first === null ? [] : [first];
  });
  const entries = entriesOf(blocks);
  const missing = entries - entriesOf(kept);
  const among = missing === 0 ? '' : `, among them ${missing} of ${entries} entries of tables and lists`;
  const text = `Cut at the length that ${taker} takes: ${all - lines} of ${all} lines are left out${among}.`;
  const rest = blocks.flatMap((block) => (block.kind === 'rest' ? [SPACE, ...block.content] : []));
  return [...kept, { kind: 'paragraph', content: [{ kind: 'text', text }, ...rest] }];
}

/** Lines that are rendered at once to see whether all fit; a longer text is approached from below. */
const AT_ONCE = 500;

/**
 * cutTo renders as many lines of a text as its `taker` takes (of a long one about as many), with a note that counts those left out.
 * `sizeOf` tells the size of what was rendered, of which there may be `max`.
 */
export function cutTo<T>(
  blocks: readonly Block[],
  render: (blocks: readonly Block[]) => T,
  sizeOf: (rendered: T) => number,
  max: number,
  taker = 'the tracker',
): T {
  const all = blocks.reduce((sum, block) => sum + linesOf(block), 0);
  const renderFirst = (lines: number): T => render(lines >= all ? blocks : head(blocks, lines, all, taker));
  let [low, lowSize, best] = [0, 0, renderFirst(0)];
  let high = all + 1; // this many lines are known not to fit
  let tried = Math.min(all, AT_ONCE);
  for (let step = 1; low < tried && tried < high; step += 1) {
    const rendered = renderFirst(tried);
    const size = sizeOf(rendered);
    if (size <= max) [low, lowSize, best] = [tried, size, rendered];
    else high = tried;
    if (low === all || high - low <= Math.max(1, low / 100)) break;
    // Lines are about as long as those before them; every third step halves, for texts where they are not.
    const each = size <= max ? lowSize / low : (size - lowSize) / (tried - low);
    const middle = high > all ? low * 2 : Math.floor((low + high) / 2);
    const guess = step % 3 === 0 ? middle : low + Math.floor(((max - lowSize) / each) * 0.995);
    tried = Math.min(Math.max(guess, low + 1), high - 1, all);
  }
  if (low === all || low < all - all / 20 - 5) return best;
  // All of it is shorter than all but a little with the note on what is left out.
  const whole = renderFirst(all);
  return sizeOf(whole) <= max ? whole : best;
}

/** cutLine cuts one line to a number of characters, with an ellipsis and without half a pair at its end. */
export function cutLine(line: string, max: number): string {
  if (line.length <= max) return line;
  return `${line
    .slice(0, max - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}
