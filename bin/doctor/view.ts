import type { CheckResult, DoctorReport, State } from '../../src/doctor/index.ts';
import { counted, markdownCell, markdownTable, wrapWords } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { asSentence } from '../terminal/exit.ts';
import type { Terminal } from '../terminal/terminal.ts';

const MARKS: Readonly<Record<State, string>> = { ok: '✓', warn: '!', fail: '✗' };

/** worstFirst puts failed checks first, then warnings, then those that are ok, each in the order of the report. */
export function worstFirst(report: DoctorReport): DoctorReport {
  const order = (['fail', 'warn', 'ok'] as const).flatMap((state) =>
    report.checks.filter((one) => one.state === state),
  );
  return { ...report, checks: order };
}

/** What is not ok; with `all` every check. */
function shownOf({ checks }: DoctorReport, all: boolean): readonly CheckResult[] {
  return all ? checks : checks.filter(({ state }) => state !== 'ok');
}

/** toText writes what is not ok with what to do; with `all` every check. */
export function toText(report: DoctorReport, all: boolean, terminal: Terminal): string {
  const { counts } = report;
  const shown = shownOf(report, all);
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

/** toMarkdown writes the same checks as a table. */
export function toMarkdown(report: DoctorReport, all: boolean): string {
  const { fail, warn, ok } = report.counts;
  const rows = shownOf(report, all).map(({ id, state, message, hint }) =>
    [state, id, message, hint ?? ''].map((text) => markdownCell(text)),
  );
  const table = rows.length === 0 ? '' : `\n${markdownTable(COLUMNS, rows)}\n`;
  return `${fail} fail, ${warn} warn, ${ok} ok\n${table}`;
}
