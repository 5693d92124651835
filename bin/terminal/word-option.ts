import { Option } from 'commander';

/** wordOption is a flag that takes one of a list of words, all in lower case: it takes them in any case. */
export function wordOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((word: string) => word.toLowerCase());
}
