import { printable } from '../base/index.ts';

/** Html is markup that is safe to put into a page as it stands. Only `html` and `trustedHtml` make it. */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
  toString(): string {
    return this.markup;
  }
}

/** HtmlPart is what a template takes: markup as it stands, text and numbers escaped, lists joined, null left out. */
export type HtmlPart = Html | string | number | null | readonly HtmlPart[];

/**
 * html is a template tag: what is written is markup, what is put in is escaped. Attributes must stand in quotes. The
 * indentation of the source is left out.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(
    written(strings).reduce((text, string, i) => text + toMarkup(parts[i - 1] ?? null) + string),
  );
}

const collapsed = new WeakMap<TemplateStringsArray, readonly string[]>();

function written(strings: TemplateStringsArray): readonly string[] {
  let known = collapsed.get(strings);
  if (known === undefined) {
    collapsed.set(strings, (known = strings.map((string) => string.replace(/\s*\n\s*/g, '\n'))));
  }
  return known;
}

/** trustedHtml takes markup of our own (a style sheet) as it stands. Never give it foreign text. */
export function trustedHtml(markup: string): Html {
  return new Html(markup);
}

/** escapeHtml makes text safe inside an element or a quoted attribute; control and direction characters are shown. */
export function escapeHtml(text: string): string {
  return printable(text.toWellFormed(), Infinity).replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`);
}

function toMarkup(part: HtmlPart): string {
  if (part === null) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  return part.map(toMarkup).join('');
}
