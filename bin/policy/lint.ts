import { isIpoError, nearest } from '../../src/base/index.ts';
import { LEVELS, loadAuthoring, type Level, type Problem } from '../../src/policy/index.ts';
import { counted, formatCount } from '../../src/render/index.ts';
import type { Finding } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { asSentence, EXIT, report, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { renderProblems } from './problems.ts';
import {
  checkStdin,
  fromWorkspace,
  isTestFile,
  readInForce,
  readPolicyText,
  withDirectories,
  type SourceText,
} from '../files/index.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../terminal/terminal.ts';
import { openParts } from '../terminal/parts.ts';
import { UsageError } from '../terminal/usage.ts';
import { VERSION } from '../terminal/version.ts';

/** PolicyLintOptions are the flags of `ipo policy lint` as commander gives them. */
export interface PolicyLintOptions {
  readonly failOn: string;
  readonly against?: string;
  readonly output: readonly string[];
}

const FORMATS = ['table', 'json', 'sarif', 'junit', 'github'] as const;

/** runPolicyLint is `ipo policy lint`. A file that cannot be read does not keep the others from being looked at. */
export async function runPolicyLint(
  paths: readonly string[],
  options: PolicyLintOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, FORMATS, 'table', [...paths, options.against]);
  const failOn = parseLevel(options.failOn);
  checkStdin([...paths, options.against]);
  const parts = openParts(terminal);
  const inForce = options.against === undefined ? [] : await readInForce(options.against, parts);
  const { sources, unreadable } = await readSources(paths, parts, (error) =>
    report(error, terminal, globals),
  );
  const { files, passedOver } = withoutTests(sources);
  const { lintPolicies, LINT_RULES } = await loadAuthoring();
  const problems = lintPolicies(files, inForce);
  const count = (level: Level): number => problems.filter((problem) => problem.level === level).length;
  const summary = {
    files: files.length,
    policies: files.reduce((sum, file) => sum + file.policies.length, 0),
    errors: count('error'),
    warnings: count('warning'),
    notices: count('notice'),
  };
  const invalid = files.reduce((sum, file) => sum + file.invalid, 0);
  await writeOutputs(targets, render, parts, terminal);
  for (const file of globals.quiet ? [] : passedOver)
    terminal.err(`ipo: passed over ${clean(file)}, which holds test cases: ipo policy test runs them\n`);
  if (!globals.quiet) terminal.err(`ipo: ${inWords({ ...summary, invalid }, unreadable.length)}\n`);
  if (unreadable.length > 0) return EXIT.outside;
  return problems.some(fails) ? EXIT.check : EXIT.done;

  async function render(format: (typeof FORMATS)[number], toStdout: boolean): Promise<string> {
    if (format === 'table') return renderProblems(problems, toStdout && usesColor(terminal, globals, 'out'));
    if (format === 'json') {
      const policies = files.flatMap((file) =>
        file.policies.map(({ policy }) => ({
          file: file.file,
          name: policy.name,
          revision: policy.revision,
        })),
      );
      return `${JSON.stringify({ policies, problems, unreadable, summary })}\n`;
    }
    const { findingCases, toAnnotations, toJUnit, toSarif } = await import('../../src/render/index.ts');
    const titles = new Map(LINT_RULES.map(({ id, title }) => [id, title]));
    const findings = problems
      .map((problem) => toFinding(problem, titles.get(problem.rule) ?? problem.rule))
      .map((finding) => ({
        ...finding,
        file: format === 'junit' ? finding.file : fromWorkspace(finding.file, terminal.env),
      }));
    switch (format) {
      case 'sarif':
        return toSarif(findings, { version: VERSION, category: 'ipo-policy-lint' });
      case 'junit': {
        // A test has failed when it fails the run, so that the report and the exit code agree.
        const judged = findings.map(
          (finding, i) => ({ ...finding, level: fails(problems[i]) ? 'error' : 'note' }) as const,
        );
        return toJUnit({
          name: 'ipo policy lint',
          cases: findingCases(
            judged,
            files.map(({ file }) => file),
          ),
        });
      }
      case 'github':
        return toAnnotations(findings);
    }
  }

  function fails(problem: Problem | undefined): boolean {
    return problem !== undefined && LEVELS.indexOf(problem.level) <= LEVELS.indexOf(failOn);
  }
}

/** What can be read; `say` reports each file that cannot. */
async function readSources(
  paths: readonly string[],
  parts: ReturnType<typeof openParts>,
  say: (error: Error) => Promise<unknown>,
) {
  const sources: SourceText[] = [];
  const unreadable: { file: string; message: string }[] = [];
  for (const path of await withDirectories(paths, 'policy', parts)) {
    try {
      sources.push(await readPolicyText(path, parts));
    } catch (error) {
      if (!isIpoError(error)) throw error;
      await say(error);
      unreadable.push({ file: path, message: error.message });
    }
  }
  return { sources, unreadable };
}

/** A pattern such as policies/*.yaml matches test cases too. They are passed over as in a directory, unless nothing else was given. */
function withoutTests(sources: readonly SourceText[]) {
  const isTests = ({ text, file }: SourceText): boolean =>
    isTestFile(file.file) &&
    file.policies.length === 0 &&
    /^[\s{]*"?kind"?:\s*"?PolicyTest\b/m.test(text ?? '');
  const policies = sources.filter((source) => !isTests(source));
  const kept = policies.length === 0 ? sources : policies;
  const passedOver = sources.filter((source) => !kept.includes(source)).map(({ file }) => file.file);
  return { files: kept.map(({ file }) => file), passedOver };
}

function toFinding({ rule, level, message, hint, file, line, column }: Problem, ruleTitle: string): Finding {
  const said = hint === null ? message : `${message}. ${asSentence(hint)}`;
  return {
    ruleId: rule,
    ruleTitle,
    level: level === 'notice' ? 'note' : level,
    message: said,
    file,
    line,
    column,
  };
}

function parseLevel(text: string): Level {
  const level = LEVELS.find((known) => known === text);
  if (level !== undefined) return level;
  const close = nearest(text, LEVELS);
  throw new UsageError(
    `--fail-on ${text || '""'}: allowed are ${LEVELS.join(', ')}`,
    close === null ? undefined : `Did you mean "${close}"?`,
  );
}

function inWords(
  summary: {
    files: number;
    policies: number;
    invalid: number;
    errors: number;
    warnings: number;
    notices: number;
  },
  unreadable: number,
): string {
  const { files, policies, invalid, errors, warnings, notices } = summary;
  const found = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
    ...(notices > 0 ? [counted(notices, 'notice')] : []),
  ];
  const all = counted(policies + invalid, 'policy', 'policies');
  const read = `${invalid === 0 ? all : `${formatCount(policies)} of ${all} valid`} in ${counted(files, 'file')}`;
  return `${read}: ${found.length === 0 ? 'no problem found' : found.join(', ')}${unreadable > 0 ? `; ${counted(unreadable, 'file')} could not be read` : ''}`;
}
