import { Option } from 'commander';
import { oneOf } from './choice.ts';

/** wordOption is a flag that takes one of a list of words, in any case; without the list, any word in lower case. Throws ChoiceError. */
export function wordOption(flags: string, description: string, choices?: readonly string[]): Option {
  const option = new Option(flags, description);
  return option.argParser((word: string) =>
    choices === undefined ? word.toLowerCase() : oneOf(option.long ?? flags, word, choices),
  );
}

/** emptyOr is such a flag that an empty value takes away. */
export function emptyOr(flags: string, description: string, choices: readonly string[]): Option {
  const option = new Option(flags, description);
  return option.argParser((word: string) => (word === '' ? '' : oneOf(option.long ?? flags, word, choices)));
}
