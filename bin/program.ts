import { Command, CommanderError, Option } from 'commander';
import { accountCommand } from './commands/account.ts';
import { auditCommand } from './commands/audit.ts';
import { checkCommand } from './commands/check.ts';
import { demoCommand } from './commands/demo.ts';
import { imagesCommand } from './commands/images.ts';
import { ledgerCommand } from './commands/ledger.ts';
import { loginCommand } from './commands/login.ts';
import { logoutCommand } from './commands/logout.ts';
import { migrateCommand } from './commands/migrate.ts';
import { policyCommand } from './commands/policy.ts';
import { scanCommand } from './commands/scan.ts';
import { serveCommand } from './commands/serve.ts';
import { tokenCommand } from './commands/token.ts';
import { triageCommand } from './commands/triage.ts';
import { vulnsCommand } from './commands/vulns.ts';
import { whatifCommand } from './commands/whatif.ts';
import { whoamiCommand } from './commands/whoami.ts';
import { EXIT, report } from './ui/exit.ts';
import type { GlobalOptions, Terminal } from './ui/terminal.ts';
import { VERSION } from './version.ts';

/**
 * runProgram parses the arguments, runs one command and gives the exit code. Nothing here loads more than commander;
 * each command imports what it needs when it runs.
 */
export async function runProgram(argv: readonly string[], terminal: Terminal): Promise<number> {
  let code: number = EXIT.done;
  const program = new Command('ipo')
    .description(
      'Decide which container images may run, and see what a policy would change before it is saved.',
    )
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .addOption(new Option('--no-color', 'no colour, whatever the terminal'))
    .addOption(new Option('-q, --quiet', 'nothing on stderr but errors'))
    .addOption(new Option('--verbose', 'with a fault, say where in the program it came from'))
    .addHelpText(
      'after',
      '\nExit codes: 0 done; 1 a check did not hold; 2 wrong usage, invalid policy or export;\n' +
        '3 something outside failed; 4 integrity; 5 inconclusive under --strict.\n' +
        '\nStart with: ipo whatif POLICY --ledger EXPORT',
    )
    .showSuggestionAfterError()
    .enablePositionalOptions(false);
  const settle = (action: (terminal: Terminal, options: GlobalOptions) => Promise<number>) => async () => {
    code = await action(terminal, program.opts<GlobalOptions>());
  };
  for (const command of [
    whatifCommand(settle),
    checkCommand(settle),
    policyCommand(settle),
    ledgerCommand(settle),
    imagesCommand(settle),
    vulnsCommand(settle),
    triageCommand(settle),
    scanCommand(settle),
    migrateCommand(settle),
    serveCommand(settle),
    demoCommand(settle),
    loginCommand(settle),
    logoutCommand(settle),
    whoamiCommand(settle),
    accountCommand(settle),
    tokenCommand(settle),
    auditCommand(settle),
  ]) {
    program.addCommand(command);
  }
  configure(program, terminal);
  try {
    if (argv.length === 0) {
      terminal.err(program.helpInformation());
      return EXIT.usage;
    }
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    return report(error, terminal, program.opts<GlobalOptions>());
  }
}

/** Every command, however deep, writes through the terminal and throws instead of ending the process. */
function configure(
  command: Command,
  terminal: Terminal,
  above: readonly string[] = [],
  root = command,
): void {
  const trail = [...above, command.name()];
  command
    .exitOverride()
    .showHelpAfterError(`  See ${[...trail, '--help'].join(' ')}.`)
    .configureHelp({
      showGlobalOptions: true,
      // Not those of a command between, which its own help lists.
      visibleGlobalOptions: (of) => (of === root ? [] : root.options.filter(({ hidden }) => !hidden)),
    })
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'ipo: ')),
      getOutHelpWidth: () => terminal.columns,
      getErrHelpWidth: () => terminal.columns,
    });
  for (const child of command.commands) configure(child, terminal, trail, root);
}
