import type { Command } from 'commander';
import type { Listed } from './listed.ts';

/** Leaf is something that can be called, by its words: `ipo policy lint`. */
export interface Leaf {
  readonly words: readonly string[];
  readonly command: Command;
}

/** shownBelow gives the commands below one that its help lists. */
export function shownBelow(command: Command): readonly Command[] {
  const listed = command.createHelp().visibleCommands(command);
  return command.commands.filter((below) => listed.includes(below));
}

/** leavesOf gives what can be called of a command and is in the help: itself, where it has an action, and what stands below it. */
export function leavesOf(command: Command, above: readonly string[] = ['ipo']): Leaf[] {
  const words = [...above, command.name()];
  const isCalled = (command as unknown as { _actionHandler: unknown })._actionHandler !== null;
  return [
    ...(isCalled ? [{ words, command }] : []),
    ...shownBelow(command).flatMap((below) => leavesOf(below, words)),
  ];
}

/** examplesOf gives for each leaf the example lines that call it. */
export function examplesOf(
  leaves: readonly Leaf[],
  examples: readonly string[],
): ReadonlyMap<Leaf, readonly string[]> {
  const found = new Map<Leaf, string[]>(leaves.map((leaf) => [leaf, []]));
  const longestFirst = leaves.toSorted((a, b) => b.words.length - a.words.length);
  for (const line of examples) {
    const leaf = longestFirst.find(({ words }) => `${line} `.includes(`${words.join(' ')} `));
    if (leaf !== undefined) found.get(leaf)?.push(line);
  }
  return found;
}

/**
 * showExamples puts up to three examples at the end of the help of a command and of each below it. They are sorted when one of these is
 * shown, since most runs show none.
 */
export function showExamples(command: Command, { examples }: Listed): Command {
  let texts: ReadonlyMap<Command, string> | undefined;
  const show = (one: Command): void => {
    one.addHelpText('after', () => (texts ??= textsOf(command, examples)).get(one) ?? '');
    for (const below of one.commands) show(below);
  };
  show(command);
  return command;
}

function textsOf(command: Command, examples: readonly string[]): ReadonlyMap<Command, string> {
  const leaves = leavesOf(command);
  const found = examplesOf(leaves, examples);
  const texts = new Map([...found].map(([leaf, lines]) => [leaf.command, textOf(lines)]));
  const one = [...found.values()].flatMap((lines) => lines.slice(0, 1));
  if (!texts.has(command)) texts.set(command, textOf(one.length > 1 ? one : examples));
  return texts;
}

/** Empty where there is none, so that nothing is written. */
function textOf(lines: readonly string[]): string {
  const shown = lines.slice(0, 3).map((line) => `\n  ${line}`);
  return shown.length > 0 ? `\nExamples:${shown.join('')}` : '';
}
