import type { CheckResult, DoctorReport, State } from '../../src/doctor/index.ts';
import { counted, markdownCell, markdownTable, wrapWords } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { asSentence } from '../terminal/exit.ts';
import type { Terminal } from '../terminal/terminal.ts';

const MARKS: Readonly<Record<State, string>> = { ok: '✓', warn: '!', fail: '✗' };

/** toText writes what is not ok with what to do, the worst first; with `all` every check in the order of the report. */
export function toText({ checks, counts }: DoctorReport, all: boolean, terminal: Terminal): string {
  const shown = all
    ? checks
    : (['fail', 'warn'] as const).flatMap((state) => checks.filter((one) => one.state === state));
  const lines = shown.flatMap((one) => linesOf(one, terminal));
  const summary = `${counted(counts.fail, 'check fails', 'checks fail')}, ${counted(counts.warn, 'warns', 'warn')}, ${counts.ok} ok.`;
  return `${[...lines, ...(lines.length > 0 ? [''] : []), summary].join('\n')}\n`;
}

/** What goes to another program has a check on each line. */
function linesOf({ id, state, message, hint }: CheckResult, terminal: Terminal): readonly string[] {
  const width = Math.max(40, terminal.columns);
  const text = `${MARKS[state]} ${id}: ${clean(message, 500)}`;
  const [head = '', ...more] = terminal.tty.out ? wrapWords(text, width) : [text];
  const below = [
    ...(more.length === 0 ? [] : wrapWords(more.join(' '), width - 4)),
    ...(hint === null ? [] : wrapWords(asSentence(clean(hint, 500)), width - 4)),
  ];
  return [head, ...below.map((line) => `    ${line}`)];
}

const COLUMNS = ['State', 'Check', 'Found', 'What to do'].map((heading) => ({ heading }));

/** toMarkdown writes every check as a table. */
export function toMarkdown({ checks, counts }: DoctorReport): string {
  const rows = checks.map(({ id, state, message, hint }) =>
    [state, id, message, hint ?? ''].map((text) => markdownCell(text)),
  );
  return `${counts.fail} fail, ${counts.warn} warn, ${counts.ok} ok\n\n${markdownTable(COLUMNS, rows)}\n`;
}
