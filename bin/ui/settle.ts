import type { GlobalOptions, Terminal } from './terminal.ts';

/** Settle wraps the action of a command: it hands it the terminal and the global options, and keeps its exit code. */
export type Settle = (
  action: (terminal: Terminal, options: GlobalOptions) => Promise<number>,
) => () => Promise<void>;
