import type { CliParts } from '../../src/app/index.ts';
import { isIpoError } from '../../src/base/index.ts';
import { loadAuthoring } from '../../src/policy/index.ts';
import { counted } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, report, type ExitCode } from '../terminal/exit.ts';
import { renderProblems } from './problems.ts';
import { checkStdin, readPolicyText, withDirectories } from '../files/index.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../terminal/terminal.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { openParts } from '../terminal/parts.ts';
import { UsageError } from '../terminal/usage.ts';

/** PolicyFmtOptions are the flags of `ipo policy fmt`. */
export interface PolicyFmtOptions {
  readonly write?: true;
  readonly check?: true;
  readonly output: readonly string[];
}

/** runPolicyFmt is `ipo policy fmt`. Every file is formatted before the first is written. */
export async function runPolicyFmt(
  paths: readonly string[],
  { write, check, output }: PolicyFmtOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  checkStdin(paths);
  const outcome = openOutcome(output, terminal);
  holdWritable(paths, write === true, check === true);
  const parts = openParts(terminal);
  const distinct = await withDirectories(paths, 'policy', parts);
  if (!write && !check && distinct.length > 1 && output.length === 0) {
    throw new UsageError(
      'several files cannot be printed to stdout',
      'Add --write to change the files, or --check to list those that would change',
    );
  }
  const { results, worst } = await formatAll(distinct, parts, terminal, globals);
  const changed = results.filter(({ before, after }) => before !== after);
  const say = (text: string): void => (globals.quiet ? undefined : terminal.err(`ipo: ${text}\n`));
  const items = results.map(({ path, before, after }) => ({
    file: path === '-' ? 'stdin' : path,
    changed: before !== after,
    ...(!check && !write && { text: after }),
  }));
  const tell = (text: string): Promise<void> => outcome.write({ items, total: items.length }, text);
  if (check) {
    await tell(changed.map(({ path }) => `${path === '-' ? 'stdin' : clean(path, Infinity)}\n`).join(''));
    if (changed.length > 0)
      say(`${counted(changed.length, 'file')} would change; run ipo policy fmt --write`);
    if (worst !== EXIT.done) return worst;
    return changed.length > 0 ? EXIT.check : EXIT.done;
  }
  if (!write) {
    await tell(results.map(({ after }) => after).join(''));
    return worst;
  }
  if (worst !== EXIT.done) {
    say('nothing was written');
    return worst;
  }
  for (const { path, after } of changed) await parts.writeFile(path, after);
  await tell('');
  say(
    changed.length === 0
      ? 'nothing to change'
      : `changed ${changed.map(({ path }) => clean(path)).join(', ')}`,
  );
  return EXIT.done;
}

/** Throws UsageError for flags that exclude each other, and where the result could not be written back. */
function holdWritable(paths: readonly string[], write: boolean, check: boolean): void {
  if (write && check)
    throw new UsageError(
      '--write and --check exclude each other',
      'Use --check in a pipeline, and --write on your machine',
    );
  if (write && paths.includes('-'))
    throw new UsageError('--write cannot write to stdin', 'Leave --write out to print the result');
}

/** A file before and after. */
interface Formatted {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Formats every file, reports those that cannot be, and gives the exit code that these call for. */
async function formatAll(
  paths: readonly string[],
  parts: CliParts,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<{ readonly results: readonly Formatted[]; readonly worst: ExitCode }> {
  const { formatPolicies } = await loadAuthoring();
  const results: Formatted[] = [];
  let worst: ExitCode = EXIT.done;
  for (const path of paths) {
    try {
      const { text, file } = await readPolicyText(path, parts);
      const formatted =
        text === null
          ? ({ kind: 'invalid', problems: file.problems } as const)
          : formatPolicies(text, file.file);
      if (formatted.kind === 'formatted') results.push({ path, before: text ?? '', after: formatted.text });
      else {
        terminal.err(renderProblems(formatted.problems, usesColor(terminal, globals, 'err')));
        if (worst === EXIT.done) worst = EXIT.usage;
      }
    } catch (error) {
      if (!isIpoError(error)) throw error;
      await report(error, terminal, globals);
      worst = EXIT.outside;
    }
  }
  return { results, worst };
}
