/**
 * `ipo serve`: the service on this machine.
 * It uses `terminal`.
 */
import { Command, Option } from 'commander';
import type { Listed, Settle } from '../terminal/listed.ts';
import type { ServeFlags } from './run.ts';

/** listed is `ipo serve` in the help. */
export const listed: Listed = {
  name: 'serve',
  summary: 'run the service on this machine',
  group: 'The service:',
  place: 3,
  examples: [
    'ipo serve',
    'ipo serve --data ./ipo-data --listen 127.0.0.1:9000',
    'IPO_LOG_LEVEL=debug ipo serve -c ipo.yaml',
  ],
  define: serveCommand,
};

/** serveCommand defines `ipo serve`. */
function serveCommand(settle: Settle): Command {
  const command = new Command('serve')
    .description(
      'Run the service until Ctrl-C: ledger, policies, accounts and the API. It needs only a directory. Then sign in from another terminal: ipo login http://127.0.0.1:8080 --setup. In a cluster, ipod does the same.',
    )
    .addOption(
      new Option(
        '-c, --config <file>',
        'settings file (YAML or JSON); environment variables (IPO_…) take precedence',
      ),
    )
    .addOption(
      new Option('-d, --data <directory>', 'data directory; created if absent (default: ~/.local/share/ipo)'),
    )
    .addOption(new Option('-l, --listen <host:port>', 'address to listen on (default: 127.0.0.1:8080)'));
  return command.action(
    settle(async (terminal, globals) => {
      const { runServe } = await import('./run.ts');
      return runServe(command.opts<ServeFlags>(), terminal, globals);
    }),
  );
}
