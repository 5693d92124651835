import { script } from '@bomb.sh/tab';
import { toYaml } from '../../src/render/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { captured } from './captured.ts';
import type { SHELLS } from './shells.ts';

/** CompletionOptions are the flags of `ipo completion`. */
export interface CompletionOptions {
  readonly output: readonly string[];
}

/** runCompletion is `ipo completion SHELL`. */
export async function runCompletion(
  shell: (typeof SHELLS)[number],
  options: CompletionOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ['table', 'json', 'yaml'], 'table');
  const text = captured(() => script(shell, 'ipo', 'ipo completion'));
  const render = (format: 'table' | 'json' | 'yaml'): string => {
    if (format === 'table') return text;
    return format === 'yaml'
      ? toYaml({ shell, script: text })
      : `${JSON.stringify({ shell, script: text })}\n`;
  };
  await writeOutputs(targets, render, openParts(terminal), terminal);
  return EXIT.done;
}
