/**
 * `ipo runtime`: rules over what running containers do, and what they would have done.
 * It uses `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import type { Listed, Settle } from '../terminal/listed.ts';
import { withServiceFlags } from '../service/index.ts';
import { MARKED, outputOption } from '../terminal/output-option.ts';
import { withPaging } from '../terminal/paging-flags.ts';
import { PRIORITY_WORDS } from './priorities.ts';
import { wordOption } from '../terminal/word-option.ts';
import { detectorCommand } from './detector/index.ts';
import { runtimePolicyCommand } from './policy/index.ts';
import { runtimeRuleCommand } from './rule/index.ts';
import type { RuntimeWhatIfOptions } from './whatif.ts';
import type { RuntimeEventsOptions } from './events.ts';
import type { RuntimeTopOptions } from './top.ts';

/** listed is `ipo runtime` in the help. */
export const listed: Listed = {
  name: 'runtime',
  summary: 'list events of running containers, and manage the rules for these events',
  group: 'What was decided:',
  place: 3,
  examples: [
    'ipo runtime events --effect notify --since 24h',
    'ipo runtime events --namespace shop --priority Warning -f',
    'ipo runtime top --since 7d',
    'ipo runtime top --events falco.jsonl',
    'ipo runtime whatif rules.yaml --days 30',
    'ipo runtime whatif rules.yaml --events falco.jsonl',
    'ipo runtime whatif rules.yaml --events falco.jsonl -o html=runtime.html --fail-on-stops',
    'ipo runtime rule test rules.yaml --event event.json',
    'ipo runtime rule list',
    'ipo runtime rule show shells',
    'ipo runtime rule add shells --tags shell --window 3/10m --action notify',
    'ipo runtime rule add "backup reads secrets" --namespaces backup --field proc.name=restic --action allow --place 1',
    'ipo runtime rule edit shells --priority Warning --throttle 30m',
    'ipo runtime rule move shells --place 1',
    'ipo runtime rule delete shells --yes',
    'ipo runtime rule export > rules.yaml',
    'ipo runtime rule apply -f rules.yaml',
    'ipo runtime rule apply -f rules.yaml --dry-run --exit-code',
    'ipo runtime detector setup --no-wait --url https://ipo-detector.ipo-system.svc:8444 > falco.yaml',
    'ipo runtime detector setup --no-wait --connection sidekick',
    'ipo runtime detector bundle --out detector/',
    'ipo runtime detector status',
    'ipo runtime policy list',
    'ipo runtime policy show stop-dropped-binaries > stop.yaml',
    'ipo runtime policy apply stop.yaml',
    'ipo runtime policy apply runtime/ --dry-run --exit-code',
    'ipo runtime policy delete stop-dropped-binaries --yes',
  ],
  define: runtimeCommand,
};

/** runtimeCommand defines `ipo runtime` and what stands below it. */
function runtimeCommand(settle: Settle): Command {
  const runtime = new Command('runtime').description(
    'List events that Falco reports from running containers, and manage the rules and runtime policies that decide them.',
  );
  for (const define of [events, top, whatIf]) runtime.addCommand(define(settle));
  for (const define of [runtimeRuleCommand, runtimePolicyCommand, detectorCommand])
    runtime.addCommand(define(settle));
  return runtime;
}

function events(settle: Settle): Command {
  const command = withPaging(
    withServiceFlags(new Command('events'))
      .summary('list or follow events of the detector')
      .description(
        'List events of the runtime detector with what came of each, the newest first. With -f print them as they come.',
      )
      .addOption(
        wordOption(
          '--effect <effect>',
          'only events whose strongest effect is this one: allow, record (stored, no alert), notify (an alert was sent), issue (a tracker issue was opened) or stop (the pod was stopped)',
          ['allow', 'record', 'notify', 'issue', 'stop'],
        ),
      )
      .addOption(
        new Option(
          '--rule <name>',
          'only events of this detector rule, or that this runtime rule decided; policy:NAME for events whose pod this policy stopped',
        ),
      )
      .addOption(wordOption('--priority <priority>', 'this priority or a more severe one', PRIORITY_WORDS))
      .addOption(new Option('--image <image>', 'part of the name of the image, or its digest'))
      .addOption(new Option('--namespace <name>', 'namespace of the pod'))
      .addOption(new Option('--since <time>', 'a time, a day, or a duration such as 24h'))
      .addOption(new Option('-f, --follow', 'print events as they come; -o json prints one a line')),
    'events',
    ', 1 to 1000 (default: 50; with -f no maximum)',
  );
  return command.action(() =>
    settle(async (terminal, globals) => {
      const { runRuntimeEvents } = await import('./events.ts');
      return runRuntimeEvents(command.opts<RuntimeEventsOptions>(), terminal, globals);
    })(),
  );
}

function top(settle: Settle): Command {
  const command = withServiceFlags(new Command('top'))
    .summary('show the rules and workloads with most events, and a rule that would silence them')
    .description(
      'Group the newest events by workload and rule of the detector, largest groups first. For each group, print a runtime rule that allows its events, and say what else that rule would silence.',
    )
    .addOption(
      new Option(
        '--events <file>',
        'file of events as Falco writes them, read in place of the events of a service',
      ),
    )
    .addOption(new Option('--since <time>', 'events since this time (default: 24h)').conflicts('events'))
    .addOption(new Option('--namespace <name>', 'namespace of the pod').conflicts('events'))
    .addOption(new Option('--newest <n>', 'read at most the newest N events').default('10000'))
    .addOption(new Option('--limit <n>', 'show at most N groups').default('5'))
    .addOption(outputOption(MARKED));
  return command.action(() =>
    settle(async (terminal, globals) => {
      const { runRuntimeTop } = await import('./top.ts');
      return runRuntimeTop(command.opts<RuntimeTopOptions>(), terminal, globals);
    })(),
  );
}

function whatIf(settle: Settle): Command {
  const command = withServiceFlags(new Command('whatif'))
    .summary('replay events under draft rules or a draft RuntimePolicy')
    .description(
      'Replay stored events of a service, or those of a file, under draft rules and runtime policies. Show the alerts, issues and pod stops that would have followed. Writes nothing and stops nothing.',
    )
    .argument('<file>', 'RuntimeRules and RuntimePolicy documents (YAML or JSON); - is stdin')
    .addOption(new Option('-d, --days <n>', 'days of stored events to replay, 1 to 90 (default: 7)'))
    .addOption(
      new Option('--events <file>', 'events as Falco writes them, one JSON object a line; needs no service'),
    )
    .addOption(new Option('--fail-on-stops', 'exit 1 when a pod would have been stopped'))
    .addOption(outputOption('table, json, yaml, markdown or html'));
  return command.action((file: string) =>
    settle(async (terminal, globals) => {
      const { runRuntimeWhatIf } = await import('./whatif.ts');
      return runRuntimeWhatIf(file, command.opts<RuntimeWhatIfOptions>(), terminal, globals);
    })(),
  );
}
