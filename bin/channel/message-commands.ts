import { Command, Option } from 'commander';
import { withServiceFlags } from '../service/index.ts';
import type { Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import { wordOption } from '../terminal/word-option.ts';
import { withPaging } from '../terminal/paging-flags.ts';
import type { ChannelDeliveriesOptions } from './deliveries.ts';
import type { ChannelMuteOptions } from './mute.ts';
import type { ChannelResumeOptions } from './resume.ts';
import type { ChannelResendOptions } from './resend.ts';
import type { ChannelTestOptions } from './test.ts';

const CHANNEL = 'name or id of the channel';

/** messageCommands define what lists, repeats, holds back and tries the messages of a channel. */
export const messageCommands = [deliveries, resend, mute, unmute, resume, test] as const;

function deliveries(settle: Settle): Command {
  const command = withPaging(
    withServiceFlags(new Command('deliveries'))
      .summary('list the messages that a channel was sent, newest first')
      .description(
        'Lists the messages of the last 90 days to a channel of mail, a chat or a webhook, newest first: when, what, and what the ' +
          'other side answered.',
      )
      .argument('<channel>', CHANNEL)
      .addOption(wordOption('--state <state>', 'messages in this state: waiting, sent or failed')),
    'messages',
  );
  return command.action((which: string) =>
    settle(async (terminal, globals) => {
      const { runChannelDeliveries } = await import('./deliveries.ts');
      return runChannelDeliveries(which, command.opts<ChannelDeliveriesOptions>(), terminal, globals);
    })(),
  );
}

function resend(settle: Settle): Command {
  const command = withServiceFlags(new Command('resend'))
    .summary('send messages of a channel again')
    .description(
      'Sends messages again, each with its id, by which the other side can tell that it has it: those that are named, or with ' +
        '--since those that failed. Needs the role administrator.',
    )
    .argument('<channel>', CHANNEL)
    .argument('[message...]', 'ids of messages, as ipo channel deliveries shows them')
    .addOption(
      new Option('--since <time>', 'messages that failed since then: a time, a day, or 24h for a day ago'),
    )
    .addOption(outputOption());
  return command.action((which: string, messages: readonly string[]) =>
    settle(async (terminal) => {
      const { runChannelResend } = await import('./resend.ts');
      return runChannelResend(which, messages, command.opts<ChannelResendOptions>(), terminal);
    })(),
  );
}

function mute(settle: Settle): Command {
  const command = withServiceFlags(new Command('mute'))
    .summary('send a channel nothing for a while')
    .description(
      'Sends a channel nothing for a while. What happens meanwhile is sent in one message when the mute ends, which it does by ' +
        'itself. The reason stands in the audit log. Needs the role administrator.',
    )
    .argument('<channel>', CHANNEL)
    .addOption(new Option('--for <duration>', 'how long, such as 6h; at most 720h').makeOptionMandatory())
    .addOption(new Option('--reason <text>', 'why').makeOptionMandatory())
    .addOption(outputOption());
  return command.action((which: string) =>
    settle(async (terminal) => {
      const { runChannelMute } = await import('./mute.ts');
      return runChannelMute(which, command.opts<ChannelMuteOptions>(), terminal);
    })(),
  );
}

function unmute(settle: Settle): Command {
  const command = withServiceFlags(new Command('unmute'))
    .summary('end the mute of a channel')
    .description(
      'Ends the mute of a channel; what waits is sent within a minute. Needs the role administrator.',
    )
    .argument('<channel>', CHANNEL)
    .addOption(outputOption());
  return command.action((which: string) =>
    settle(async (terminal) => {
      const { runChannelUnmute } = await import('./mute.ts');
      return runChannelUnmute(which, command.opts<ChannelTestOptions>(), terminal);
    })(),
  );
}

function resume(settle: Settle): Command {
  const command = withServiceFlags(new Command('resume'))
    .summary('let channels go on that are paused since a restore')
    .description(
      'Lets a channel go on that is paused since the service was restored from a backup. A tracker goes on once the service has looked up what was ' +
        'filed since the backup, so that no issue is opened twice; issues are opened once every tracker goes on. Needs the role administrator.',
    )
    .argument('[channel]', CHANNEL)
    .addOption(new Option('--all', 'every channel that is paused'))
    .addOption(outputOption());
  return command.action((which?: string) =>
    settle(async (terminal) => {
      const { runChannelResume } = await import('./resume.ts');
      return runChannelResume(which, command.opts<ChannelResumeOptions>(), terminal);
    })(),
  );
}

function test(settle: Settle): Command {
  const command = withServiceFlags(new Command('test'))
    .summary('send a channel a test message')
    .description(
      'Sends one message that says that it is a test, and says what the other side answered; look whether it arrived. A tracker is ' +
        'only read. Needs the role administrator.',
    )
    .argument('<channel>', CHANNEL)
    .addOption(outputOption());
  return command.action((which: string) =>
    settle(async (terminal) => {
      const { runChannelTest } = await import('./test.ts');
      return runChannelTest(which, command.opts<ChannelTestOptions>(), terminal);
    })(),
  );
}
