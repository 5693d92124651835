import type { Active } from './active.ts';

/**
 * wikiActive lists what is active in Jira's wiki markup: mentions, macros, pictures and links. A backslash makes the
 * next character harmless; `{code}` and `{noformat}` hold their text inert up to the same macro again.
 */
export function wikiActive(text: string): Active[] {
  const found: Active[] = [];
  let rest = '';
  for (let at = 0; at < text.length;) {
    const char = text[at] ?? '';
    if (char === '\\') {
      rest += '\u0001';
      at += 2;
      continue;
    }
    const block = /^\{(code|noformat)(?::[^{}\n]*)?\}/.exec(text.slice(at, at + 200));
    if (block !== null) {
      const close = text.indexOf(`{${block[1]}}`, at + block[0].length);
      if (close === -1) found.push({ kind: 'macro', text: block[0] });
      rest += '\u0000';
      at = close === -1 ? at + block[0].length : close + (block[1]?.length ?? 0) + 2;
      continue;
    }
    rest += char;
    at += 1;
  }
  const look = (kind: Active['kind'], pattern: RegExp): void => {
    rest = rest.replace(pattern, (match) => {
      found.push({ kind, text: match });
      return ' ';
    });
  };
  look('mention', /\[~[^\]\n]{1,500}\]/g);
  look('link', /\[[^\]\n]{1,500}\]/g);
  look('macro', /\{[a-z][a-z0-9-]*(?::[^{}\n]{0,500})?\}/gi);
  look('link', /\b(?:https?|ftp|file|mailto):[^\s|\]}]+/gi);
  look('image', /!(?! )[^!\n\s|]{1,500}(?:\|[^!\n]{0,500})?!/g);
  look('html', /<\/?[a-z][^>\n]{0,500}>/gi);
  return found;
}
