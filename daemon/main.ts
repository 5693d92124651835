import { parseArgs } from 'node:util';
import { EXIT, processTerminal, report, VERSION, type Terminal } from '../bin/terminal/index.ts';
import { loadConfig, probeHealth, supervise } from '../src/app/index.ts';

const HELP = `Usage: ipod [options]

Runs the image-policy service. Settings come from the environment (IPO_…), then from the file.

Options:
  -c, --config FILE  settings, as YAML or JSON
  --check            check the settings and end
  --health           ask the service of these settings, on this machine, whether it lives
  -V, --version      print the version
  -h, --help         show help

Exit codes: 0 ended by a signal; 2 wrong usage or settings; 3 something outside failed.
`;

/** run is the daemon: it serves until a signal, and gives the exit code. */
export async function run(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  let options: {
    config?: string | undefined;
    check?: boolean;
    health?: boolean;
    version?: boolean;
    help?: boolean;
  };
  try {
    options = parseArgs({
      args: [...argv],
      options: {
        config: { type: 'string', short: 'c' },
        check: { type: 'boolean' },
        health: { type: 'boolean' },
        version: { type: 'boolean', short: 'V' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    terminal.err(
      `ipod: ${error instanceof Error ? error.message.split('\n')[0] : 'wrong usage'}\n  See ipod --help.\n`,
    );
    return EXIT.usage;
  }
  if (options.help || options.version) {
    terminal.out(options.help ? HELP : `${VERSION}\n`);
    return EXIT.done;
  }
  const sources = { file: options.config ?? null, env: terminal.env };
  try {
    if (options.check) {
      const { warnings } = await loadConfig(sources);
      for (const warning of warnings) terminal.err(`ipod: ${warning}\n`);
      terminal.out('the settings are right\n');
      return EXIT.done;
    }
    if (options.health) {
      await probeHealth((await loadConfig(sources)).settings);
      return EXIT.done;
    }
    return await supervise({ sources, version: VERSION, write: (line) => terminal.out(line), process });
  } catch (error) {
    return report(error, terminal, {}, 'ipod');
  }
}
