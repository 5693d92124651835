import type { Message } from '../../notify/index.ts';
import type { Block, Inline } from '../../text/index.ts';
import { cutLine, cutTo } from './cut.ts';
import { footOf } from './foot.ts';
import { spaced, toHref, toLine, toLines } from './inert.ts';

/** SlackText is text of a block; only `mrkdwn` is parsed, and `verbatim` keeps names and addresses in it from becoming links. */
export type SlackText =
  | { readonly type: 'mrkdwn'; readonly text: string; readonly verbatim: true }
  | { readonly type: 'plain_text'; readonly text: string; readonly emoji: false };

/** SlackBlock is a block of Block Kit. */
export type SlackBlock =
  | { readonly type: 'header'; readonly text: SlackText }
  | { readonly type: 'section'; readonly text: SlackText }
  | { readonly type: 'context'; readonly elements: readonly SlackText[] };

/** SlackMessage is what an incoming webhook takes; `text` is what a notification shows. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

/** Limits of Block Kit. Slack refuses messages of more than about 13,000 characters in all now and then, which it does not document. */
const MAX_BLOCKS = 50;
const MAX_SECTION = 3000;
const MAX_HEADER = 150;
const MAX_CHARACTERS = 12_000;
const TOO_MUCH = 1_000_000;

/** toSlack writes a message in Block Kit, cut to what Slack takes. Nothing in it that comes from outside is more than text. */
export function toSlack(message: Message): SlackMessage {
  const { title, blocks } = message;
  return {
    text: escaped(toLine(title)),
    blocks: cutTo(blocks, (kept) => blocksOf(message, kept), sizeOf, MAX_CHARACTERS, 'Slack'),
  };
}

function blocksOf(message: Message, blocks: readonly Block[]): readonly SlackBlock[] {
  return [
    header(message.title),
    ...blocks.flatMap(sectionsOf),
    { type: 'context', elements: [mrkdwn(escaped(footOf(message)))] },
  ];
}

/** In a header nothing is parsed. */
function header(text: string): SlackBlock {
  const line = cutLine(toLine(text), MAX_HEADER) || 'ipo';
  return { type: 'header', text: { type: 'plain_text', text: line, emoji: false } };
}

function sizeOf(blocks: readonly SlackBlock[]): number {
  return blocks.length > MAX_BLOCKS ? TOO_MUCH : JSON.stringify(blocks).length;
}

function sectionsOf(block: Block): readonly SlackBlock[] {
  switch (block.kind) {
    case 'heading':
      return [header(block.content.map(({ text }) => spaced(text)).join(''))];
    case 'paragraph':
      return sections([inlines(block.content)]);
    case 'list':
      return sections(block.items.map((item) => `• ${inlines(item)}`));
    case 'table':
      return sections(block.rows.map((cells) => `• ${cells.map((cell) => inlines(cell)).join(' · ')}`));
    case 'code':
      return sections(toLines(block.text).map(codeOf));
    case 'rest':
      return [];
  }
}

/** As few sections as hold the lines. */
function sections(lines: readonly string[]): readonly SlackBlock[] {
  const texts: string[] = [];
  for (const line of lines) {
    const one = cutMarkup(line);
    const last = texts.at(-1);
    if (one === '') continue;
    if (last !== undefined && last.length + 1 + one.length <= MAX_SECTION)
      texts[texts.length - 1] = `${last}\n${one}`;
    else texts.push(one);
  }
  return texts.map((text) => ({ type: 'section', text: mrkdwn(text) }));
}

/** Cut before an escape or a code that would be left open. */
function cutMarkup(line: string): string {
  if (line.length <= MAX_SECTION) return line;
  const cut = cutLine(line, MAX_SECTION - 1).replace(/&[a-z]{0,3}…$/, '…');
  return (cut.match(/`/g)?.length ?? 0) % 2 === 0 ? cut : `${cut}\``;
}

function mrkdwn(text: string): SlackText {
  return { type: 'mrkdwn', text, verbatim: true };
}

function inlines(content: readonly Inline[]): string {
  return content.map(inlineOf).join('');
}

function inlineOf(inline: Inline): string {
  switch (inline.kind) {
    case 'text':
      return escaped(spaced(inline.text));
    case 'code':
      return codeOf(inline.text);
    case 'link': {
      const href = toHref(inline.href);
      const text = escaped(toLine(inline.text)).replaceAll('|', '¦');
      return href === null || text === '' ? text : `<${href}|${text}>`;
    }
  }
}

/** A backtick would end it, so that what follows is parsed: another sign stands in its place. */
function codeOf(text: string): string {
  const line = escaped(toLine(text)).replaceAll('`', 'ˋ');
  return line === '' ? '' : `\`${line}\``;
}

/** Slack asks for these three to be escaped, and shows any other escape as it is. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
