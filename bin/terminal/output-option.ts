import { Option } from 'commander';

/** LISTED are the forms of most results. */
export const LISTED = 'table, json or yaml';

/**
 * outputOption is `-o FORMAT[=PATH]`, which every command that prints has; `formats` names those that it writes, `standard` the one of a
 * call without it.
 */
export function outputOption(formats: string = LISTED, standard = 'table'): Option {
  return new Option('-o, --output <format[=path]>', `${formats}; repeatable`)
    .argParser((value: string, before: readonly string[]) => [...before, value])
    .default([] as readonly string[], standard);
}
