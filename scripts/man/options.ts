import type { Argument, Command, Option } from 'commander';
import type { Leaf } from '../../bin/terminal/examples.ts';
import { escape, inline, type Section, toRoff } from './markdown.ts';

/** argumentSynopsis and optionSynopsis write an argument and a flag as SYNOPSIS has them. */
export function argumentSynopsis(argument: Argument): string {
  const name = `\\fI${escape(argument.name().toUpperCase())}\\fR${argument.variadic ? '...' : ''}`;
  return argument.required ? name : `[${name}]`;
}

export function optionSynopsis(option: Option): string {
  const flag = `\\fB${escape(option.long ?? option.short ?? '')}\\fR`;
  const text = [flag, valueOf(option)].filter((part) => part !== '').join(' ');
  const again = option.parseArg !== undefined && /repeatable/.test(option.description) ? '...' : '';
  return option.mandatory ? text : `[${text}]${again}`;
}

/** `<format[=path]>` as FORMAT[=PATH], in italics. */
function valueOf(option: Option): string {
  const [, required, optional] = /(?:<(.+)>|\[(.+)\])$/.exec(option.flags.replace(/^[^<[]*/, '')) ?? [];
  const value = required ?? optional;
  if (value === undefined) return '';
  const name = value.toUpperCase().replaceAll(/[A-Z][A-Z.-]*/g, (word) => `\\fI${escape(word)}\\fR`);
  return required === undefined ? `[${name}]` : name;
}

/** visible gives the flags that the help shows. */
export function visible(command: Command): readonly Option[] {
  return command.options.filter(({ hidden }) => !hidden);
}

/** sharedOptions gives the flags that say the same in several commands, which are described once. */
export function sharedOptions(leaves: readonly Leaf[]): readonly Option[] {
  const seen = new Map<string, Option[]>();
  for (const option of leaves.flatMap(({ command }) => visible(command)))
    seen.set(sameAs(option), [...(seen.get(sameAs(option)) ?? []), option]);
  return [...seen.values()].flatMap(([first, ...more]) => (first && more.length > 0 ? [first] : []));
}

/** sameAs is equal for flags that say the same, with the same default. */
export function sameAs(option: Option): string {
  return JSON.stringify([option.flags, option.description, option.defaultValue]);
}

/** argumentList describes the arguments of a command. */
export function argumentList(command: Command): string {
  return command.registeredArguments
    .filter(({ description }) => description !== '')
    .map((one) => `.TP\n\\fI${escape(one.name().toUpperCase())}\\fR\n${inline(sentence(one.description))}`)
    .join('\n');
}

/** sharedList describes the flags that several commands have, with their names where not all have them. */
export function sharedList(
  shared: readonly Option[],
  leaves: readonly Leaf[],
  prose: Section | undefined,
): string {
  return shared
    .map((option) => {
      const of = leaves.filter(({ command }) =>
        visible(command).some((one) => sameAs(one) === sameAs(option)),
      );
      const names = of.map(({ words }) => `\`${words.slice(2).join(' ') || words.join(' ')}\``);
      const only = of.length === leaves.length ? '' : `\n${inline(`Commands: ${names.join(', ')}.`)}`;
      return `${optionEntry(option, prose)}${only}`;
    })
    .join('\n');
}

/** optionList describes flags; what a section of the prose with the flag's name says replaces the text of the help. */
export function optionList(
  options: readonly Option[],
  prose: Section | undefined,
  below?: { readonly fallback: Section | undefined },
): string {
  const headed = (heading: string) =>
    below === undefined ? `.SS ${escape(heading)}` : `.PP\n${escape(heading)}:`;
  let group = '';
  // As in the help, what belongs to no group comes before the groups.
  return options
    .filter(({ hidden }) => !hidden)
    .toSorted((a, b) => Number(a.helpGroupHeading !== undefined) - Number(b.helpGroupHeading !== undefined))
    .map((option) => {
      const heading = option.helpGroupHeading?.replace(/:$/, '') ?? '';
      const starts = heading === group ? '' : `${headed(heading)}\n`;
      group = heading;
      return `${starts}${optionEntry(option, prose, below?.fallback)}`;
    })
    .join('\n');
}

function optionEntry(option: Option, prose: Section | undefined, fallback?: Section): string {
  const long = [prose, fallback]
    .flatMap((one) => one?.below ?? [])
    .find(({ title }) => title === option.long);
  const value = valueOf(option);
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  const term = `${flags.map((flag) => `\\fB${escape(flag)}\\fR`).join(', ')}${value === '' ? '' : ` ${value}`}`;
  const isFormats = option.long === '--output';
  const short = isFormats ? `${option.description}.` : sentence(option.description);
  const text = long === undefined ? inline(short) : textOf(long);
  return ['.TP', term, text, choicesAndDefault(option, text)].filter((part) => part !== '').join('\n');
}

/** What commander checks and fills in, where the text does not say it already. */
function choicesAndDefault(option: Option, text: string): string {
  const choices = option.argChoices ?? [];
  const standard: unknown = option.defaultValueDescription ?? option.defaultValue;
  const isShown = (typeof standard === 'string' && standard !== '') || typeof standard === 'number';
  return [
    ...(choices.some((one) => !text.includes(one)) ? [`One of ${choices.join(', ')}.`] : []),
    ...(isShown && !/default/i.test(text) ? [`Default: ${standard}.`] : []),
  ]
    .map(inline)
    .join('\n');
}

/** A summary or an option's text as a sentence. */
export function sentence(text: string): string {
  // The name of a file, a form such as `sqlite:PATH` and a list of values such as `sent or failed` stay as they are written.
  const isName = /^(?:[a-z]+(?:[:/]\S|_\w|\.\w)|(?:[\w-]+, )+[\w-]+ or [\w-]+)/.test(text);
  const first = isName ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!)]$/.test(first) && !first.endsWith(')') ? first : `${first}.`;
}

/** textOf gives the text of a section in roff, without the macro that begins a paragraph. */
export function textOf(of: Section | undefined): string {
  return of === undefined ? '' : toRoff(of.lines).replace(/^\.PP\n/, '');
}
