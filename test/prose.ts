/** Prose is a text for people: a comment, a string, or a line of a document. */
export interface Prose {
  readonly line: number;
  readonly text: string;
}

/** proseOf gives the texts for people in a file: of code its comments and strings, of anything else every line. */
export function proseOf(path: string, content: string): Prose[] {
  if (!/\.(?:ts|cts|cjs|mjs)$/.test(path))
    return content.split('\n').map((text, index) => ({ line: index + 1, text }));
  return codeProse(content);
}

/** What a test, a suite or a suite for each engine is called, with its quotes. */
const NAMED =
  /(?<![\w.])(?:t\.)?(?:test|suite|forEachEngine)\(\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/g;

/** testNamesOf gives the names of the tests in a file of code, without what a template puts into them. */
export function testNamesOf(content: string): Prose[] {
  return [...content.matchAll(NAMED)].flatMap(({ index, 1: name = '' }) => {
    const line = content.slice(0, index).split('\n').length;
    return codeProse(name).map(({ text }) => ({ line, text }));
  });
}

/** Comment, template, string, regular expression and word, in the order in which they are tried. */
const TOKEN =
  /\/\*[^]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`|[{}]|[\w$]+|[^\s\w$]/g;
const EXPRESSION = /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const TEMPLATE = /(?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{)/y;
/** After one of these a slash begins a regular expression; after anything else it divides. */
const OPERATOR = /^(?:[(,=:[!&|?{};<>+*%~^-]|return|case|typeof|in|of|)$/;

function codeProse(content: string): Prose[] {
  const found: Prose[] = [];
  const open: string[] = [];
  let before = '';
  let at = 0;
  let line = 1;
  let counted = 0;
  const take = (start: number, text: string): void => {
    line += content.slice(counted, start).split('\n').length - 1;
    counted = start;
    found.push({ line, text: text.replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ') });
  };
  const template = (start: number): void => {
    TEMPLATE.lastIndex = start;
    const part = TEMPLATE.exec(content)?.[0] ?? '';
    take(start, part);
    at = start + Math.max(part.length, 1);
    if (part.endsWith('${')) open.push('`');
  };
  for (;;) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(content);
    if (match === null) return found;
    const [token] = match;
    at = match.index + token.length;
    if (token === '`' || (token === '}' && open.pop() === '`')) template(at);
    else if (token === '{') open.push('{');
    else if (token === '/' && OPERATOR.test(before)) {
      EXPRESSION.lastIndex = match.index;
      if (EXPRESSION.test(content)) at = EXPRESSION.lastIndex;
    } else if (/^(?:\/\*|\/\/|'.|".)/.test(token)) take(match.index, token);
    if (!/^\/[/*]/.test(token)) before = token;
  }
}
