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

/** sentencesOf gives the sentences of a markdown document; code within a line counts as one word, and blocks of code as none. */
export function sentencesOf(content: string): Prose[] {
  const found: Prose[] = [];
  let block: Prose | undefined;
  let isCode = false;
  const end = (): void => {
    if (block !== undefined) found.push(...split(block));
    block = undefined;
  };
  for (const [index, raw] of content.split('\n').entries()) {
    const line = index + 1;
    const text = raw.replace(/^[\s>]+/, '').trim();
    if (text.startsWith('```')) isCode = !isCode;
    if (isCode || text === '' || /^(?:```|#|<!--|\|[-:| ]+\|$)/.test(text)) end();
    else if (text.startsWith('|')) {
      end();
      // A cell is a list more often than a sentence.
      for (const item of text.split(/(?<!\\)\||; /)) found.push(...split({ line, text: item.trim() }));
    } else if (block === undefined || /^(?:[-*]|\d+\.) /.test(text)) {
      end();
      block = { line, text: text.replace(/^(?:[-*]|\d+\.) /, '') };
    } else block = { line: block.line, text: `${block.text} ${text}` };
  }
  end();
  return found;
}

/** A sentence ends at a full stop or a question mark before a space, also where a bracket or a quotation closes after it. */
function split({ line, text }: Prose): Prose[] {
  const plain = text
    .replaceAll(/``[^`]+``|`[^`]*`/g, '`code`')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*/g, '');
  return plain
    .split(/(?<=[.?!][)"']*)\s+(?=\S)/)
    .filter((sentence) => sentence !== '')
    .map((sentence) => ({ line, text: sentence }));
}
