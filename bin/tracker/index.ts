/**
 * `ipo tracker`: one read from a tracker, to test it.
 * It uses `channel`, `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags, type ServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';

/** TrackerTestOptions are the flags of `ipo tracker test`. */
export interface TrackerTestOptions extends ServiceFlags {
  readonly file?: string;
  readonly credentialStdin?: true;
  readonly output: readonly string[];
}

/** listed is `ipo tracker` in the help. */
export const listed: Listed = {
  name: 'tracker',
  summary: 'test a tracker with one read; nothing is written',
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
  const tracker = new Command('tracker').description('Try the trackers of channels.');
  tracker.addCommand(test(settle));
  return tracker;
}

function test(settle: Settle): Command {
  const command = withServiceFlags(new Command('test'))
    .summary('test the credential of a channel')
    .description(
      'Makes one read of the repository or project of a channel, writes nothing there, and says what to fix. With a channel the ' +
        'service makes it, with the credential that it holds; with --file this machine does, with one that you enter.',
    )
    .argument('[channel]', 'name or id of the channel; all tracker channels without one')
    .addOption(new Option('--file <file>', 'a channel as YAML or JSON instead; - is stdin'))
    .addOption(new Option('--credential-stdin', 'with --file: read its token from stdin, one line'))
    .addOption(outputOption());
  return command.action((channel: string | undefined) =>
    settle(async (terminal) => {
      const { runTrackerTest } = await import('./test.ts');
      return runTrackerTest(channel, command.opts<TrackerTestOptions>(), terminal);
    })(),
  );
}
