import { Command, Option } from 'commander';
import { withServiceFlags } from '../../service/index.ts';
import type { Settle } from '../../terminal/listed.ts';
import { outputOption } from '../../terminal/output-option.ts';
import type { PolicyTestOptions } from './run.ts';

/** testCommand defines `ipo policy test`. */
export function testCommand(settle: Settle): Command {
  const many = (flags: string, text: string) => new Option(flags, text).argParser(collect);
  const command = new Command('test')
    .summary('run test cases of policies')
    .description(
      'Run files of test cases (kind: PolicyTest). Each case gives images, pods or manifests and what is known of them, and expects a verdict. Exit 1 when a case fails.',
    )
    .argument(
      '[file...]',
      'test files, or directories of files that end in .test.yaml, .test.yml or .test.json',
    )
    .addOption(
      new Option('--coverage', 'also list the gates that no case reached, and the gates that denied no case'),
    )
    .addOption(outputOption('table, json, junit or github (with --record: yaml or json)'));
  const recording = [
    new Option('--record <image>', 'print a test case with what is known of an image now'),
    many('-p, --policy <file>', 'policies of the recorded case; repeatable'),
    new Option('-l, --ledger <file>', 'ledger export with facts of the image'),
    many('-t, --trivy <file>', 'JSON report of Trivy for the image; repeatable'),
    new Option('--kev <file>', 'catalogue of known exploited vulnerabilities (JSON of CISA)'),
    new Option('-n, --namespace <name>', 'namespace of the image (default: default)'),
    new Option('--signals <a,b>', 'signals of the pod of the image'),
    new Option('--exposed-by <name>', "object that exposes the pod: 'Service NS/NAME' or 'Ingress NS/NAME'"),
    new Option('--registry <when>', 'ask the registry of the image: auto, always or never')
      .choices(['auto', 'always', 'never'])
      .default('auto'),
    new Option('--by-name', 'take the digest of a tag from the reports, without asking the registry'),
    new Option('--offline', 'call neither a service nor a registry').conflicts(['server', 'tokenStdin']),
  ];
  for (const option of recording) command.addOption(option.helpGroup('Recording a case:'));
  command.optionsGroup('Service with facts on the image:');
  withServiceFlags(command);
  return command.action((files: readonly string[]) =>
    settle(async (terminal, globals) => {
      const options = command.opts<PolicyTestOptions>();
      if (options.record !== undefined) {
        const { runRecord } = await import('./record.ts');
        return runRecord(options.record, files, options, terminal, globals);
      }
      const { runPolicyTest } = await import('./run.ts');
      return runPolicyTest(files, options, terminal, globals);
    })(),
  );
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
