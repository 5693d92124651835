/**
 * `ipo tracker`: one read from a tracker, to test it.
 * It uses `channel`, `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import type { TrackerTestOptions } from './test.ts';

/** listed is `ipo tracker` in the help. */
export const listed: Listed = {
  name: 'tracker',
  summary: 'test the connection of a channel to its issue tracker; nothing is created',
  group: 'Images and findings:',
  place: 6,
  examples: [
    'ipo tracker test',
    'ipo tracker test hub',
    'ipo tracker test --file channel.yaml --credential-stdin < token',
  ],
  define: trackerCommand,
};

/** trackerCommand defines `ipo tracker` and what stands below it. */
function trackerCommand(settle: Settle): Command {
  const tracker = new Command('tracker').description('Test the trackers of channels.');
  tracker.addCommand(test(settle));
  return tracker;
}

function test(settle: Settle): Command {
  const command = withServiceFlags(new Command('test'))
    .summary('test the credential of a channel')
    .description(
      'Read the repository or project of a channel once, write nothing there, and report what to fix. With a channel, the ' +
        'service reads it with its stored credential; with --file, this machine reads it with a credential that you enter.',
    )
    .argument('[channel]', 'name or ID of the channel (default: all tracker channels)')
    .addOption(new Option('--file <file>', 'test a channel document (YAML or JSON) instead; - is stdin'))
    .addOption(new Option('--credential-stdin', 'with --file: read its token from stdin, one line'))
    .addOption(outputOption());
  return command.action((channel: string | undefined) =>
    settle(async (terminal) => {
      const { runTrackerTest } = await import('./test.ts');
      return runTrackerTest(channel, command.opts<TrackerTestOptions>(), terminal);
    })(),
  );
}
