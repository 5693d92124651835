import { Option, type Command } from 'commander';
import { MARKED, outputOption } from './output-option.ts';

/** PagingFlags say which part of a list is wanted. */
export interface PagingFlags {
  readonly limit?: string;
  readonly offset?: string;
}

/** withPaging gives a command the flags of a list: what is asked for, and in which forms it is written. */
export function withPaging(command: Command, things: string): Command {
  return command
    .addOption(new Option('--limit <n>', `maximum number of ${things} (default: all)`))
    .addOption(new Option('--offset <n>', 'skip this many first'))
    .addOption(outputOption(MARKED));
}
