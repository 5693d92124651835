import { RootCommand, ShellCompDirective, type Command as Words } from '@bomb.sh/tab';
import type { Argument, Command, Option } from 'commander';
import { shownBelow } from '../terminal/examples.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { captured } from './captured.ts';
import { namesFor, type Names } from './names.ts';

/** A value that is one of a list, is a name that a service knows, or is left to the shell, which completes files. */
type Values = ((complete: (value: string, description: string) => void) => void) | undefined;

/**
 * runComplete prints what could stand where the cursor is, one on a line with what it means, and then how the shell goes on. `typed` are the words
 * behind `ipo`; the last is the one at the cursor, and empty where it was not begun. A fault prints nothing: a shell that completes has no place for it.
 */
export async function runComplete(
  program: Command,
  typed: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const names = await namesFor(typed, terminal);
  const root = new RootCommand();
  addOptions(root, program);
  for (const command of shownBelow(program)) addCommand(root, command, [], names);
  const text = captured(() => root.parse(typed.length === 0 ? [''] : [...typed]));
  // The library forbids files even where nothing else could stand.
  const [directive, ...words] = text.trimEnd().split('\n').toReversed();
  const files = words.length === 0 ? `:${ShellCompDirective.ShellCompDirectiveDefault}` : directive;
  terminal.out(`${[...words.toReversed(), files].join('\n')}\n`);
  return EXIT.done;
}

function addCommand(root: RootCommand, command: Command, above: readonly string[], names: Names): void {
  const trail = [...above, command.name()];
  const words = root.command(trail.join(' '), command.summary() || firstSentence(command.description()));
  addOptions(words, command, trail.join(' '), names);
  for (const argument of command.registeredArguments)
    words.argument(
      argument.name(),
      valuesOf(argument, trail.join(' '), argument.name(), names),
      argument.variadic,
    );
  for (const child of shownBelow(command)) addCommand(root, child, trail, names);
}

function addOptions(words: Words, command: Command, trail = '', names: Names = new Map()): void {
  for (const option of command.options) {
    const long = option.long?.slice(2);
    if (long === undefined || option.hidden) continue;
    const short = option.short?.slice(1);
    if (option.required || option.optional)
      words.option(long, option.description, valuesOf(option, trail, `--${long}`, names) ?? noValues, short);
    else words.option(long, option.description, short);
  }
}

/** A value that nothing is known of: the shell completes a file. */
function noValues(): void {}

function valuesOf(of: Argument | Option, trail: string, name: string, names: Names): Values {
  if (of.argChoices !== undefined)
    return (complete) => of.argChoices?.forEach((value) => complete(value, ''));
  const known = names.get(`${trail} ${name}`);
  return known === undefined ? undefined : (complete) => known.forEach((value) => complete(value, ''));
}

function firstSentence(text: string): string {
  return /^.*?[.;:](?=\s|$)/s.exec(text)?.[0].replaceAll(/\s+/g, ' ') ?? text;
}
