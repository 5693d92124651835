import { loadAuthoring } from '../../src/policy/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { renderComparison, unsetAsNull } from './diff-view.ts';
import { checkStdin, readPolicies } from '../files/index.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../terminal/terminal.ts';
import { openParts } from '../terminal/parts.ts';

/** PolicyDiffOptions are the flags of `ipo policy diff`. */
export interface PolicyDiffOptions {
  readonly exitCode?: true;
  readonly output: readonly string[];
}

/** runPolicyDiff is `ipo policy diff`. */
export async function runPolicyDiff(
  before: string,
  after: string,
  options: PolicyDiffOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ['table', 'json', 'yaml', 'markdown'], 'table', [
    before,
    after,
  ]);
  checkStdin([before, after]);
  const parts = openParts(terminal);
  const read = async (path: string) => ({
    file: path === '-' ? 'stdin' : path,
    policies: await readPolicies(path, parts),
  });
  const { comparePolicies, ...show } = await loadAuthoring();
  const comparison = comparePolicies(await read(before), await read(after));
  const { changed, added, removed } = comparison.summary;
  await writeOutputs(
    targets,
    async (format, toStdout) => {
      switch (format) {
        case 'table':
          return renderComparison(comparison, show, toStdout && usesColor(terminal, globals, 'out'));
        case 'markdown':
          return (await import('./diff-markdown.ts')).renderComparisonMarkdown(comparison, show);
        case 'json':
          return `${JSON.stringify(comparison, unsetAsNull)}\n`;
        case 'yaml':
          return (await import('../../src/render/index.ts')).toYaml(
            JSON.parse(JSON.stringify(comparison, unsetAsNull)),
          );
      }
    },
    parts,
    terminal,
  );
  return options.exitCode && changed + added + removed > 0 ? EXIT.check : EXIT.done;
}
