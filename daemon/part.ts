import { processTerminal, report } from '../bin/terminal/index.ts';

/** runPartProgram is the program of one part of the service, which `ipod` starts. */
export function runPartProgram(
  run: (options: { readonly process: NodeJS.Process; write(line: string): void }) => Promise<number>,
): void {
  const terminal = processTerminal();
  void run({ process, write: (line) => terminal.out(line) })
    .catch((error: unknown) => report(error, terminal, {}, 'ipod'))
    .then((code) => process.exit(code));
}
