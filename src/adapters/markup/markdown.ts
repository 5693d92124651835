import type { Block, Inline } from '../../trackers/index.ts';
import { cutTo, SOME_MARKER } from './cut.ts';
import { BREAK, separated, spaced, toHref, toLine, toLines } from './inert.ts';

const MARKER = /<!-- (ipo-1-[a-z2-7]{26}) -->/g;

/**
 * toMarkdown renders a text in the Markdown that GitHub and GitLab share, cut to `max` characters, with the marker in a comment that
 * is not shown, behind everything else. All but the syntax written here is inert: signs of the markup are escaped, what a tracker looks
 * for in the rendered text is parted, and no line begins with the stroke of a quick action.
 */
export function toMarkdown(blocks: readonly Block[], marker: string, max: number): string {
  return cutTo(
    blocks,
    (kept) => whole(kept, marker),
    (text) => text.length,
    max,
  );
}

/** markdownSize is the size of a whole text with its marker, in characters. */
export function markdownSize(blocks: readonly Block[]): number {
  return whole(blocks, SOME_MARKER).length;
}

function whole(blocks: readonly Block[], marker: string): string {
  return [...blocks.map(blockOf).filter((part) => part !== ''), `<!-- ${marker} -->`].join('\n\n');
}

/** markerIn finds the marker that toMarkdown put behind a text; the last one, since text before it can only look like one. */
export function markerIn(text: string): string | null {
  return [...text.matchAll(MARKER)].at(-1)?.[1] ?? null;
}

function blockOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${inlines(block.content)}`;
    case 'rest':
      return '';
    case 'paragraph':
      return begun(inlines(block.content));
    case 'list':
      return block.items.map((item) => `- ${begun(inlines(item))}`).join('\n');
    case 'table':
      return [
        row(block.header),
        `|${' --- |'.repeat(block.header.length)}`,
        ...block.rows.map((cells) => row(cells)),
      ].join('\n');
    case 'code':
      return fenced(toLines(block.text));
  }
}

function row(cells: readonly (readonly Inline[])[]): string {
  // A stroke ends a cell even within code, unless it is escaped; one of code must not have a backslash before it that is its own.
  const content = cells.map((cell) =>
    cell
      .map((inline) =>
        inline.kind === 'code'
          ? span(toLine(inline.text).replaceAll(/\\(?=\|)/g, `\\${BREAK}`)).replaceAll('|', '\\|')
          : inlineOf(inline),
      )
      .join(''),
  );
  return `| ${content.join(' | ')} |`;
}

function inlines(content: readonly Inline[]): string {
  return content.map(inlineOf).join('');
}

function inlineOf(inline: Inline): string {
  switch (inline.kind) {
    case 'text':
      return escaped(spaced(inline.text));
    case 'code':
      return span(toLine(inline.text));
    case 'link': {
      const href = toHref(inline.href);
      const text = escaped(toLine(inline.text));
      return href === null || text === '' ? text : `[${text}](${href})`;
    }
  }
}

function escaped(line: string): string {
  return separated(line).replaceAll(/[\\`*_{}[\]<>#~|&!$^=]/g, (sign) => `\\${sign}`);
}

/** What has a meaning only at the beginning of a line: items, underlines, quick actions. */
function begun(line: string): string {
  return line.replace(/^(\s*\d{0,9})([-+/:.)])/, '$1\\$2');
}

/** A code span whose fence is longer than any run of backticks within. */
function span(line: string): string {
  if (line === '') return '';
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = /^`|`$/.test(line) ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

function fenced(lines: readonly string[]): string {
  const fence = '`'.repeat(Math.max(3, longestRun(lines.join('\n')) + 1));
  return [fence, ...lines, fence].join('\n');
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
