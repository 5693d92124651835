import { Option, type Command } from 'commander';
import { MARKED, outputOption } from './output-option.ts';

/** PagingFlags say which part of a list is wanted. */
export interface PagingFlags {
  readonly limit?: string;
  readonly offset?: string;
}

/**
 * withPaging gives a command the flags of a list: what is asked for, and in which forms it is written. `limits` says how many are given, and
 * without the flag how many.
 */
export function withPaging(command: Command, things: string, limits = ' (default: all)'): Command {
  return command
    .addOption(new Option('--limit <n>', `maximum number of ${things}${limits}`))
    .addOption(new Option('--offset <n>', 'number of entries to skip'))
    .addOption(outputOption(MARKED));
}
