/** Section is a heading of a page in Markdown, what stands below it, and the headings below it in turn. */
export interface Section {
  readonly title: string;
  readonly lines: string[];
  readonly below: Section[];
}

/** parseSections reads Markdown into its headings; text before the first heading belongs to the root. */
export function parseSections(text: string): Section {
  const root: Section = { title: '', lines: [], below: [] };
  const path: Section[] = [root];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, marks, title = ''] = isCode ? [] : (/^(#{1,3}) (.+)$/.exec(line) ?? []);
    if (marks === undefined) {
      path.at(-1)?.lines.push(line);
      continue;
    }
    const section: Section = { title: title.trim(), lines: [], below: [] };
    const above = path[marks.length - 1];
    if (above === undefined || path.length < marks.length)
      throw new Error(`the heading "${title}" is too deep`);
    above.below.push(section);
    path.splice(marks.length, path.length, section);
  }
  return root;
}

/** toRoff writes the text of a section as macros of man(7): paragraphs, lists of terms, and blocks of code. */
export function toRoff(lines: readonly string[]): string {
  const out: string[] = [];
  for (const block of blocksOf(lines)) {
    const [first = ''] = block;
    if (first.startsWith('```')) out.push('.EX', ...block.slice(1, -1).map(codeLine), '.EE');
    else if (first.startsWith('- ')) for (const item of itemsOf(block)) out.push('.TP', ...termAndText(item));
    else out.push('.PP', inline(block.join(' ')));
  }
  return out.join('\n');
}

/** Blocks of lines between empty ones; a block of code is one, whatever it holds, and a list ends a paragraph. */
function blocksOf(lines: readonly string[]): string[][] {
  const blocks: string[][] = [];
  let block: string[] = [];
  let isCode = false;
  const end = () => {
    if (block.length > 0) blocks.push(block);
    block = [];
  };
  for (const line of lines) {
    if (line.startsWith('```')) {
      if (!isCode) end();
      block.push(line);
      if (isCode) end();
      isCode = !isCode;
    } else if (isCode) block.push(line);
    else if (line.trim() === '') end();
    else {
      if (line.startsWith('- ') && block[0]?.startsWith('- ') === false) end();
      block.push(line);
    }
  }
  end();
  return blocks;
}

function itemsOf(block: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of block) {
    if (line.startsWith('- ')) items.push(line.slice(2));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  return items;
}

/** `term`: what it means. The term ends at the first colon outside of code. */
function termAndText(item: string): readonly [term: string, text: string] {
  const [, term, text] = /^((?:`[^`]*`|[^`:])+): (.+)$/s.exec(item) ?? [];
  if (term === undefined || text === undefined) throw new Error(`an item has no term: ${item}`);
  return [inline(term), inline(text)];
}

/** inline writes `code` in bold, *words* in italics, and names of pages and flags in bold as they stand. */
export function inline(text: string): string {
  const parts = text
    .trim()
    .split(/(`[^`]+`|\*[^*\s][^*]*\*|\b(?:ipo-[a-z]+|ipod?)\(\d\)|(?<![\w-])--[a-z][a-z-]+)/);
  const roff = parts
    .map((part, index) => {
      if (index % 2 === 0) return escape(part);
      if (part.startsWith('`')) return `\\fB${escape(part.slice(1, -1))}\\fR`;
      if (part.startsWith('*')) return `\\fI${escape(part.slice(1, -1))}\\fR`;
      const [, page, number] = /^(.+)(\(\d\))$/.exec(part) ?? [];
      return `\\fB${escape(page ?? part)}\\fR${number ?? ''}`;
    })
    .join('');
  return roff
    .replaceAll(/(?<=[a-z)R]\.) (?=[A-Z])/g, '\n')
    .split('\n')
    .map(guarded)
    .join('\n');
}

/** escape writes text so that roff prints it as it is. */
export function escape(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('…', '...')
    .replaceAll('–', '\\(en');
}

/** A line that begins with a dot or an apostrophe would be taken for a request. */
function guarded(line: string): string {
  return /^[.']/.test(line) ? `\\&${line}` : line;
}

function codeLine(line: string): string {
  return guarded(escape(line));
}
