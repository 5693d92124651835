import type { Command } from 'commander';
import type { GlobalOptions, Terminal } from './terminal.ts';

/** Settle wraps the action of a command: it hands it the terminal and the global options, and keeps its exit code. */
export type Settle = (
  action: (terminal: Terminal, options: GlobalOptions) => Promise<number>,
) => () => Promise<void>;

/** GROUPS are the headings of the help, in its order. */
export const GROUPS = [
  'Policies and decisions:',
  'What was decided:',
  'Images and findings:',
  'The service:',
  'Accounts:',
] as const;

/** Listed is a command as the help lists it, and how it is defined once it is called. */
export interface Listed {
  /** That of its folder. */
  readonly name: string;
  readonly summary: string;
  readonly group: (typeof GROUPS)[number];
  /** Where it stands in its group, from 1. */
  readonly place: number;
  /** Questions of newcomers that it answers, each with how it is called; the README lists them. */
  readonly answers?: readonly (readonly [question: string, called: string])[];
  /** Lines that call it and what stands below it; help and manual page show them, and a test runs each. */
  readonly examples: readonly string[];
  define(settle: Settle): Command;
}

/** Named is a command as the help of all lists it; the rest is loaded when it is called. */
export interface Named extends Pick<Listed, 'name' | 'summary' | 'group'> {
  load(): Promise<Listed>;
}
