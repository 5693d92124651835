/**
 * `ipo channel`: where findings are filed and events are told; `setup/` asks a tracker what it needs before a channel is made.
 * It uses `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import { messageCommands } from './message/index.ts';
import { planCommand, previewCommand, setupCommand } from './setup/index.ts';
import type { ChannelListOptions, ChannelShowOptions } from './list.ts';
import type { ChannelEditOptions } from './edit.ts';
import type { ChannelDeleteOptions, ChannelAdoptOptions } from './switch.ts';

const WHICH = 'name or id of the channel';

/** listed is `ipo channel` in the help. */
export const listed: Listed = {
  name: 'channel',
  summary: 'manage channels: they open issues for findings and send notifications',
  group: 'Images and findings:',
  place: 5,
  answers: [['Where are critical findings filed?', '`ipo channel setup`, `ipo tracking list`']],
  examples: [
    'ipo channel setup',
    "ipo channel setup github --repo acme/shop --allowed-target 'acme/*' --credential-stdin --save < token",
    'ipo channel setup slack --name on-call --credential-stdin --save < address',
    'ipo channel setup email --host mail.example.com --from ipo@example.com --to ops@example.com --save',
    'ipo channel setup --file hub.yaml --disabled --credential-stdin --save < token',
    'ipo channel list',
    'ipo channel show hub',
    'ipo channel show hub --document > hub.yaml',
    'ipo channel edit hub --set dailyCap=50 --set labels=security,critical',
    'ipo channel edit hub --credential-stdin < token',
    'ipo channel edit hub --file hub.yaml',
    'ipo channel enable hub',
    'ipo channel disable hub',
    'ipo channel delete hub',
    'ipo channel adopt hub --from k3v7q2mzt5a6wxyb',
    'ipo channel preview hub',
    'ipo channel plan hub',
    'ipo channel deliveries on-call --state failed',
    'ipo channel resend on-call --since 24h',
    "ipo channel mute on-call --for 6h --reason 'upgrade of the cluster'",
    'ipo channel unmute on-call',
    'ipo channel resume --all',
    'ipo channel test on-call',
  ],
  define: channelCommand,
};

/** channelCommand defines `ipo channel` and what stands below it. */
function channelCommand(settle: Settle): Command {
  const channel = new Command('channel').description(
    'Manage channels. They open issues for findings in trackers, and tell people and programs about events.',
  );
  for (const define of [
    setupCommand,
    list,
    show,
    edit,
    enable,
    disable,
    remove,
    adopt,
    previewCommand,
    planCommand,
    ...messageCommands,
  ])
    channel.addCommand(define(settle));
  return channel;
}

function list(settle: Settle): Command {
  const command = withServiceFlags(new Command('list'))
    .summary('list the channels, in order of creation')
    .description(
      'List the channels, oldest first. The oldest enabled tracker channel opens the issue of a finding; once its dailyCap is reached, the next one does.',
    )
    .addOption(outputOption());
  return command.action(
    settle(async (terminal) => {
      const { runChannelList } = await import('./list.ts');
      return runChannelList(command.opts<ChannelListOptions>(), terminal);
    }),
  );
}

function show(settle: Settle): Command {
  const command = withServiceFlags(new Command('show'))
    .summary('show a channel, without its secrets')
    .description('Show a channel: its fields, the state of its secrets, and its last error.')
    .argument('<channel>', WHICH)
    .addOption(new Option('--document', 'print only the YAML document, ready for edit --file'))
    .addOption(outputOption());
  return command.action((which: string) =>
    settle(async (terminal) => {
      const { runChannelShow } = await import('./list.ts');
      return runChannelShow(which, command.opts<ChannelShowOptions>(), terminal);
    })(),
  );
}

