/**
 * `ipo version`: which program this is.
 * It uses `terminal`.
 */
import { Command } from 'commander';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import type { VersionOptions } from './run.ts';

/** listed is `ipo version` in the help. */
export const listed: Listed = {
  name: 'version',
  summary: 'print the version, the commit and the Node.js version',
  group: 'The service:',
  place: 5,
  examples: ['ipo version', 'ipo version -o json'],
  define: versionCommand,
};

/** versionCommand defines `ipo version`. */
function versionCommand(settle: Settle): Command {
  const command = new Command('version')
    .description(
      'Print the version of ipo, the commit that it was built from, and the version of Node.js that runs it.',
    )
    .addOption(outputOption());
  return command.action(
    settle(async (terminal) => {
      const { runVersion } = await import('./run.ts');
      return runVersion(command.opts<VersionOptions>(), terminal);
    }),
  );
}
