/**
 * `ipo runtime`: rules over what running containers do, and what they would have done.
 * It uses `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import { runtimePolicyCommand } from './policy/index.ts';
import { runtimeRuleCommand } from './rule/index.ts';

/** RuntimeWhatIfOptions are the flags of `ipo runtime whatif`. */
export interface RuntimeWhatIfOptions {
  readonly events?: string;
  readonly failOnStops?: true;
  readonly output: readonly string[];
}

/** listed is `ipo runtime` in the help. */
export const listed: Listed = {
  name: 'runtime',
  summary: 'rules and policies on what running containers do',
  group: 'What was decided:',
  place: 3,
  examples: [
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
    'Try runtime rules and runtime policies on events of Falco, and put runtime policies in effect.',
  );
  runtime.addCommand(whatIf(settle));
  for (const define of [runtimeRuleCommand, runtimePolicyCommand]) runtime.addCommand(define(settle));
  return runtime;
}

function whatIf(settle: Settle): Command {
  const command = new Command('whatif')
    .summary('replay events under draft rules or a draft RuntimePolicy')
    .description(
      'Replays events of Falco under the rules and runtime policies of a file, and shows the alerts, issues and pod stops that would have been. Writes nothing and stops nothing.',
    )
    .argument('<file>', 'RuntimeRules and RuntimePolicy documents (YAML or JSON); - is stdin')
    .addOption(new Option('--events <file>', 'events as Falco writes them, one JSON object a line'))
    .addOption(new Option('--fail-on-stops', 'exit 1 when a pod would have been stopped'))
    .addOption(outputOption('table, json, yaml, markdown or html'));
  return command.action((file: string) =>
    settle(async (terminal, globals) => {
      const { runRuntimeWhatIf } = await import('./whatif.ts');
      return runRuntimeWhatIf(file, command.opts<RuntimeWhatIfOptions>(), terminal, globals);
    })(),
  );
}
