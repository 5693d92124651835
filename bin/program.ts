import { Command, CommanderError, Help, Option } from 'commander';
import { COMMANDS } from './commands.ts';
import { holdValues } from './terminal/missing-value.ts';
import { otherSource, otherWord } from './terminal/other-words.ts';
import { showExamples } from './terminal/examples.ts';
import type { Listed, Settle } from './terminal/listed.ts';
import { withWrappedNotes } from './terminal/notes.ts';
import { EXIT, report, VERSION, type GlobalOptions, type Terminal } from './terminal/index.ts';

/** What defines commands is found here by definitions that stand in files of their own: there is one parser. */
export * as commander from 'commander';

/**
 * runProgram parses the arguments, runs one command and gives the exit code. Nothing here loads more than commander and the definition of
 * that command, which imports what it needs when it runs.
 */
export async function runProgram(argv: readonly string[], own: Terminal): Promise<number> {
  const terminal = withWrappedNotes(own);
  let code: number = EXIT.done;
  const program = rootProgram();
  const settle: Settle = (action) => async () => {
    code = await action(terminal, program.opts<GlobalOptions>());
  };
  const called = calledCommand(argv);
  // What completes words has to know every command.
  const all = called === 'completion';
  for (const { name, summary, group, load } of COMMANDS) {
    const command = name === called || all ? definedBy(await load(), settle) : new Command(name);
    program.addCommand(command.summary(summary).helpGroup(group));
  }
  configure(program, terminal);
  try {
    if (argv.length === 0) {
      terminal.err(START);
      return EXIT.usage;
    }
    await program.parseAsync(withoutHelp(argv), { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    return report(error, terminal, program.opts<GlobalOptions>());
  }
}

function definedBy(listed: Listed, settle: Settle): Command {
  return showExamples(listed.define(settle), listed);
}

/** rootProgram defines `ipo` itself, without its commands. */
export function rootProgram(): Command {
  return new Command('ipo')
    .description('Control which container images may run, and preview a policy change before you apply it.')
    .version(VERSION, '-v, --version', 'print the version; ipo version prints details')
    .helpOption('-h, --help', 'show help')
    .addOption(new Option('--no-color', 'print without colour'))
    .addOption(new Option('-q, --quiet', 'print only errors on stderr; the result on stdout stays the same'))
    .addOption(new Option('--verbose', 'print the stack trace of an error'))
    .addHelpText(
      'after',
      '\nExit codes: 0 done; 1 a check failed, or the given ID or name does not exist; 2 wrong usage, an invalid policy or export;\n' +
        '3 a file, server or network failed; 4 an integrity check failed; 5 inconclusive under --strict.\n' +
        '\nWhere to start: ipo demo, or ipo whatif POLICY --ledger EXPORT',
    )
    .showSuggestionAfterError()
    .enablePositionalOptions(false);
}

/** Printed by a bare `ipo`. */
const START = `ipo controls which container images may run, and previews a policy change before you apply it.

Start here:
  ipo demo                                   try a service with sample data on this machine
  ipo policy init > policy.yaml              write a starter policy
  ipo check IMAGE -p policy.yaml             check one image against it
  ipo whatif policy.yaml --ledger EXPORT     preview what it would have changed
  ipo login SERVER                           sign in to a service

All commands: ipo --help
`;

/** The first word that is not a flag, after `help` the next one: only this command is built. */
function calledCommand(argv: readonly string[]): string | undefined {
  const words = argv.filter((word) => !word.startsWith('-'));
  return words[0] === 'help' ? words[1] : words[0];
}

/** `help` before an unknown word goes: commander would answer it with the whole help and no error. */
function withoutHelp(argv: readonly string[]): string[] {
  const [help, called] = argv;
  const unknown = called !== undefined && !called.startsWith('-') && called !== 'help';
  const goes = help === 'help' && unknown && !COMMANDS.some(({ name }) => name === called);
  return argv.slice(goes ? 1 : 0);
}

/** What commander says of a wrong word, as our own errors say it. */
function inOurWords(text: string, { commands, options }: Command): string {
  const [, unknown = ''] = /^error: unknown command '(.*)'$/m.exec(text) ?? [];
  const other = otherWord(
    unknown,
    commands.map((command) => command.name()),
  );
  const [, flag = ''] = /^error: unknown option '([^'=]*)/.exec(text) ?? [];
  const source = otherSource(
    flag,
    options.map(({ long }) => long ?? ''),
  );
  const said =
    source === null ? text : text.replace(/^(error: .*)(?:\n\(Did you mean .*\))?$/m, `$1\n  ${source}`);
  return said
    .replace(
      /^(error: unknown command '.*')(?!\n\(Did you mean)$/m,
      other === null ? '$1' : `$1\n(Did you mean ${other}?)`,
    )
    .replace(
      /^error: command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/m,
      'error: $1 is not a valid $2; choose one of $3',
    )
    .replace(
      /^error: option '(?:-\w, )?(--[\w-]+).*' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/m,
      'error: $1 $2: choose one of $3',
    )
    .replace(/^error: option '(?:-\w, )?(--.*)' argument missing$/m, 'error: $1: no value given')
    .replace(/^error: required option '(.*)' not specified$/m, 'error: $1 is required')
    .replace(
      /^error: missing required argument '(before|after|old|new)'$/m,
      (_, which: string) => `error: no ${which.toUpperCase()} file given`,
    )
    .replace(/^error: missing required argument '(.*)'$/m, 'error: no $1 given')
    .replace(
      /^error: too many arguments for '.*'\. Expected \d+ arguments? but got \d+: (.*)\.$/m,
      'error: too many arguments: $1',
    )
    .replace(/^\((Did you mean .*\?)\)$/m, '  $1')
    .replace(/^error: /, 'ipo: ');
}

/** Every command, however deep, writes through the terminal and throws instead of ending the process. */
function configure(
  command: Command,
  terminal: Terminal,
  above: readonly string[] = [],
  root = command,
): void {
  const trail = [...above, command.name()];
  holdValues(command);
  command
    .exitOverride()
    .showHelpAfterError(`  See ${[...trail, '--help'].join(' ')}.`)
    .configureHelp({
      showGlobalOptions: true,
      // What a command takes stands in its own help.
      subcommandTerm: (of) => (of.parent === root ? of.name() : new Help().subcommandTerm(of)),
      // Not those of a command between, which its own help lists.
      visibleGlobalOptions: (of) => (of === root ? [] : root.options.filter(({ hidden }) => !hidden)),
    })
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      outputError: (text, write) => write(inOurWords(text, command)),
      // Help and errors have no colour. Asking the streams of the process loads those of Node, a seventh of the start.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      getOutHelpWidth: () => terminal.columns,
      getErrHelpWidth: () => terminal.columns,
    });
  for (const child of command.commands) configure(child, terminal, trail, root);
}
