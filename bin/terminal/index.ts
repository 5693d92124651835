/**
 * What all commands share: the terminal, outputs and tables, exit codes and faults, prompts and progress; and how a command is listed.
 * It uses no other room.
 */
export { EXIT, report, type ExitCode } from './exit.ts';
export { processTerminal } from './process-terminal.ts';
export type { GlobalOptions, Terminal } from './terminal.ts';
export { VERSION } from './version.ts';
