import type { Command, Option } from 'commander';
import { leavesOf, type Leaf } from '../../bin/terminal/examples.ts';
import type { Listed } from '../../bin/terminal/listed.ts';
import { environmentOf, everyFile, everyVariable, filesOf } from './environment.ts';
import { escape, inline, type Section } from './markdown.ts';
import {
  argumentList,
  argumentSynopsis,
  optionList,
  optionSynopsis,
  sameAs,
  sentence,
  sharedList,
  sharedOptions,
  textOf,
  visible,
} from './options.ts';

/** Manual is a command with what is said of it at length beside its definition. */
export interface Manual {
  readonly command: Command;
  readonly listed: Listed;
  readonly prose: Section;
}

/** Sections that have their own place; any other heading of the prose is printed before EXIT STATUS. */
const PLACED = ['DESCRIPTION', 'OPTIONS', 'COMMANDS', 'EXIT STATUS', 'ENVIRONMENT', 'FILES', 'SEE ALSO'];

/** manualPage writes the page of a command of `ipo` from its definition and its prose. */
export function manualPage({ command, listed, prose }: Manual): string {
  const leaves = leavesOf(command);
  const isOne = leaves.length === 1 && leaves[0]?.command === command;
  const shared = isOne ? [] : sharedOptions(leaves);
  checkProse(prose, leaves, command);
  const parts = [
    title(`ipo-${command.name()}`, 1, 'User Commands'),
    `.SH NAME\n${escape(`ipo-${command.name()} - ${listed.summary}`)}`,
    `.SH SYNOPSIS\n${leaves.map(synopsis).join('\n.br\n')}`,
    section(
      'DESCRIPTION',
      [
        descriptionOf(command, find(prose, 'DESCRIPTION')),
        ...(find(prose, 'DESCRIPTION')?.below ?? []).map(subsection),
      ].join('\n'),
    ),
    isOne ? section('OPTIONS', optionList(command.options, find(prose, 'OPTIONS'))) : '',
    isOne ? '' : section('COMMANDS', commandList(leaves, command, shared, prose)),
    section('OPTIONS', sharedList(shared, leaves, find(prose, 'OPTIONS'))),
    ...ownSections(prose),
    section('EXIT STATUS', textOf(find(prose, 'EXIT STATUS')) || EXIT_STATUS),
    ...ends(
      leaves.map((leaf) => leaf.command),
      prose,
    ),
    section('EXAMPLES', exampleLines(listed.examples)),
  ];
  return joined(parts, `ipo-${command.name()}(1)`, prose);
}

/** programPage writes the page of `ipo` itself: its commands, its own flags, every variable and every file. */
export function programPage(
  program: Command,
  commands: readonly { readonly command: Command; readonly listed: Listed }[],
  prose: Section,
): string {
  const list = commands.map(
    ({ command, listed }) =>
      `.TP\n\\fB${escape(`ipo-${command.name()}`)}\\fR(1)\n${inline(sentence(listed.summary))}`,
  );
  const options = [...program.options, ...helpOption(program)];
  return joined(
    [
      title('ipo', 1, 'User Commands'),
      `.SH NAME\n${escape('ipo - ')}${inline(program.description().replace(/\.$/, ''))}`,
      '.SH SYNOPSIS\n\\fBipo\\fR [\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]',
      section('COMMANDS', list.join('\n')),
      section('OPTIONS', optionList(options, find(prose, 'OPTIONS'))),
      ...ownSections(prose),
      section('EXIT STATUS', textOf(find(prose, 'EXIT STATUS'))),
      section('ENVIRONMENT', terms(everyVariable())),
      section('FILES', terms(everyFile())),
      section(
        'EXAMPLES',
        exampleLines(commands.slice(0, 3).flatMap(({ listed }) => listed.examples.slice(0, 1))),
      ),
    ],
    'ipo(1)',
    prose,
  );
}

/** The option of help is not an option like the others to commander. */
function helpOption(program: Command): Option[] {
  return program
    .createHelp()
    .visibleOptions(program)
    .filter(({ long }) => long === '--help');
}

/** handWritten writes a page that is prose as a whole: `name` is its title, and its first heading says what it is. */
export function handWritten(name: string, part: number, manual: string, prose: Section): string {
  const sections = prose.below
    .filter(({ title }) => title !== 'SEE ALSO')
    .map(
      (one) =>
        `.SH ${escape(one.title)}\n${[textOf(one), ...one.below.map(subsection)].filter((text) => text !== '').join('\n')}`,
    );
  return joined([title(name, part, manual), ...sections], `${name}(${part})`, prose);
}

const EXIT_STATUS = `.TP\n0\nDone.\n.TP\n1\nA check failed, or nothing has that name or id.\n.TP\n2\nWrong usage, or input that is not valid.
.TP\n3\nA file, the service, a credential or the network failed.\n.PP\n\\fBipo\\fR(1) lists every exit code.`;

function title(name: string, part: number, manual: string): string {
  return `.\\" Written by npm run man: do not edit.\n.TH ${escape(name.toUpperCase())} ${part} "" "image\\-policy\\-operator" "${manual}"`;
}

