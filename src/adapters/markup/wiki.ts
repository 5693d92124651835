import type { Block, Inline } from '../../trackers/index.ts';
import { cutTo, SOME_MARKER } from './cut.ts';
import { BREAK, separated, spaced, toHref, toLine, toLines } from './inert.ts';

/**
 * toWiki renders a text in the wiki markup that Jira Data Center reads on its second API, cut to `max` characters. Its "plain text" is
 * parsed, so all but the syntax written here is escaped or parted. With a marker, the last line is what markerInWiki finds.
 */
export function toWiki(blocks: readonly Block[], marker: string | null, max: number): string {
  return cutTo(
    blocks,
    (kept) => whole(kept, marker),
    (text) => text.length,
    max,
  );
}

/** wikiSize is the size of a whole text with a marker, in characters. */
export function wikiSize(blocks: readonly Block[]): number {
  return whole(blocks, SOME_MARKER).length;
}

function whole(blocks: readonly Block[], marker: string | null): string {
  const tail = marker === null ? [] : [`Reference: ${marker}`];
  return [...blocks.map(blockOf).filter((part) => part !== ''), ...tail].join('\n\n');
}

/** markerInWiki finds the marker in the last line of a text. */
export function markerInWiki(text: string): string | null {
  return /(?:^|\n)Reference: (ipo-1-[a-z2-7]{26})\s*$/.exec(text)?.[1] ?? null;
}

function blockOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `h${block.level}. ${inlines(block.content)}`;
    case 'rest':
      return '';
    case 'paragraph':
      return inlines(block.content);
    case 'list':
      return block.items.map((item) => `* ${inlines(item)}`).join('\n');
    case 'table':
      return [
        `||${block.header.map((cell) => filled(inlines(cell))).join('||')}||`,
        ...block.rows.map((cells) => `|${cells.map((cell) => filled(inlines(cell))).join('|')}|`),
      ].join('\n');
    case 'code':
      // The block ends at the next macro of its name, so there must be none within.
      return [
        '{noformat}',
        ...toLines(block.text).map((line) => line.replaceAll('{', `{${BREAK}`)),
        '{noformat}',
      ].join('\n');
  }
}

/** An empty cell would make two strokes into a heading's. */
function filled(cell: string): string {
  return cell === '' ? ' ' : cell;
}

function inlines(content: readonly Inline[]): string {
  return content.map(inlineOf).join('');
}

function inlineOf(inline: Inline): string {
  // Jira reads markup within `{{…}}` too, so that a word shown as it is is best shown as text.
  if (inline.kind !== 'link')
    return escaped(inline.kind === 'text' ? spaced(inline.text) : toLine(inline.text));
  const href = toHref(inline.href);
  const text = escaped(toLine(inline.text));
  return href === null || text === '' ? text : `[${text}|${href}]`;
}

function escaped(line: string): string {
  return separated(line)
    .replaceAll(/^(\s*)(h[1-6]|bq)\./gi, `$1$2${BREAK}.`)
    .replaceAll(/<(?=[/!?a-z])/gi, `<${BREAK}`)
    .replaceAll(/\((?=(?:[!?xiyn/+*-]|\/|on|off|flag|flagoff)\))/gi, `(${BREAK}`)
    .replaceAll(/[:;](?=[()PD])/g, (sign) => `${sign}${BREAK}`)
    .replaceAll('\\', '&#92;')
    .replaceAll(/[{}[\]|*_^~+\-!?#@]/g, (sign) => `\\${sign}`)
    .replaceAll('&\\#92;', '&#92;');
}
