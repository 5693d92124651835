import { isPlainLine } from '../../base/index.ts';

/** Invisible characters: controls, direction marks, zero width, tags, half surrogates, no characters; line ends and tabs become blanks instead. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u2800\p{Noncharacter_Code_Point}]|\p{Variation_Selector}/gu;

/** BREAK stands between two characters that would mean something together; it has no width. */
export const BREAK = '\u200b';

/** toLine makes foreign text one line of characters that can be seen, in one normal form. */
export function toLine(text: string): string {
  if (isPlainLine(text)) return text;
  return text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(INVISIBLE, '')
    .trim();
}

/** spaced is toLine for a run of text between others: a blank at its ends stays. */
export function spaced(text: string): string {
  const line = toLine(text);
  const [before, after] = [/^\s/.test(text), /\s$/.test(text)];
  if (line === '') return before || after ? ' ' : '';
  return `${before ? ' ' : ''}${line}${after ? ' ' : ''}`;
}

/** toLines does the same for lines of code, which keep their ends and their blanks. */
export function toLines(text: string): string[] {
  return text
    .toWellFormed()
    .normalize('NFC')
    .split(/\r\n|[\n\r\u2028\u2029\u0085]/u)
    .map((line) => line.replaceAll('\t', '    ').replaceAll(INVISIBLE, ''));
}

/**
 * separated parts what a tracker would act on in the text that people see: mentions, references to issues, requests, epics, snippets,
 * labels and milestones, commits, addresses of pages and mail, and the short names of pictures. Escapes are of no use here, since
 * trackers look for these after the markup is read.
 */
export function separated(line: string): string {
  return unlinked(line)
    .replaceAll(/[@#!&$%~^*](?=[\w"'(]|$)/g, (sign) => `${sign}${BREAK}`)
    .replaceAll(/(GH)-(?=\d)/gi, `$1${BREAK}-`)
    .replaceAll(/:(?=[\w+-]+:)/g, `:${BREAK}`)
    .replaceAll(/\[(?=[a-z_]{3,20}:)/gi, `[${BREAK}`)
    .replaceAll(/\b(?=[0-9a-f]{0,39}\d)(?=\d{0,39}[a-f])([0-9a-f]{4})(?=[0-9a-f]{3,36}\b)/gi, `$1${BREAK}`);
}

/** unlinked breaks addresses that a viewer of the text would turn into links. */
export function unlinked(line: string): string {
  return line
    .replaceAll(/:(?=\/\/|\\)/g, `${BREAK}:`)
    .replaceAll(/(https?|ftp|mailto|xmpp|tel|javascript|data|file|vbscript):(?=\S)/gi, `$1${BREAK}:`)
    .replaceAll(/(www)\.(?=\S)/gi, `$1${BREAK}.`);
}

/** toHref gives an address that may stand behind a link, with every character that a markup could read escaped; null for others. */
export function toHref(href: string): string | null {
  if (href.length > 2000 || !/^https?:\/\/[^\s\\]+$/i.test(href) || !URL.canParse(href)) return null;
  const { protocol, username, password, href: read } = new URL(href);
  if ((protocol !== 'https:' && protocol !== 'http:') || username !== '' || password !== '') return null;
  return read.replaceAll(/[^\w\-./:?&=%#~+,;]/g, (character) =>
    [...Buffer.from(character, 'utf8')]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}
