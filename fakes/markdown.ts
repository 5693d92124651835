import type { Active } from './active.ts';
import { splitFences } from './fences.ts';
import { isQuickAction } from './quick-actions.ts';

/** Flavour of Markdown: both are GitHub's grammar with their own references; GitLab runs quick actions besides. */
export type Flavour = 'github' | 'gitlab';

const PUNCTUATION = /[!-/:-@[-`{-~]/;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  commat: '@',
  num: '#',
  sol: '/',
  nbsp: ' ',
};

/**
 * markdownActive lists what is active in a Markdown body. Escapes and entities are undone before mentions are looked
 * for, because both trackers look for them in the rendered text; a code span is taken to end with its line or cell.
 */
export function markdownActive(text: string, flavour: Flavour): Active[] {
  const found: Active[] = [];
  for (const { code, text: part } of splitFences(text)) {
    if (code) continue;
    const { rendered, syntax } = scan(part, found);
    for (const match of syntax.matchAll(/(!?)\[([^\]\n]{0,500})\]\(([^)\n]{0,2000})\)/g)) {
      found.push({ kind: match[1] === '!' ? 'image' : 'link', text: match[3] ?? '' });
    }
    for (const match of syntax.matchAll(/^ {0,3}\[[^\]\n]{1,500}\]:\s*(\S+)/gm))
      found.push({ kind: 'link', text: match[1] ?? '' });
    const plain = rendered.replace(/\]\([^)\n]*\)/g, '] ');
    found.push(...referencesIn(plain, flavour));
    if (flavour === 'gitlab') {
      for (const line of syntax.split('\n')) {
        if (isQuickAction(line)) found.push({ kind: 'quick_action', text: line.trim() });
      }
    }
  }
  return found;
}

/** referencesIn lists the mentions, cross references and bare links of rendered text. */
export function referencesIn(text: string, flavour: Flavour): Active[] {
  const found: Active[] = [];
  const rest = text.replace(/(?:https?:\/\/|www\.)[^\s<>]+/gi, (link) => {
    found.push({ kind: 'link', text: link });
    return ' ';
  });
  const look = (kind: 'mention' | 'reference', pattern: RegExp): void => {
    for (const match of rest.matchAll(pattern)) found.push({ kind, text: match[0].trim() });
  };
  look('mention', /(?<![A-Za-z0-9_])@[A-Za-z0-9_][A-Za-z0-9_./-]*/g);
  look('reference', /#\d+\b/g);
  if (flavour === 'github') look('reference', /\bGH-\d+\b/gi);
  else look('reference', /(?<![A-Za-z0-9_])(?:[!$&]\d+|[%~](?:\d+|"[^"\n]+"|[A-Za-z][\w-]*))/g);
  return found;
}

interface Scanned {
  /** rendered is the text as people see it, without code. */
  readonly rendered: string;
  /** syntax is the text without code and with escaped characters made harmless. */
  readonly syntax: string;
}

/** Goes through a part once: what comes first in the text decides what the rest means. */
function scan(text: string, found: Active[]): Scanned {
  let rendered = '';
  let syntax = '';
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at, at + 400);
    const char = text[at] ?? '';
    if (char === '\\' && PUNCTUATION.test(text[at + 1] ?? '')) {
      rendered += text[at + 1];
      syntax += '\u0001';
      at += 2;
    } else if (char === '`') {
      const run = /^`+/.exec(text.slice(at))?.[0] ?? '`';
      const end = endOfSpan(text, at + run.length, run);
      if (end === -1) {
        rendered += run;
        syntax += run;
        at += run.length;
      } else {
        rendered += '\u0000';
        syntax += '\u0000';
        at = end;
      }
    } else if (rest.startsWith('<!--')) {
      const end = text.indexOf('-->', at + 4);
      const stop = end === -1 ? text.length : end + 3;
      found.push({ kind: end === -1 ? 'html' : 'comment', text: text.slice(at, stop) });
      at = stop;
    } else if (char === '<' && /^<(?:[a-z][a-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>]+)>/i.test(rest)) {
      const link = rest.slice(1, rest.indexOf('>'));
      found.push({ kind: 'link', text: link });
      at += link.length + 2;
    } else if (char === '<' && /^<[/!?a-z]/i.test(rest)) {
      found.push({ kind: 'html', text: rest.slice(0, 40) });
      rendered += ' ';
      syntax += ' ';
      at += 1;
    } else {
      const entity = /^&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/i.exec(rest);
      if (entity === null) {
        rendered += char;
        syntax += char;
        at += 1;
      } else {
        rendered += decode(entity);
        syntax += '\u0001';
        at += entity[0].length;
      }
    }
  }
  return { rendered, syntax };
}

function decode([whole, decimal, hex, name]: RegExpExecArray): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
  const point = decimal === undefined ? parseInt(hex ?? '0', 16) : Number(decimal);
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
}

/** Where the code span that opened with this run ends: within the line, and within the cell of a table's row. */
function endOfSpan(text: string, from: number, run: string): number {
  const line = text.lastIndexOf('\n', from - 1) + 1;
  const stop = text.indexOf('\n', from);
  let end = stop === -1 ? text.length : stop;
  if (/^\s*\|/.test(text.slice(line, from))) {
    const cell = /(?<!\\)\|/.exec(text.slice(from, end));
    if (cell !== null) end = from + cell.index;
  }
  for (const match of text.slice(from, end).matchAll(/`+/g)) {
    if (match[0].length === run.length) return from + match.index + run.length;
  }
  return -1;
}
