import { buildCli, type CliParts } from '../../src/app/index.ts';
import type { Terminal } from './terminal.ts';

/** openParts joins what a command acts through: real files and the clock, with the terminal's stdin. */
export function openParts(terminal: Pick<Terminal, 'stdin'>): CliParts {
  // Opened when it is read: a command that reads only files opens no stream.
  return buildCli({ [Symbol.asyncIterator]: () => terminal.stdin[Symbol.asyncIterator]() });
}
