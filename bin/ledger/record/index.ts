import { Command, Option } from 'commander';
import type { Settle } from '../../terminal/listed.ts';
import { outputOption } from '../../terminal/output-option.ts';
import type { LedgerRecordOptions } from './options.ts';

/** recordCommand defines `ipo ledger record`. */
export function recordCommand(settle: Settle): Command {
  const many = (flags: string, text: string) => new Option(flags, text).argParser(collect);
  const command = new Command('record')
    .summary('make a ledger export from what a cluster already has')
    .description(
      'Make a ledger export from the pods of a cluster, or from the audit log of its API server, with nothing installed in the cluster. What these sources do not show stays unknown.',
    )
    .addOption(
      new Option(
        '--kubeconfig <file>',
        'kubeconfig of the cluster to read (default: KUBECONFIG, else ~/.kube/config)',
      ),
    )
    .addOption(new Option('--context <name>', 'context of the kubeconfig (default: the current one)'))
    .addOption(
      many(
        '--pods <file>',
        'read pods from this file instead: the output of kubectl get pods,services,ingresses -A -o json; repeatable; - is stdin',
      ),
    )
    .addOption(
      many(
        '--audit <file>',
        'read an audit log of the API server instead (JSON lines; plain, gz or zst); repeatable, in any order; - is stdin',
      ),
    )
    .addOption(
      many(
        '--services <file>',
        'Services and Ingresses of the cluster, as kubectl get -o json writes them; repeatable',
      ),
    )
    .addOption(
      new Option('--audit-policy', 'print the audit policy that --audit needs, and do nothing else'),
    );
  const facts = [
    many('-t, --trivy <path>', 'JSON reports of Trivy or trivy-operator, or a directory of them; repeatable'),
    new Option('--kev <file>', 'catalogue of known exploited vulnerabilities (JSON of CISA)'),
    new Option(
      '--registry',
      'ask registries for digests, signatures, attestations and provenance of each image',
    ),
    new Option(
      '--trust-root <file>',
      'trusted_root.json for keyless signatures, instead of the one of Sigstore',
    ),
    many('--insecure-registry <host>', 'host:port of a registry to call by plain HTTP; repeatable'),
    new Option('--registry-ca <file>', 'PEM file of additional certificate authorities for registries'),
    new Option('--registry-timeout <duration>', 'time limit of a registry for one image (default: 30s)'),
  ];
  for (const option of facts) command.addOption(option.helpGroup('Facts of the images:'));
  return command
    .addOption(new Option('--cluster <name>', 'name of the cluster in the rows (default: the context)'))
    .addOption(
      new Option(
        '--cold-image-policy <timing>',
        'decision on images without a scan record, for policies without admissionTiming',
      )
        .choices(['AllowAndScan', 'DenyUntilScanned'])
        .default('AllowAndScan'),
    )
    .addOption(new Option('--force', 'overwrite the file if it is there'))
    .addOption(
      outputOption('ndjson, ndjson.gz or ndjson.zst, or a file name with that ending', 'ndjson on stdout'),
    )
    .action(() =>
      settle(async (terminal, globals) => {
        const { runLedgerRecord } = await import('./run.ts');
        return runLedgerRecord(command.opts<LedgerRecordOptions>(), terminal, globals);
      })(),
    );
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
