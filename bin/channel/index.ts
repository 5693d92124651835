/**
 * `ipo channel`: where findings are filed and events are told; `setup/` asks a tracker what it needs before a channel is made.
 * It uses `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags, type ServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import { messageCommands } from './message-commands.ts';
import { planCommand, previewCommand, setupCommand } from './setup/index.ts';

/** ChannelListOptions are the flags of `ipo channel list`, and of those that switch a channel. */
export interface ChannelListOptions extends ServiceFlags {
  readonly output: readonly string[];
}

/** ChannelShowOptions are the flags of `ipo channel show`. */
export interface ChannelShowOptions extends ChannelListOptions {
  readonly document?: true;
}

/** ChannelEditOptions are the flags of `ipo channel edit`. */
export interface ChannelEditOptions extends ChannelListOptions {
  readonly name?: string;
  readonly set?: readonly string[];
  readonly unset?: readonly string[];
  readonly event?: readonly string[];
  readonly subscribe?: readonly string[];
  readonly unsubscribe?: readonly string[];
  readonly file?: string;
  readonly askCredential?: true;
  readonly credentialStdin?: true;
  readonly credentialField?: string;
}

/** ChannelDeleteOptions are the flags of `ipo channel delete`. */
export interface ChannelDeleteOptions extends ChannelListOptions {
  readonly yes?: true;
}

/** ChannelAdoptOptions are the flags of `ipo channel adopt`. */
export interface ChannelAdoptOptions extends ChannelListOptions {
  readonly from: string;
}

const WHICH = 'name or id of the channel';

/** listed is `ipo channel` in the help. */
export const listed: Listed = {
  name: 'channel',
  summary: 'manage channels: where findings are filed and events are sent',
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
    'Manages channels: where findings are filed and events are sent.',
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
      'Lists the channels. Of several tracker channels the first that is enabled and under its cap files a finding.',
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
    .description('Shows a channel: its fields, how its secrets stand, and what went wrong last.')
    .argument('<channel>', WHICH)
    .addOption(new Option('--document', 'as YAML alone, ready to be edited and given to edit --file'))
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
      'Changes what is named and leaves the rest as it is. An apiBaseUrl on another host needs the credential again. ' +
        'Needs the role administrator.',
    )
    .argument('<channel>', WHICH)
    .addOption(new Option('--name <name>', 'another name'))
    .addOption(
      collecting(
        '--set <field=value>',
        'set a field, such as dailyCap=50; values of a list are joined by commas',
      ),
    )
    .addOption(collecting('--unset <field>', 'give a field its default again'))
    .addOption(collecting('--event <event>', 'subscribe to these events alone; repeatable'))
    .addOption(collecting('--subscribe <event>', 'subscribe to an event too'))
    .addOption(collecting('--unsubscribe <event>', 'subscribe to an event no more'))
    .addOption(new Option('--file <file>', 'write this document (YAML or JSON) first; - is stdin'))
    .addOption(
      new Option('--ask-credential', 'ask for its credential: a token, a password or the address of a chat'),
    )
    .addOption(new Option('--credential-stdin', 'read its credential from stdin, one line'))
    .addOption(
      new Option(
        '--credential-field <field>',
        'which one, where it has several: webhookUrl or secret of a webhook',
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
      'Enables a channel. A tracker channel needs its credential first. Needs the role administrator.',
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
    .summary('disable a channel; it still closes the issues that it opened')
    .description(
      'Disables a channel: it files nothing, and still closes the issues that it opened. Needs the role administrator.',
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
      'Asks, and deletes a channel. Issues that it opened stay open and keep blocking their findings, unless another channel ' +
        'adopts them; disable closes them still. Needs the role administrator.',
    )
    .argument('<channel>', WHICH)
    .addOption(new Option('-y, --yes', 'delete without being asked'))
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
    .summary('hand the open issues of a deleted channel to another')
    .description(
      'Hands the open rows of a deleted channel to another of the same kind, which closes their issues from then on. ' +
        'Needs the role administrator.',
    )
    .argument('<channel>', `${WHICH} that closes them from now on`)
    .addOption(
      new Option(
        '--from <id>',
        'id of the deleted channel, as ipo tracking list shows it',
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