/** Puts the parts together, with SEE ALSO for every page that they name. */
function joined(parts: readonly string[], self: string, prose: Section): string {
  const body = parts.filter((part) => part !== '').join('\n');
  const named = [...body.matchAll(/\\fB(ipod?(?:\\-[a-z]+)?)\\fR(\(\d\))/g)].map(
    ([, name = '', number = '']) => `${name.replaceAll('\\-', '-')}${number}`,
  );
  const more = (find(prose, 'SEE ALSO')?.lines ?? []).join(' ').split(/[,\s]+/);
  const pages = [...new Set(['ipo(1)', ...named, ...more])].filter((page) => page !== '' && page !== self);
  return `${body}\n.SH SEE ALSO\n${pages.map(inline).join(',\n')}\n`;
}

function find(prose: Section, heading: string): Section | undefined {
  return prose.below.find(({ title }) => title === heading);
}

function section(heading: string, text: string): string {
  return text === '' ? '' : `.SH ${heading}\n${text}`;
}

function subsection(of: Section): string {
  return [`.SS ${escape(of.title)}`, textOf(of)].filter((text) => text !== '').join('\n');
}

function ownSections(prose: Section): string[] {
  return prose.below
    .filter((one) => !PLACED.includes(one.title))
    .map((one) => section(one.title, [textOf(one), ...one.below.map(subsection)].filter(Boolean).join('\n')));
}

function descriptionOf(command: Command, prose: Section | undefined): string {
  const long = textOf(prose);
  return long === '' ? inline(sentence(command.description())) : long;
}

function synopsis({ words, command }: Leaf): string {
  const options = visible(command);
  const shown =
    options.length > 12
      ? ['[\\fIOPTIONS\\fR]', ...options.filter(({ mandatory }) => mandatory).map(optionSynopsis)]
      : options.map(optionSynopsis);
  const parts = [...command.registeredArguments.map(argumentSynopsis), ...shown];
  return [`\\fB${escape(words.join(' '))}\\fR`, ...parts].join('\n');
}

function commandList(
  leaves: readonly Leaf[],
  top: Command,
  shared: readonly Option[],
  prose: Section,
): string {
  const said = find(prose, 'COMMANDS');
  const common = find(prose, 'OPTIONS');
  const haveIt = (flag: string) =>
    leaves.filter(({ command }) => visible(command).some(({ long }) => long === flag)).length;
  // What OPTIONS says of a flag holds for the one command that has it; of several each says its own.
  const ofOne = common && { ...common, below: common.below.filter(({ title }) => haveIt(title) === 1) };
  return leaves
    .filter(({ command }) => command !== top || visible(command).length > 0)
    .map(({ words, command }) => {
      const name = command === top ? words.join(' ') : words.slice(2).join(' ');
      const own = said?.below.find(({ title }) => title === name);
      const options = visible(command).filter(
        (one) => !shared.some((other) => sameAs(other) === sameAs(one)),
      );
      const text = command === top ? '' : descriptionOf(command, own);
      return [
        `.SS ${escape(name)}`,
        text,
        argumentList(command),
        optionList(options, own, { fallback: command === top ? common : ofOne }),
      ]
        .filter((part) => part !== '')
        .join('\n');
    })
    .join('\n');
}

/** A database that must be named by its flag comes from no variable. */
function flagOf({ long, required, description }: Command['options'][number]): string {
  const isNamed = long === '--database' && required && !description.includes('IPO_DATABASE');
  return isNamed ? '' : (long ?? '');
}

function ends(commands: readonly Command[], prose: Section): string[] {
  const flags = new Set(commands.flatMap((command) => command.options.map(flagOf)));
  const environment = [terms(environmentOf(flags)), textOf(find(prose, 'ENVIRONMENT'))];
  const files = [terms(filesOf(flags)), textOf(find(prose, 'FILES'))];
  return [
    section('ENVIRONMENT', environment.filter(Boolean).join('\n')),
    section('FILES', files.filter(Boolean).join('\n')),
  ];
}

function terms(entries: readonly (readonly [string, string])[]): string {
  return entries.map(([name, text]) => `.TP\n${inline(`\`${name}\``)}\n${inline(text)}`).join('\n');
}

function exampleLines(lines: readonly string[]): string {
  return lines.length === 0 ? '' : ['.EX', ...lines.map(escape), '.EE'].join('\n');
}

/** Prose that belongs to nothing would be lost: a heading names a flag or a command that there is. */
function checkProse(prose: Section, leaves: readonly Leaf[], top: Command): void {
  const place = `bin/${top.name()}/man.md`;
  const names = leaves.map(({ words }) => words.slice(2).join(' ') || words.join(' '));
  const flags = (commands: readonly Command[]) =>
    commands.flatMap((one) => one.options.map(({ long }) => long));
  for (const { title } of find(prose, 'OPTIONS')?.below ?? [])
    if (!flags(leaves.map(({ command }) => command)).includes(title))
      throw new Error(`${place}: there is no ${title}`);
  for (const { title, below } of find(prose, 'COMMANDS')?.below ?? []) {
    const index = names.indexOf(title);
    if (index === -1) throw new Error(`${place}: there is no command ${title}`);
    const command = leaves[index]?.command;
    for (const one of below)
      if (command === undefined || !flags([command]).includes(one.title))
        throw new Error(`${place}: ${title} has no ${one.title}`);
  }
}
