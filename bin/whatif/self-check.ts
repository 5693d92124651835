import type { CliParts } from '../../src/app/index.ts';
import type { SelfCheckResult } from '../../src/whatif/index.ts';
import type { WhatIfOptions } from './options.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs, type OutputTarget } from '../terminal/output.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';

const FORMATS = ['table', 'json', 'yaml'] as const;
type Target = OutputTarget<(typeof FORMATS)[number]>;

/** parseSelfCheck reads the outputs of a self-check and refuses the flags that only a draft has. Throws UsageError. */
export function parseSelfCheck(policyPath: string | undefined, options: WhatIfOptions): readonly Target[] {
  if (policyPath !== undefined)
    throw new UsageError('--self-check takes no policy: each row is replayed under its own revision');
  for (const [flag, given] of [
    ['--fail-on', options.failOn !== undefined],
    ['--source', options.source !== undefined],
  ] as const) {
    if (given)
      throw new UsageError(
        `${flag} has no effect with --self-check`,
        'Leave it out: a mismatch exits with 1',
      );
  }
  return parseOutputs(options.output ?? [], FORMATS, 'table', [options.ledger]);
}

/** deliverSelfCheck writes the outputs of a self-check and gives the exit code. `file` names the ledger. */
export async function deliverSelfCheck(
  result: SelfCheckResult,
  file: string,
  strict: boolean,
  targets: readonly Target[],
  parts: Pick<CliParts, 'writeFile'>,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const render = async (format: (typeof FORMATS)[number], toStdout: boolean) => {
    if (format === 'json') return `${JSON.stringify(result)}\n`;
    if (format === 'yaml') return (await import('../../src/render/index.ts')).toYaml(result);
    const { renderSelfCheck } = await import('./view.ts');
    return renderSelfCheck(result, {
      color: toStdout && usesColor(terminal, globals, 'out'),
      columns: terminal.columns,
      file,
    });
  };
  await writeOutputs(targets, render, parts, terminal);
  if (result.mismatch > 0) return EXIT.check;
  const open = result.checked === 0 || result.truncated || result.unknown > 0;
  return strict && open ? EXIT.inconclusive : EXIT.done;
}
