import { Option } from 'commander';

const LISTED = 'table, json or yaml';
/** MARKED are the forms of what a service answers that is also put into a document. */
export const MARKED = 'table, json, yaml or markdown';

/**
 * outputOption is `-o FORMAT[=PATH]`, which every command that prints has; `formats` names those that it writes, `standard` the one of a
 * call without it.
 */
export function outputOption(formats = LISTED, standard = 'table'): Option {
  return new Option('-o, --output <format[=path]>', `${formats}; repeatable`)
    .argParser((value: string, before: readonly string[]) => [...before, value])
    .default([] as readonly string[], standard);
}
