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
    if (!command.options.some((own) => own.attributeName() === name)) stray.push(option.long ?? name);
    else if (value !== true || option.isBoolean()) options[name] = value;
  }
  return { options: options as T, stray };
}