function edit(settle: Settle): Command {
  const command = withServiceFlags(new Command('edit'))
    .summary('change fields or the credential of a channel')
    .description(
      'Change the named fields and keep the rest. If apiBaseUrl moves to another host, the credential must be entered again. ' +
        'Needs the role administrator.',
    )
    .argument('<channel>', WHICH)
    .addOption(new Option('--name <name>', 'new name of the channel'))
    .addOption(
      collecting(
        '--set <field=value>',
        'set a field, such as dailyCap=50; separate the values of a list by commas',
      ),
    )
    .addOption(collecting('--unset <field>', 'reset a field to its default'))
    .addOption(collecting('--event <event>', 'subscribe to these events only; repeatable'))
    .addOption(collecting('--subscribe <event>', 'add a subscription to an event'))
    .addOption(collecting('--unsubscribe <event>', 'remove the subscription to an event'))
    .addOption(new Option('--file <file>', 'apply this document (YAML or JSON) first; - is stdin'))
    .addOption(
      new Option('--ask-credential', 'ask for its credential: a token, a password or the address of a chat'),
    )
    .addOption(new Option('--credential-stdin', 'read its credential from stdin, one line'))
    .addOption(
      new Option(
        '--credential-field <field>',
        'credential to enter, if the channel has several: webhookUrl or secret of a webhook',
      ),
    )
    .addOption(outputOption());
  return command.action((which: string) =>
    settle(async (terminal, globals) => {
      const { runChannelEdit } = await import('./edit.ts');
      return runChannelEdit(which, command.opts<ChannelEditOptions>(), terminal, globals);
    })(),
  );
}

function enable(settle: Settle): Command {
  const command = withServiceFlags(new Command('enable'))
    .summary('enable a channel')
    .description(
      'Enable a channel. A tracker channel needs its credential first. Needs the role administrator.',
    )
    .argument('<channel>', WHICH)
    .addOption(outputOption());
  return command.action((which: string) =>
    settle(async (terminal, globals) => {
      const { runChannelSwitch } = await import('./switch.ts');
      return runChannelSwitch(which, true, command.opts<ChannelListOptions>(), terminal, globals);
    })(),
  );
}

function disable(settle: Settle): Command {
  const command = withServiceFlags(new Command('disable'))
    .summary('disable a channel; it keeps closing the issues that it opened')
    .description(
      'Disable a channel. It files nothing more, and keeps closing the issues that it opened. Needs the role administrator.',
    )
    .argument('<channel>', WHICH)
    .addOption(outputOption());
  return command.action((which: string) =>
    settle(async (terminal, globals) => {
      const { runChannelSwitch } = await import('./switch.ts');
      return runChannelSwitch(which, false, command.opts<ChannelListOptions>(), terminal, globals);
    })(),
  );
}

function remove(settle: Settle): Command {
  const command = withServiceFlags(new Command('delete'))
    .summary('delete a channel and its credential')
    .description(
      'Delete a channel, after confirmation. Issues that it opened stay open and keep blocking their findings until another channel ' +
        'adopts them; a disabled channel still closes them. Needs the role administrator.',
    )
    .argument('<channel>', WHICH)
    .addOption(new Option('-y, --yes', 'delete without asking for confirmation'))
    .addOption(outputOption());
  return command.action((which: string) =>
    settle(async (terminal, globals) => {
      const { runChannelDelete } = await import('./switch.ts');
      return runChannelDelete(which, command.opts<ChannelDeleteOptions>(), terminal, globals);
    })(),
  );
}

function adopt(settle: Settle): Command {
  const command = withServiceFlags(new Command('adopt'))
    .summary('move the open issues of a deleted channel to another')
    .description(
      'Move the open issues of a deleted channel to another of the same kind, which then closes them. ' +
        'Needs the role administrator.',
    )
    .argument('<channel>', `${WHICH} that takes over the issues of the deleted channel`)
    .addOption(
      new Option(
        '--from <id>',
        'ID of the deleted channel, as ipo tracking list shows it',
      ).makeOptionMandatory(),
    )
    .addOption(outputOption());
  return command.action((which: string) =>
    settle(async (terminal) => {
      const { runChannelAdopt } = await import('./switch.ts');
      return runChannelAdopt(which, command.opts<ChannelAdoptOptions>(), terminal);
    })(),
  );
}

function collecting(flags: string, description: string): Option {
  return new Option(flags, description).argParser(collect);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
