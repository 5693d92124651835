/**
 * `ipo demo`: the service in memory with a made-up shop, `trackers/` with trackers of its own, `notifications/` with an inbox, and `runtime/` with events.
 * It uses `terminal`.
 */
import { Argument, Command, Option } from 'commander';
import type { Listed, Settle } from '../terminal/listed.ts';
import type { DemoFlags } from './run.ts';
import type { DemoTrackersFlags } from './trackers/run.ts';

/** TRACKERS are the trackers that can be played. */
const TRACKERS: readonly DemoTrackersFlags['tracker'][] = [
  'github',
  'github-enterprise',
  'gitlab',
  'jira-cloud',
  'jira-gateway',
  'jira-datacenter',
];

/** listed is `ipo demo` in the help. */
export const listed: Listed = {
  name: 'demo',
  summary: 'run the service in memory, with sample data',
  group: 'The service:',
  place: 2,
  examples: [
    'ipo demo',
    'ipo demo --listen 127.0.0.1:0',
    'ipo demo trackers gitlab',
    'ipo demo trackers --texts',
    'ipo demo notifications',
    'ipo demo runtime',
    'ipo demo notifications slack --event critical_finding',
  ],
  define: demoCommand,
};

/** demoCommand defines `ipo demo`. */
function demoCommand(settle: Settle): Command {
  const command = new Command('demo')
    .description(
      'Start the service with the last 30 days of admissions of a made-up shop, and print how to sign in and what to try. Press Ctrl-C to end it; no data remains.',
    )
    .addOption(
      new Option('-l, --listen <host:port>', 'address to listen on; port 0 takes a free port').default(
        '127.0.0.1:8080',
      ),
    );
  command.addCommand(trackers(settle));
  command.addCommand(notifications(settle));
  command.addCommand(runtime(settle));
  return command.action(
    settle(async (terminal, globals) => {
      const { runDemo } = await import('./run.ts');
      return runDemo(command.opts<DemoFlags>(), terminal, globals);
    }),
  );
}

function notifications(settle: Settle): Command {
  const command = new Command('notifications')
    .summary('show the message that mail, chats and webhooks get for each event')
    .description(
      'Send a sample of each event to a mail server, a Slack, a Teams and a webhook on this machine, and show what they received. ' +
        'Nothing leaves this machine, and no data remains.',
    )
    .addArgument(
      new Argument('[kind]', 'channel kind to show (default: all)').choices([
        'email',
        'slack',
        'teams',
        'webhook',
      ]),
    )
    .addOption(new Option('--event <event>', 'event to show (default: all)'));
  return command.action((kind: string | undefined) =>
    settle(async (terminal, globals) => {
      const { runDemoNotifications } = await import('./notifications/run.ts');
      return runDemoNotifications({ ...command.opts<{ event?: string }>(), kind }, terminal, globals);
    })(),
  );
}

function runtime(settle: Settle): Command {
  return new Command('runtime')
    .summary(
      'show what follows from events of running containers: an alert, its issue, stopped pods, a withheld stop',
    )
    .description(
      'Run a story of events that Falco reports: one that a rule allows, an alert and its throttle, a pod that a runtime policy stops, ' +
        'and a stop that is withheld since its controller makes the pod again. Nothing leaves this machine, and no data remains.',
    )
    .action(
      settle(async (terminal, globals) => {
        const { runDemoRuntime } = await import('./runtime/run.ts');
        return runDemoRuntime(terminal, globals);
      }),
    );
}

function trackers(settle: Settle): Command {
  const command = new Command('trackers')
    .summary('show the life of issues in a fake tracker on this machine')
    .description(
      'Run the life of issues in a tracker on this machine: a first run with its summary, then single issues, a fix, a ' +
        'triage and a retirement. Each issue is closed with its reason; remediation windows are shown in between. Nothing leaves this machine, ' +
        'and no data remains.',
    )
    .addArgument(new Argument('[tracker]', 'tracker to run').choices(TRACKERS).default('github'))
    .addOption(new Option('--texts', 'show the text of every opened issue'));
  return command.action((tracker: DemoTrackersFlags['tracker']) =>
    settle(async (terminal, globals) => {
      const { runDemoTrackers } = await import('./trackers/run.ts');
      return runDemoTrackers({ ...command.opts<{ texts?: true }>(), tracker }, terminal, globals);
    })(),
  );
}
