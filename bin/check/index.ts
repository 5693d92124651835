/**
 * `ipo check`: whether images would be admitted; what it judges by is found out in `src/checks`.
 * It uses `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import type { CheckOptions } from './options.ts';

/** listed is `ipo check` in the help. */
export const listed: Listed = {
  name: 'check',
  summary: 'check images or manifests against policies, as the webhook does',
  group: 'Policies and decisions:',
  place: 2,
  answers: [
    [
      'Would this image, or this manifest, be admitted?',
      '`ipo check IMAGE… --policy FILE`, or `-f FILE` for manifests',
    ],
  ],
  examples: [
    'ipo check -p policies.yaml registry.example.com/shop/web:1.4',
    'kustomize build deploy | ipo check -p policies.yaml -l ledger.ndjson.zst -f - --strict -o table -o sarif=check.sarif',
    'trivy image -f json --output report.json web:1.4 && ipo check -p policies.yaml -t report.json --by-name web:1.4',
    'ipo check -p policies/ -f deploy/ -l ledger.ndjson.zst',
    'ipo check -p policies.yaml --platform linux/arm64 registry.example.com/shop/web:1.4',
    'DOCKER_CONFIG=./ci ipo check -p policies.yaml --registry-ca ca.pem registry.example.com/shop/web:1.4',
    'ipo check -p policies.yaml -n shop --signals privileged,exposed -l ledger.ndjson.zst nginx:1.27',
  ],
  define: checkCommand,
};

/** checkCommand defines `ipo check`. */
function checkCommand(settle: Settle): Command {
  const command = new Command('check')
    .description(
      'Check images or manifests against policies, with the same decision as the admission webhook. Facts come from registries, a service, a ledger export or Trivy reports. Nothing is changed in a cluster, a service or a registry. Exit 1 when an image is denied or cannot be decided.',
    )
    .argument('[image...]', 'image references; or give manifests with -f')
    .addOption(
      many(
        '-p, --policy <file>',
        'policy file (one or several policies), or a directory of them; repeatable; - is stdin',
      ),
    )
    .addOption(
      many(
        '-f, --manifest <file>',
        'Kubernetes manifests (YAML or JSON), a directory of them, or an AdmissionReview; repeatable; - is stdin',
      ),
    )
    .addOption(new Option('-l, --ledger <file>', 'ledger export that holds facts on the images; - is stdin'))
    .addOption(many('-t, --trivy <file>', 'Trivy JSON report of an image; repeatable; - is stdin'))
    .addOption(new Option('--kev <file>', 'catalogue of known exploited vulnerabilities (JSON of CISA)'))
    .addOption(
      new Option('-n, --namespace <name>', 'namespace of images, and of objects without a namespace').default(
        'default',
      ),
    )
    .addOption(
      new Option(
        '--platform <os/arch[/variant]>',
        'judge multi-platform images by their scan for this platform, such as linux/arm64 (default: the worst of all)',
      ),
    )
    .addOption(
      new Option('--as-of <time>', 'time of the decision, RFC 3339 (default: time of the export, or now)'),
    )
    .addOption(
      new Option(
        '--cold-image-policy <timing>',
        'decision on images without a scan record, for policies without admissionTiming (default: the value of the export or the service, else AllowAndScan)',
      ).choices(['AllowAndScan', 'DenyUntilScanned']),
    )
    .addOption(new Option('--enforce', 'treat audit policies as enforcing'))
    .addOption(
      new Option(
        '--allow-undecided',
        'do not fail on images that cannot be decided; the exit code is then 0, or 5 with --strict',
      ),
    )
    .addOption(
      new Option(
        '--strict',
        'exit 5 when a fact is unknown, an image has no scan record (or none for --platform), an object that may create pods was skipped, or nothing was decided',
      ),
    )
    .addOption(
      new Option(
        '--groups <a,b>',
        'groups of the requester; --break-glass takes effect only if a policy allows one of them',
      ),
    )
    .addOption(outputOption('table, json, yaml, markdown, sarif, junit or github'));
  for (const option of registryOptions()) command.addOption(option.helpGroup('Registries:'));
  command.optionsGroup('Service with facts on the images:');
  withServiceFlags(command).addOption(
    new Option('--offline', 'call neither a service nor a registry').conflicts(['server', 'tokenStdin']),
  );
  for (const option of podOptions())
    command.addOption(option.helpGroup('Facts of the pod, for images given by name:'));
  return command.action((images: readonly string[]) =>
    settle(async (terminal, globals) => {
      const { runCheck } = await import('./run.ts');
      return runCheck(images, command.opts<CheckOptions>(), terminal, globals);
    })(),
  );
}

function registryOptions(): readonly Option[] {
  return [
    new Option(
      '--registry <when>',
      'ask registries for signatures, attestations and statements, and for digests of tags: auto (only what a policy needs and no file holds), always or never; with --ledger, auto asks nothing; with --ledger and --trivy, it asks only for the digests of tags',
    )
      .choices(['auto', 'always', 'never'])
      .default('auto'),
    new Option(
      '--by-name',
      'take the digest of a tag from the reports or the service, without asking the registry; for an image that is not pushed yet',
    ),
    new Option(
      '--trust-root <file>',
      'file trusted_root.json to verify keyless signatures (default: the one of Sigstore, fetched by TUF)',
    ),
    many(
      '--vex <file>',
      'attestation or bundle with a VEX document, or a VEX document FILE that is signed by FILE.sigstore.json; repeatable',
    ),
    many('--insecure-registry <host>', 'host:port of a registry to call by plain HTTP; repeatable'),
    new Option('--registry-ca <file>', 'PEM file of additional certificate authorities for registries'),
    new Option('--registry-timeout <duration>', 'time limit of registry calls for one image').default('30s'),
  ];
}

function podOptions(): readonly Option[] {
  return [
    new Option(
      '--signals <a,b>',
      'signals of the pod: privileged, root, hostNamespace, hostFilesystem, capabilities, exposed',
    ),
    new Option(
      '--exposed-by <name>',
      "object that exposes the pod: 'Service NS/NAME' or 'Ingress NS/NAME'; sets the signal exposed, unless --signals is given",
    ),
    new Option(
      '--quota <sentence>',
      "act as if the gate quota had denied with this message: 'node ceiling of 12 exceeded' or 'monthly allowance of 100 image names exceeded', with any number",
    ),
    new Option(
      '--break-glass <reason>',
      'break-glass annotation of the pod; takes effect only with --groups',
    ),
  ];
}

/** An option that may be given several times. */
function many(flags: string, text: string): Option {
  return new Option(flags, text).argParser(collect);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
