/**
 * `ipo system`: the clusters of a service, and what it counts of them.
 * It uses `service` and `terminal`.
 */
import { Command } from 'commander';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import type { SystemOptions } from './nodes.ts';

/** listed is `ipo system` in the help. */
export const listed: Listed = {
  name: 'system',
  summary: 'show the nodes and image names that count towards a licence',
  group: 'The service:',
  place: 9,
  examples: ['ipo system nodes', 'ipo system nodes -o json'],
  define: systemCommand,
};

/** systemCommand defines `ipo system` and what stands below it. */
function systemCommand(settle: Settle): Command {
  return new Command('system')
    .description('Show the nodes and image names of each cluster that count towards a licence.')
    .addCommand(nodes(settle));
}

function nodes(settle: Settle): Command {
  const command = withServiceFlags(new Command('nodes'))
    .summary('list clusters with their ready nodes, the ceiling and the image names of the month')
    .description(
      'List clusters with their ready nodes against the ceiling of the licence, when the ceiling is enforced, and the image names of the month.',
    )
    .addOption(outputOption());
  return command.action(
    settle(async (terminal) => {
      const { runSystemNodes } = await import('./nodes.ts');
      return runSystemNodes(command.opts<SystemOptions>(), terminal);
    }),
  );
}
