import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSlack, toTeams } from '../../src/adapters/markup/index.ts';
import type { Block } from '../../src/text/index.ts';
import { readCard } from './card-reader.ts';
import { hostileMessages } from './hostile-messages.ts';
import { SEEDS, TEXTS } from './hostile-texts.ts';

/** What all tests look at: to word it takes longer than to judge it. */
const MESSAGES = [...hostileMessages()];

/** Gathers what is wrong with many messages, and shows the first of it. */
function judge(check: (bad: (what: string) => void) => void): void {
  const bad: string[] = [];
  check((what) => bad.push(what));
  assert.deepEqual(bad.slice(0, 12), [], `${bad.length} in all`);
}

/** What a text has beside its pieces of code, which hold all that comes from outside. */
function words(blocks: readonly Block[]): string {
  const own = blocks.map((block) => {
    const lines = block.kind === 'list' ? block.items : 'content' in block ? [block.content] : [];
    return lines.map((line) => line.map(({ kind, text }) => (kind === 'code' ? '`' : text)).join(''));
  });
  return JSON.stringify(own);
}

/** The form of a value: its keys and types, and no text. */
function form(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(form);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, form(one)]));
}

test('there are 500 texts and more', () => {
  assert.ok(TEXTS.length >= 500, String(TEXTS.length));
});

test('a title is one line of what can be seen, and no word of ours holds what comes from outside', () => {
  judge((bad) => {
    for (const { name, message, harmless, events } of MESSAGES) {
      const { title, blocks } = message;
      if (title === '' || title.length > 78 || !title.isWellFormed()) bad(`title of ${name}: ${title}`);
      if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(title)) bad(`invisible in the title of ${name}`);
      if (events.length === 1 && words(blocks) !== words(harmless.blocks)) bad(`${name}: ${words(blocks)}`);
    }
  });
});

test('Slack is sent no mention, no link and no markup but ours, within its limits', () => {
  judge((bad) => {
    for (const { name, message, harmless, events } of MESSAGES) {
      const made = toSlack(message);
      if (made.blocks.length > 50) bad(`${made.blocks.length} blocks of ${name}`);
      const texts = made.blocks.flatMap((block) => ('text' in block ? [block.text] : block.elements));
      for (const one of texts) {
        const { type, text } = one;
        const max = type === 'plain_text' ? 150 : 3000;
        if (text.length === 0 || text.length > max) bad(`${text.length} characters in ${name}`);
        if (type === 'plain_text') continue;
        if (!one.verbatim) bad(`names become links in ${name}`);
        if (/[<>]|&(?!(?:amp|lt|gt);)/.test(text)) bad(`markup in ${name}: ${text}`);
        if ((text.match(/`/g)?.length ?? 0) % 2 !== 0) bad(`code without an end in ${name}: ${text}`);
      }
      if (/[<>\n]|&(?!(?:amp|lt|gt);)/.test(made.text)) bad(`markup in the text of ${name}`);
      if (events.length !== 1) continue;
      const ownOf = (blocks: typeof made.blocks): string =>
        JSON.stringify(blocks.map((block) => ('text' in block ? ownWords(block.text) : block.elements)));
      const own = ownOf(made.blocks);
      if (own !== ownOf(toSlack(harmless).blocks)) bad(`outside of code in ${name}: ${own}`);
    }
  });
});

/** What Slack parses of a text: plain text it does not, and of code only where it ends. */
function ownWords({ type, text }: { readonly type: string; readonly text: string }): string {
  return type === 'plain_text' ? '' : text.replaceAll(/`[^`]*`/g, '`');
}

test('Teams is sent cards of one form, within 28 KB, in which nothing is read as markdown', () => {
  judge((bad) => {
    for (const { name, message, harmless, events } of MESSAGES) {
      const made = toTeams(message);
      const bytes = Buffer.byteLength(JSON.stringify(made));
      if (bytes > 28_672) bad(`${bytes} bytes of ${name}`);
      if (events.length === 1 && JSON.stringify(form(made)) !== JSON.stringify(form(toTeams(harmless))))
        bad(`another form: ${name}`);
      if (/\{\{(?:DATE|TIME)\(|\$\{/.test(JSON.stringify(made))) bad(`a template in ${name}`);
    }
  });
});

test('a host shows nothing but text of the cards, reads no markdown in them, and links nowhere', () => {
  judge((bad) => {
    // To render is slow: the forms of all others are the same.
    for (const { name, message, events } of hostileMessages(SEEDS, 1)) {
      if (events.length !== 1) continue;
      const [{ content }] = toTeams(message).attachments;
      const { elements, links, markdown, problems, text } = readCard(content);
      for (const problem of problems) bad(`${problem} in ${name}`);
      if (links.length > 0) bad(`links to ${links.join(', ')} in ${name}`);
      if (markdown.length > 0) bad(`read as markdown in ${name}: ${markdown.join(' / ')}`);
      const foreign = elements.filter((element) => !/^(?:div|span)$/.test(element));
      if (foreign.length > 0) bad(`${foreign.join(', ')} in ${name}`);
      if (/\d+:\d+ [AP]M/.test(text)) bad(`a template in ${name}`);
    }
  });
});

test('what a host shows that is too old for the cards is not markdown that leads anywhere', () => {
  judge((bad) => {
    for (const { name, message } of MESSAGES) {
      const [{ content }] = toTeams(message).attachments;
      const text = String(content['fallbackText']);
      if (
        text === '' ||
        /\]\(|\]\[|\]:|<[a-z!/?]|(?:https?|ftp|file):\/\/|(?:javascript|data):\S|www\./i.test(text)
      )
        bad(`${text} in ${name}`);
    }
  });
});

test('the judge finds a card with a picture, a link, markdown and a template', () => {
  const read = readCard({
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', text: '[x](javascript:alert(1))' },
      { type: 'Image', url: 'http://evil.example/p.png' },
      {
        type: 'RichTextBlock',
        inlines: [
          {
            type: 'TextRun',
            text: 'x',
            selectAction: { type: 'Action.OpenUrl', url: 'http://evil.example' },
          },
        ],
      },
      { type: 'Nonsense' },
    ],
  });
  assert.deepEqual(read.markdown, ['[x](javascript:alert(1))']);
  assert.ok(read.elements.includes('img') && read.elements.includes('a'), read.elements.join());
  assert.ok(read.links.some((link) => link.includes('evil.example')));
  assert.ok(read.problems.length > 0);
});
