import type { Command, Option } from 'commander';

/**
 * holdValues has a flag that needs a value end the command where the next word is a flag. Commander takes any word as the value, so that
 * `--server --offline` would call a service by the name of the flag. A value that begins so is written behind an equals sign.
 */
export function holdValues(command: Command): void {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (args) => {
    const found = missingValue(command, args);
    if (found !== null) command.error(found, { code: 'commander.optionMissingArgument' });
    return parse(args);
  };
}

function missingValue(command: Command, args: readonly string[]): string | null {
  for (let place = 0; place < args.length && args[place] !== '--'; place += 1) {
    const word = args[place] ?? '';
    const option = command.options.find((one) => one.required && isNamed(one, word));
    if (option === undefined) continue;
    place += 1;
    const value = args[place];
    if (value !== undefined && isFlag(command, value))
      return `error: ${option.flags.replace(/^-\w, /, '')}: no value given before ${value}\n  A value that begins with a dash is written ${option.long ?? word}=${value}.`;
  }
  return null;
}

/** Any long one: a word that no command knows is more likely a flag with a slip than a value. */
function isFlag(command: Command, word: string): boolean {
  if (word.startsWith('--')) return true;
  for (let at: Command | null = command; at !== null; at = at.parent)
    if (at.options.some((option) => isNamed(option, word))) return true;
  return false;
}

const isNamed = ({ short, long }: Option, word: string): boolean => word === short || word === long;
