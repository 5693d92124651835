import { formatTime, parseTime } from '../../src/base/index.ts';
import { placeOf, type ParsedPolicy } from '../../src/policy/index.ts';
import { counted, formatCount } from '../../src/render/index.ts';
import { MAX_DAYS, type WhatIfResult } from '../../src/whatif/index.ts';
import type { CliParts } from '../../src/app/index.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { parseOutputs, writeOutputs, type OutputTarget } from '../terminal/output.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { fromWorkspace } from '../files/index.ts';
import { VERSION } from '../terminal/version.ts';
import type { WhatIfViewOptions } from './view.ts';
import { parseChecks, runChecks, whatIsOpen, type Check, type Held } from './checks.ts';

/** ANSWER_FORMATS are the forms of an answer. */
export const ANSWER_FORMATS = [
  'table',
  'json',
  'yaml',
  'markdown',
  'html',
  'sarif',
  'junit',
  'github',
] as const;
type Format = (typeof ANSWER_FORMATS)[number];

/** AnswerFlags are the flags that every command with an answer has. */
export interface AnswerFlags {
  readonly failOn?: readonly string[];
  readonly strict?: true;
  readonly all?: true;
  readonly output?: readonly string[];
}

/** Wanted is what is asked of an answer, checked before anything is read. */
export interface Wanted {
  readonly targets: readonly OutputTarget<Format>[];
  readonly checks: readonly Check[];
  readonly strict: boolean;
  /** Whether the table leaves nothing out. */
  readonly all: boolean;
}

/** Answer is a result with its bytes, and the policy that it is about. */
export interface Answer {
  readonly result: WhatIfResult;
  /** The result as JSON. */
  readonly json: string;
  /** The draft's file as shown, and where in it a path stands. */
  readonly draft: Draft;
  /** The period of the export; absent where that is not known. */
  readonly held?: Held | null;
}

/** Draft says where the fields of a draft stand. */
export interface Draft {
  readonly file: string;
  placeOf(path: string): { readonly line: number; readonly column: number };
}

/** Parameters are those of a replay; null where the time is left to the ledger. */
export interface Parameters {
  readonly days: number;
  readonly limit: number;
  readonly asOf: number | null;
}

/** parseWanted reads `-o`, `--fail-on` and `--strict`. Throws UsageError. */
export function parseWanted(flags: AnswerFlags, inputs: readonly (string | undefined)[]): Wanted {
  return {
    targets: parseOutputs(flags.output ?? [], ANSWER_FORMATS, 'table', inputs),
    checks: parseChecks(flags.failOn ?? []),
    strict: flags.strict === true,
    all: flags.all === true,
  };
}

/** parseParameters reads the parameters of a replay. Throws UsageError. */
export function parseParameters(options: {
  readonly days: string;
  readonly limit: string;
  readonly asOf?: string;
}): Parameters {
  const days = parseWhole('--days', options.days, 1, MAX_DAYS, 'the period');
  const limit = parseWhole('--limit', options.limit, 0, Number.MAX_SAFE_INTEGER, 'the limit');
  return { days, limit, asOf: options.asOf === undefined ? null : parseMoment('--as-of', options.asOf) };
}

/** parseMoment reads a time of a flag. Throws UsageError. */
export function parseMoment(flag: string, text: string): number {
  const ms = parseTime(text);
  if (!Number.isNaN(ms)) return ms;
  throw new UsageError(`${flag} ${text}: this is not an RFC 3339 time`, 'Write it as 2026-11-20T06:00:00Z');
}

/**
 * warnAhead warns of an end of the period that has not come: the period then has fewer days of rows than were asked for. The replay goes
 * on, since triage is judged at that time.
 */
export function warnAhead(
  asOf: number | null,
  parts: Pick<CliParts, 'clock'>,
  terminal: Terminal,
  { quiet }: GlobalOptions,
): void {
  if (asOf === null || asOf <= parts.clock.now() || quiet === true) return;
  terminal.err(
    `ipo: --as-of ${formatTime(asOf)} is in the future; there are no rows after now, and triage is judged as of then\n`,
  );
}

/** toDraft gives the places of a parsed policy. */
export function toDraft(places: ParsedPolicy['places']): Draft {
  return {
    file: places.file,
    placeOf: (path) =>
      placeOf(
        places,
        path.split(/[.[\]]+/).filter((step) => step !== ''),
      ),
  };
}

/** deliver writes every output of an answer, says on stderr what does not hold, and gives the exit code. */
export async function deliver(
  answer: Answer,
  { targets, checks, strict, all }: Wanted,
  parts: Pick<CliParts, 'writeFile'>,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { result } = answer;
  const held = runChecks(checks, result);
  const render = (format: Format, toStdout: boolean) =>
    renderAnswer(format, answer, held, {
      color: toStdout && usesColor(terminal, globals, 'out'),
      columns: terminal.columns,
      env: terminal.env,
      all,
      isWatched: toStdout && terminal.tty.out,
    });
  await writeOutputs(targets, render, parts, terminal);
  return judge(answer, { targets, checks, strict, all }, terminal, globals);
}

/** judge says on stderr what does not hold of an answer, and gives the exit code; `name` tells it from answers on other policies. */
export function judge(
  { result, held = null }: Pick<Answer, 'result' | 'held'>,
  { checks, strict }: Wanted,
  terminal: Terminal,
  globals: GlobalOptions,
  name?: string,
): ExitCode {
  const of = name === undefined ? '' : `${clean(name)}: `;
  const say = (text: string): void => (globals.quiet ? undefined : terminal.err(`ipo: ${of}${text}\n`));
  const open = whatIsOpen(result, held);
  const broken = runChecks(checks, result).filter((check) => check.broken);
  for (const { check, count, tolerated } of broken) {
    say(
      `--fail-on ${check}${tolerated > 0 ? `=${tolerated}` : ''} failed: ${counted(count, 'row')}, the limit is ${formatCount(tolerated)}`,
    );
  }
  if (open !== null && (strict || result.evaluated === 0)) say(open);
  if (broken.length > 0) return EXIT.check;
  return strict && open !== null ? EXIT.inconclusive : EXIT.done;
}

/** renderAnswer writes an answer in one form. */
export async function renderAnswer(
  format: Format,
  { result, json, draft, held = null }: Answer,
  checks: ReturnType<typeof runChecks>,
  view: Omit<WhatIfViewOptions, 'file' | 'checks' | 'held'> & { readonly env: Terminal['env'] },
): Promise<string> {
  if (format === 'json') return `${json}\n`;
  const { file } = draft;
  if (format === 'table') {
    const { renderWhatIf } = await import('./view.ts');
    return renderWhatIf(result, { ...view, file, checks, held });
  }
  const reports = await import('../../src/whatif/report/index.ts');
  const context = {
    file: format === 'github' || format === 'sarif' ? fromWorkspace(file, view.env) : file,
    version: VERSION,
    checks,
    placeOf: draft.placeOf,
  };
  switch (format) {
    case 'yaml':
      return reports.toYaml(result);
    case 'markdown':
      return reports.toMarkdown(result, context);
    case 'html':
      return reports.toHtml(result, context);
    case 'sarif':
      return reports.toSarif(result, context);
    case 'junit':
      return reports.toJUnit(result, context);
    case 'github':
      return reports.toAnnotations(result, context);
  }
}
