import assert from 'node:assert/strict';

/**
 * assertInert takes the spans and blocks of code out of markdown, as a forge reads them, and fails when what is left
 * could link, mention, load or mark up anything but our own few tags.
 */
export function assertInert(markdown: string): void {
  const blocks = markdown.replace(/^```diff\n(?:(?:[-+#@].*)\n)*```$/gm, '');
  assert.doesNotMatch(
    blocks,
    /^ {0,3}(`{3,}[^`]*|~{3,}.*)$/m,
    'a block of code that does not end where ours does',
  );
  for (const line of blocks.split('\n')) {
    const rest = withoutCode(line);
    const own = rest.replace(/<!-- ipo-whatif(?::[\w.%-]+)? -->|<\/?(details|summary|sub)>/g, '');
    assert.doesNotMatch(own, /(?<!\\)[<>[\]`]/, `markup outside of code: ${line.slice(0, 300)}`);
    assert.doesNotMatch(
      own,
      /@[A-Za-z0-9]|#[0-9]|:\/\/|www\.[a-z]/i,
      `a link or a mention: ${line.slice(0, 300)}`,
    );
    assert.doesNotMatch(
      line,
      // oxlint-disable-next-line no-control-regex -- none may be left
      /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
      'a control character',
    );
  }
}

/** cellsOf splits a row of a table where a forge does: at every pipe without a backslash before it, code or not. */
export function cellsOf(row: string): string[] {
  return row.replace(/^\| | \|$/g, '').split(/(?<!\\)\|/);
}

/** A span begins with a run of backticks and ends with the next run of the same length. */
function withoutCode(line: string): string {
  let rest = '';
  let at = 0;
  while (at < line.length) {
    const run = /(?<!\\)`+/.exec(line.slice(at));
    if (run === null) return rest + line.slice(at);
    rest += line.slice(at, at + run.index);
    const from = at + run.index + run[0].length;
    const close = [...line.slice(from).matchAll(/`+/g)].find(([ticks]) => ticks.length === run[0].length);
    if (close === undefined) return `${rest}${line.slice(at + run.index)}`;
    at = from + close.index + close[0].length;
  }
  return rest;
}
