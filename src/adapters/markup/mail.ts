import type { Message, Severity } from '../../notify/index.ts';
import { html, wrapWords, type Html } from '../../render/index.ts';
import type { Block, Inline } from '../../text/index.ts';
import { cutTo } from './cut.ts';
import { footOf } from './foot.ts';
import { BREAK, spaced, toHref, toLine, toLines, unlinked } from './inert.ts';

/** Mail is what a message is as mail; each part has the same words. */
export interface Mail {
  /** One line of characters that can be seen. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Characters of the HTML: mail programs hide what comes behind some 100 KB. */
const MAX_HTML = 80_000;
const WIDTH = 76;

const COLORS: Readonly<Record<Severity, string>> = {
  critical: '#c62828',
  warning: '#b26a00',
  good: '#2e7d32',
  info: '#1565c0',
};

/** toMail writes a message as text and as HTML that refers to nothing: no picture, no style sheet, no script. */
export function toMail(message: Message): Mail {
  // What looks like an encoded word of RFC 2047 would be decoded where it is read.
  const subject = toLine(message.title).replaceAll(/=(?=\?)/g, `=${BREAK}`) || 'ipo';
  const whole = cutTo(
    message.blocks,
    (kept) => ({ text: textOf(message, kept), html: pageOf(message, kept) }),
    (made) => made.html.length,
    MAX_HTML,
    'mail',
  );
  return { subject, ...whole };
}

const FOOT = 'To receive fewer messages: ipo channel edit, or ipo channel mute for a while.';

function textOf(message: Message, blocks: readonly Block[]): string {
  const title = shown(message.title);
  const parts = [title, ...blocks.map(plainOf), `-- \nipo · ${footOf(message)}\n${FOOT}`];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function plainOf(block: Block): string {
  switch (block.kind) {
    case 'heading': {
      const line = unlinked(plain(block.content));
      return `${line}\n${'-'.repeat(Math.min(line.length, WIDTH))}`;
    }
    case 'paragraph':
      return paragraphOf(block.content);
    case 'list':
      return block.items.map((item) => indented(plain(item))).join('\n');
    case 'table':
      return block.rows.map((cells) => indented(cells.map((cell) => plain(cell)).join(' · '))).join('\n');
    case 'code':
      return toLines(block.text)
        .map((line) => `    ${line}`)
        .join('\n');
    case 'rest':
      return '';
  }
}

/** A command at the end of a paragraph stands on a line of its own, where it can be copied whole. */
function paragraphOf(content: readonly Inline[]): string {
  const last = content.at(-1);
  if (last?.kind !== 'code' || !/: $/.test(plainInline(content.at(-2)))) return wrapped(plain(content));
  return `${wrapped(plain(content.slice(0, -1)).trimEnd())}\n\n    ${toLine(last.text)}`;
}

function wrapped(line: string): string {
  return wrapWords(line, WIDTH).join('\n');
}

/** Mail programs make links of addresses in text; of those that come from outside they must not. */
function shown(text: string): string {
  return unlinked(toLine(text));
}

function indented(line: string): string {
  return wrapWords(line, WIDTH - 4)
    .map((part, at) => `${at === 0 ? '  - ' : '    '}${part}`)
    .join('\n');
}

function plain(content: readonly Inline[]): string {
  return content.map(plainInline).join('');
}

function plainInline(inline: Inline | undefined): string {
  if (inline === undefined) return '';
  if (inline.kind !== 'link') return inline.kind === 'text' ? spaced(inline.text) : shown(inline.text);
  const href = toHref(inline.href);
  return href === null ? toLine(inline.text) : `${toLine(inline.text)} <${href}>`;
}

const BODY =
  'margin:0;padding:16px;font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;font-size:15px;line-height:1.5';
const CODE =
  'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px;word-break:break-word';
const COMMAND = `${CODE};display:block;margin-top:4px;padding:8px 10px;border:1px solid #9e9e9e;border-radius:4px`;

function pageOf(message: Message, blocks: readonly Block[]): string {
  const title = shown(message.title);
  const color = COLORS[message.severity];
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
      </head>
      <body style="${BODY}">
        <div style="max-width:640px;margin:0 auto">
          <h1
            style="font-size:19px;line-height:1.3;margin:0 0 12px;padding:0 0 0 10px;border-left:4px solid ${color};overflow-wrap:anywhere"
          >
            ${title}
          </h1>
          ${blocks.map(htmlOf)}
          <p style="margin:20px 0 0;padding-top:8px;border-top:1px solid #9e9e9e;font-size:12px;opacity:.75">
            ipo · ${footOf(message)}<br />${FOOT}
          </p>
        </div>
      </body>
    </html> `;
  return page.toString();
}

function htmlOf(block: Block): Html {
  switch (block.kind) {
    case 'heading':
      return html`<h2 style="font-size:16px;margin:20px 0 6px;overflow-wrap:anywhere">
        ${unlinked(plain(block.content))}
      </h2> `;
    case 'paragraph': {
      const last = block.content.at(-1);
      if (last?.kind === 'code' && /: $/.test(plainInline(block.content.at(-2))))
        return html`<p style="margin:0 0 10px">
          ${marked(block.content.slice(0, -1))}<code style="${COMMAND}">${toLine(last.text)}</code>
        </p> `;
      return html`<p style="margin:0 0 10px;overflow-wrap:anywhere">${marked(block.content)}</p> `;
    }
    case 'list':
      return html`<ul style="margin:0 0 10px;padding-left:20px;overflow-wrap:anywhere">
        ${block.items.map((item) => html`<li style="margin:0 0 4px">${marked(item)}</li>`)}
      </ul> `;
    case 'table':
      return html`<ul style="margin:0 0 10px;padding-left:20px;overflow-wrap:anywhere">
        ${block.rows.map((cells) => html`<li>${cells.map((cell, at) => html`${at === 0 ? '' : ' · '}${marked(cell)}`)}</li>`)}
      </ul> `;
    case 'code':
      return html`<pre style="${CODE};white-space:pre-wrap;margin:0 0 10px">
${toLines(block.text).join('\n')}</pre> `;
    case 'rest':
      return html``;
  }
}

function marked(content: readonly Inline[]): readonly Html[] {
  return content.map((inline) => {
    if (inline.kind === 'text') return html`${spaced(inline.text)}`;
    if (inline.kind === 'code') return html`<code style="${CODE}">${shown(inline.text)}</code>`;
    const href = toHref(inline.href);
    return href === null ? html`${toLine(inline.text)}` : html`<a href="${href}">${toLine(inline.text)}</a>`;
  });
}
