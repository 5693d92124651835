import { Command, Option } from 'commander';
import { MARKED, outputOption } from '../../terminal/output-option.ts';
import { withServiceFlags } from '../../service/index.ts';
import type { Settle } from '../../terminal/listed.ts';
import type { ChannelSetupOptions } from './options.ts';
import type { ChannelPreviewOptions } from '../preview.ts';
import type { ChannelPlanOptions } from '../plan.ts';

const WHICH = 'name or id of the channel';

/** setupCommand defines `ipo channel setup`. */
export function setupCommand(settle: Settle): Command {
  const command = withServiceFlags(new Command('setup'))
    .summary('create a channel, after checking that it works')
    .description(
      'Ask for the settings of a channel, check them against the tracker or mail server (nothing is written or sent ' +
        'there), and save the channel or print it as YAML. Every answer can be given as a flag; without a terminal all needed ' +
        'flags must be given.',
    )
    .argument('[kind]', 'github, gitlab, jira, email, slack, teams or webhook')
    .addOption(new Option('--name <name>', 'name of the channel'))
    .addOption(new Option('--url <url>', 'address of the tracker or of any of its pages'))
    .addOption(
      new Option(
        '--repo <owner/name>',
        'GitHub: default repository; an image can choose another by its label org.opencontainers.image.source',
      ),
    )
    .addOption(
      new Option(
        '--project <project>',
        'GitLab: path or number of the default project; Jira: key of the project',
      ),
    )
    .addOption(new Option('--email <email>', 'Jira Cloud: e-mail address of the account'))
    .addOption(new Option('--issue-type <type>', 'Jira: type of the issues'))
    .addOption(
      new Option('--example-issue <key>', 'Jira: any open issue of the project; setup lists its transitions'),
    )
    .addOption(
      new Option(
        '--done-transition <id>',
        'Jira: transition that closes an issue, by ID or name; write none to leave issues open',
      ),
    )
    .addOption(collecting('--label <label>', 'label of every issue; repeatable, or separated by commas'))
    .addOption(
      collecting(
        '--allowed-target <glob>',
        'GitHub, GitLab: repositories that an image may choose for its issues, by its source label; repeatable, or separated by commas',
      ),
    )
    .addOption(new Option('--daily-cap <n>', 'maximum number of issues in any 24 hours, 1 to 500'))
    .addOption(
      new Option(
        '--no-first-run-summary',
        'open one issue per finding also in the first run, instead of one summary issue',
      ),
    );
  for (const option of mailOptions()) command.addOption(option);
  command
    .addOption(
      collecting('--event <event>', 'subscribe to these events only; repeatable, or separated by commas'),
    )
    .addOption(
      new Option('--gateway <url>', 'Jira Cloud: apiBaseUrl for scoped tokens').default(
        'https://api.atlassian.com',
      ),
    )
    .addOption(
      new Option(
        '--file <file>',
        'read the answers from a channel document (YAML or JSON); flags take precedence; - is stdin',
      ),
    )
    .addOption(new Option('--credential-stdin', 'read token, password or webhook URL from stdin, one line'))
    .addOption(new Option('--disabled', 'save the channel disabled'))
    .addOption(new Option('--save', 'save the channel in the service; needs the role administrator'))
    .addOption(new Option('--print', 'print the channel as YAML, without its secrets'))
    .addOption(outputOption());
  return command.action((kind: string | undefined) =>
    settle(async (terminal, globals) => {
      const { runChannelSetup } = await import('./run.ts');
      return runChannelSetup(kind, command.opts<ChannelSetupOptions>(), terminal, globals);
    })(),
  );
}

/** previewCommand defines `ipo channel preview`. */
export function previewCommand(settle: Settle): Command {
  const command = withServiceFlags(new Command('preview'))
    .summary('print the issue that a channel would open next')
    .description(
      'Print the issue that a tracker channel would open next, or the one of a finding, with its target and the reason. Nothing is ' +
        'filed, and no tracker is called.',
    )
    .argument('<channel>', WHICH)
    .addOption(
      new Option('--image <image>', 'image of the finding: its digest, or a part of its digest or name'),
    )
    .addOption(new Option('--cve <id>', 'CVE of the finding'))
    .addOption(outputOption(MARKED));
  return command.action((which: string) =>
    settle(async (terminal, globals) => {
      const { runChannelPreview } = await import('../preview.ts');
      return runChannelPreview(which, command.opts<ChannelPreviewOptions>(), terminal, globals);
    })(),
  );
}

/** planCommand defines `ipo channel plan`. */
export function planCommand(settle: Settle): Command {
  const command = withServiceFlags(new Command('plan'))
    .summary('count the issues that a channel would open')
    .description(
      'Count the issues that the next run of a tracker channel would open for the findings that wait now, and the ' +
        'days until its cap allows the rest. Nothing is filed.',
    )
    .argument('<channel>', WHICH)
    .addOption(outputOption(MARKED));
  return command.action((which: string) =>
    settle(async (terminal, globals) => {
      const { runChannelPlan } = await import('../plan.ts');
      return runChannelPlan(which, command.opts<ChannelPlanOptions>(), terminal, globals);
    })(),
  );
}

function collecting(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    ...value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ]);
}

function mailOptions(): readonly Option[] {
  return [
    new Option('--host <host>', 'Mail: name of the mail server'),
    new Option('--port <port>', 'Mail: port of the server (default: 587, or 465 with --security tls)'),
    new Option('--security <security>', 'Mail: starttls, tls, or none (on loopback only)'),
    new Option('--username <name>', 'Mail: account at the server; setup asks for its password'),
    new Option('--from <address>', 'Mail: sender'),
    collecting('--to <address>', 'Mail: recipient; repeatable, or separated by commas'),
    new Option('--no-check', 'Mail: save without checking the server from this machine'),
  ];
}
