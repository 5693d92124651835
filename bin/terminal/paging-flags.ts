import { Option, type Command } from 'commander';

/** PagingFlags say which part of a list is wanted. */
export interface PagingFlags {
  readonly limit?: string;
  readonly offset?: string;
}

/** withPaging gives a command the flags of a list: what is asked for, and in which forms it is written. */
export function withPaging(command: Command, things: string): Command {
  return command
    .addOption(new Option('--limit <n>', `at most so many ${things}; without it all of them`))
    .addOption(new Option('--offset <n>', 'leave so many out first'))
    .addOption(outputOption());
}

/** outputOption is `-o` of a command that shows what a service answers. */
export function outputOption(): Option {
  return new Option('-o, --output <format[=path]>', 'table, json, yaml or markdown; repeatable')
    .argParser((value: string, before: readonly string[]) => [...before, value])
    .default([] as readonly string[], 'table');
}
