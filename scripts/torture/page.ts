import { chunksOf, type Part } from './parts.ts';
import { commandOf, lengthOf } from './run-chunk.ts';
import { keyOf, standingOf, type Code, type Kept } from './state.ts';

/** Row is a part with what is kept of it. */
export interface Row {
  readonly part: Part;
  readonly kept: Kept | null;
}

/** listPage lists parts with how they stand for the code that is there now. */
export function listPage(rows: readonly Row[], sample: number, code: Code): string {
  const lines = rows.map(({ part, kept }) => {
    const chunks = chunksOf(part, sample).length;
    const size = `${chunks} ${chunks === 1 ? 'chunk' : 'chunks'}, about ${part.minutes} min`;
    return `${part.name.padEnd(20)} ${size.padEnd(26)} ${stateOf({ part, kept }, sample, code)}\n    ${part.about}`;
  });
  return `${lines.join('\n')}\n`;
}

/** resultPage reports each part how it stands, how long it took and what was done, and what was skipped. */
export function resultPage(rows: readonly Row[], sample: number, code: Code): string {
  const lines: string[] = [];
  for (const row of rows) {
    const done = doneOf(row, sample);
    const ms = done.reduce((sum, { started, ended }) => sum + Date.parse(ended) - Date.parse(started), 0);
    const time = done.length === 0 ? '' : lengthOf(ms);
    lines.push(`${row.part.name.padEnd(20)} ${time.padEnd(10)} ${stateOf(row, sample, code)}`);
    if (done.length === 0) continue;
    lines.push(`    ${countsOf(done)}`);
    for (const reason of new Set(done.flatMap(({ skipped }) => skipped)))
      lines.push(`    skipped: ${reason}`);
  }
  return `${lines.join('\n')}\n`;
}

/** countsOf writes what was done, added up: tests first, then what they counted. */
export function countsOf(
  done: readonly { readonly tests: number; readonly counts: Readonly<Record<string, number>> }[],
): string {
  const sums = new Map<string, number>([['tests', 0]]);
  for (const { tests, counts } of done)
    for (const [what, count] of [['tests', tests] as const, ...Object.entries(counts)])
      sums.set(what, (sums.get(what) ?? 0) + count);
  return [...sums].map(([what, count]) => `${count.toLocaleString('en')} ${what}`).join(', ');
}

/** failuresPage tells what failed in a part, and how each is run by itself. */
export function failuresPage({ part, kept }: Row, sample: number): string {
  const lines: string[] = [];
  for (const chunk of chunksOf(part, sample)) {
    const outcome = kept?.chunks[keyOf(chunk)];
    if (kept === null || outcome === undefined || outcome.passed) continue;
    for (const { name, message } of outcome.failures)
      lines.push(`✖ ${name}`, message.replaceAll(/^/gm, '    '));
    lines.push(`To run it by itself: ${commandOf(chunk, kept.seed)}`);
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function doneOf({ part, kept }: Row, sample: number): Kept['chunks'][string][] {
  return chunksOf(part, sample).flatMap((chunk) => kept?.chunks[keyOf(chunk)] ?? []);
}

function stateOf(row: Row, sample: number, code: Code): string {
  const { part, kept } = row;
  const standing = standingOf(part, sample, kept, code);
  const outcomes = doneOf(row, sample);
  const passed = outcomes.filter((outcome) => outcome.passed).length;
  const chunks = `${passed} of ${chunksOf(part, sample).length} chunks passed`;
  if (standing === 'passed')
    return `passed on ${kept?.commit}, ${outcomes.at(-1)?.ended.slice(0, 16).replace('T', ' ')} UTC`;
  if (standing === 'passed on other code')
    return `passed on other code (${kept?.commit}); --again runs it on this one`;
  if (standing === 'failed') return `FAILED, ${chunks}`;
  return standing === 'begun' ? `begun, ${chunks}` : 'not run';
}
