import type { Terminal } from './terminal.ts';
import { UsageError } from './usage.ts';

/**
 * holdConfirmable refuses to go on where nobody could be asked and `--yes` was not given; `instead` says what else could be done.
 * Throws UsageError.
 */
export function holdConfirmable({ tty }: Terminal, yes: boolean, what: string, instead = ''): void {
  if (yes || (tty.in && tty.err)) return;
  throw new UsageError(
    `${what} needs confirmation, and stdin is not a terminal`,
    `Add --yes to confirm${instead}`,
  );
}

/** confirm asks a question that only `y` or `yes` answers in favour; the end of the input is a no. */
export async function confirm(question: string, terminal: Terminal): Promise<boolean> {
  terminal.err(`${question} [y/N] `);
  const decoder = new TextDecoder();
  let line = '';
  for await (const chunk of terminal.stdin) {
    line += decoder.decode(chunk, { stream: true });
    if (line.includes('\n') || line.length > 1000) break;
  }
  if (!line.includes('\n')) terminal.err('\n');
  return /^\s*y(es)?\s*$/i.test(line.split('\n', 1)[0] ?? '');
}
