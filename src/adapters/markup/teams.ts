import type { Message, Severity } from '../../notify/index.ts';
import type { Block, Inline } from '../../text/index.ts';
import { cutTo } from './cut.ts';
import { footOf } from './foot.ts';
import { BREAK, separated, spaced, toHref, toLine, toLines } from './inert.ts';

/** TeamsMessage is what a workflow takes that posts a card to a channel. */
export interface TeamsMessage {
  readonly type: 'message';
  readonly attachments: readonly [
    {
      readonly contentType: 'application/vnd.microsoft.card.adaptive';
      readonly contentUrl: null;
      readonly content: Readonly<Record<string, unknown>>;
    },
  ];
}

/** The limit of Teams is about 28 KB of JSON; this is in bytes. */
const MAX_BYTES = 28_672;

const COLORS: Readonly<Record<Severity, string>> = {
  critical: 'Attention',
  warning: 'Warning',
  good: 'Good',
  info: 'Default',
};

type Element = Readonly<Record<string, unknown>>;

/**
 * toTeams writes a message as an Adaptive Card in the envelope of Workflows, cut to what Teams takes. Text stands in runs, which read no
 * markdown.
 */
export function toTeams(message: Message): TeamsMessage {
  return cutTo(
    message.blocks,
    (kept) => envelope(message, kept),
    (made) => Buffer.byteLength(JSON.stringify(made), 'utf8'),
    MAX_BYTES,
    'Teams',
  );
}

function envelope(message: Message, blocks: readonly Block[]): TeamsMessage {
  const { title, severity } = message;
  const name = inert(toLine(title)) || 'ipo';
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    fallbackText: unmarked(name),
    body: [
      rich([{ type: 'TextRun', text: name, size: 'Large', weight: 'Bolder', color: COLORS[severity] }]),
      ...blocks.flatMap(elementsOf),
      rich([{ type: 'TextRun', text: footOf(message), size: 'Small', isSubtle: true }], { separator: true }),
    ],
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

function elementsOf(block: Block): readonly Element[] {
  switch (block.kind) {
    case 'heading':
      return paragraphs([runs(block.content, { weight: 'Bolder' })], { spacing: 'Large' });
    case 'paragraph':
      return paragraphs([runs(block.content)]);
    case 'list':
      return paragraphs(
        block.items.map((item) => [run('• '), ...runs(item)]),
        { spacing: 'Small' },
      );
    case 'table':
      return paragraphs(
        block.rows.map((cells) => [
          run('• '),
          ...cells.flatMap((cell, at) => [...(at === 0 ? [] : [run(' · ')]), ...runs(cell)]),
        ]),
        { spacing: 'Small' },
      );
    case 'code':
      return paragraphs(toLines(block.text).map((text) => (text === '' ? [] : [mono(text)])));
    case 'rest':
      return [];
  }
}

function paragraphs(lines: readonly (readonly Element[])[], more: Element = {}): readonly Element[] {
  return lines.filter((line) => line.length > 0).map((line) => rich(line, more));
}

function rich(inlines: readonly Element[], more: Element = {}): Element {
  return { type: 'RichTextBlock', inlines, ...more };
}

function runs(content: readonly Inline[], more: Element = {}): readonly Element[] {
  return content.flatMap((inline): Element[] => {
    const text = inline.kind === 'text' ? spaced(inline.text) : toLine(inline.text);
    if (text === '') return [];
    if (inline.kind === 'code') return [mono(text)];
    const href = inline.kind === 'link' ? toHref(inline.href) : null;
    return [
      {
        ...run(text),
        ...more,
        ...(href !== null && { selectAction: { type: 'Action.OpenUrl', url: href } }),
      },
    ];
  });
}

function run(text: string): Element {
  return { type: 'TextRun', text: inert(text) };
}

function mono(text: string): Element {
  return { ...run(text), fontType: 'Monospace' };
}

/** The only text of a card that may be read as markdown: by a host that is too old for the card. */
function unmarked(text: string): string {
  return separated(text)
    .replaceAll(/\](?=[([:])/g, `]${BREAK}`)
    .replaceAll(/<(?=[/!?a-z])/gi, `<${BREAK}`);
}

/** What a host may read as a date or a template, whatever it stands in. */
function inert(text: string): string {
  return text.replaceAll(/([{$])(?=\{)/g, `$1${BREAK}`);
}
