import type { Command } from 'commander';
import { leavesOf } from '../../bin/terminal/examples.ts';
import { GROUPS, type Listed } from '../../bin/terminal/listed.ts';

/** Defined is a command with how the help lists it. */
export interface Defined {
  readonly listed: Listed;
  readonly command: Command;
}

const SOURCES = [
  ['--ledger', 'an export'],
  ['--server', 'a service'],
  ['--database', 'a database'],
] as const;

/** commandTables lists everything that can be called, by the groups of the help, with what each works on. */
export function commandTables(all: readonly Defined[]): string {
  return GROUPS.map((group) => {
    const rows = all
      .filter(({ listed }) => listed.group === group)
      .flatMap(({ listed, command }) =>
        leavesOf(command).map((leaf) => {
          const summary =
            leaf.command === command ? listed.summary : leaf.command.summary() || leaf.command.description();
          return `| \`${called(leaf.words, leaf.command)}\` | ${cell(summary)} | ${sources(leaf.command)} |`;
        }),
      );
    return [
      `## ${group.replace(/:$/, '')}`,
      '',
      '| Command | What it does | Works on |',
      '|---|---|---|',
      ...rows,
    ].join('\n');
  }).join('\n\n');
}

/** answersTable lists the questions that commands answer. */
export function answersTable(all: readonly Defined[]): string {
  const rows = all.flatMap(({ listed }) =>
    (listed.answers ?? []).map(([question, answer]) => `| ${question} | ${answer} |`),
  );
  return ['| Question | Command |', '|---|---|', ...rows].join('\n');
}

function called(words: readonly string[], command: Command): string {
  const names = command.registeredArguments.map((argument) => {
    const name = `${argument.name().toUpperCase()}${argument.variadic ? '…' : ''}`;
    return argument.required ? name : `[${name}]`;
  });
  return [...words, ...names].join(' ');
}

function sources(command: Command): string {
  const flags = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long);
  return SOURCES.filter(([flag]) => flags.includes(flag))
    .map(([, text]) => text)
    .join(', ');
}

function cell(text: string): string {
  const line = text.replaceAll('|', '\\|').replace(/\.$/, '');
  return line.charAt(0).toUpperCase() + line.slice(1);
}
