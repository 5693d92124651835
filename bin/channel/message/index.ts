import { Command, Option } from 'commander';
import { withServiceFlags } from '../../service/index.ts';
import type { Settle } from '../../terminal/listed.ts';
import { outputOption } from '../../terminal/output-option.ts';
import { wordOption } from '../../terminal/word-option.ts';
import { withPaging } from '../../terminal/paging-flags.ts';
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
      .summary('list the messages sent to a channel, newest first')
      .description(
        'List the messages of the last 90 days to a mail, chat or webhook channel, newest first: time, content, and the answer of the ' +
          'other side.',
      )
      .argument('<channel>', CHANNEL)
      .addOption(
        wordOption('--state <state>', 'messages in this state: waiting, sent or failed', [
          'waiting',
          'sent',
          'failed',
        ]),
      ),
    'messages',
    ', 1 to 1000 (default: 100)',
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
      'Send messages again: the named ones, or with --since those that failed. Each keeps its ID, so that the receiver can ' +
        'discard duplicates. Needs the role administrator.',
    )
    .argument('<channel>', CHANNEL)
    .argument('[message...]', 'IDs of messages, as ipo channel deliveries shows them')
    .addOption(
      new Option(
        '--since <time>',
        'messages that failed since this time: a time, a day, or a duration such as 24h',
      ),
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
    .summary('mute a channel for a while')
    .description(
      'Mute a channel for a while. When the mute ends, one message reports what happened meanwhile. ' +
        'The audit log records the reason. Needs the role administrator.',
    )
    .argument('<channel>', CHANNEL)
    .addOption(new Option('--for <duration>', 'duration, such as 6h; at most 720h').makeOptionMandatory())
    .addOption(new Option('--reason <text>', 'reason of the mute').makeOptionMandatory())
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
      'End the mute of a channel; waiting messages are sent within a minute. Needs the role administrator.',
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
    .summary('resume channels that a restore has paused')
    .description(
      'Resume a channel that is paused since the service was restored from a backup. A tracker resumes once the service has looked up what was ' +
        'filed since the backup, so that no issue is opened twice. While any tracker is paused, no issue is opened or closed. Needs the role administrator.',
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
      'Send one message that says that it is a test, and print the answer of the other side. Check that the message arrived. A tracker is ' +
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
