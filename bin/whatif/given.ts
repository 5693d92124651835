import type { Command } from 'commander';

/** Given are the flags of a subcommand, and those of `ipo whatif` itself that it does not have. */
export interface Given<T> {
  readonly options: T;
  readonly stray: readonly string[];
}

/** given gives the flags of a subcommand: commander gives a flag that `ipo whatif` has too to `ipo whatif`, wherever it stands. */
export function given<T>(command: Command, above: Command): Given<T> {
  const options: Record<string, unknown> = { ...command.opts() };
  const stray: string[] = [];
  for (const option of above.options) {
    const name = option.attributeName();
    if (above.getOptionValueSource(name) !== 'cli') continue;
    const value: unknown = above.getOptionValue(name);
    const own = command.options.find((one) => one.attributeName() === name);
    if (own === undefined) stray.push(option.long ?? name);
    // A flag without its value means something only to a subcommand that has it so too.
    else if (value !== true || option.isBoolean() || own.optional) options[name] = value;
  }
  return { options: options as T, stray };
}
