import { processTerminal, VERSION, type Terminal } from './terminal/index.ts';

/** run is the command line: it gives the exit code. The version is told without loading a parser for it. */
export async function run(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  const [first] = argv;
  if (argv.length === 1 && (first === '--version' || first === '-v' || first === '-V')) {
    terminal.out(`${VERSION}\n`);
    return 0;
  }
  const { runProgram } = await import('./program.ts');
  return runProgram(argv, terminal);
}
