/**
 * `ipo check`: whether images would be admitted; what it judges by is found out in `src/checks`.
 * It uses `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags, type ServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';

/** CheckOptions are the flags of `ipo check` as commander gives them. */
export interface CheckOptions extends ServiceFlags {
  readonly policy?: readonly string[];
  readonly manifest?: readonly string[];
  readonly ledger?: string;
  readonly trivy?: readonly string[];
  readonly kev?: string;
  readonly namespace: string;
  readonly asOf?: string;
  readonly coldImagePolicy?: 'AllowAndScan' | 'DenyUntilScanned';
  readonly enforce?: true;
  readonly strict?: true;
  readonly allowUndecided?: true;
  readonly byName?: true;
  readonly groups?: string;
  readonly signals?: string;
  readonly exposedBy?: string;
  readonly quota?: string;
  readonly platform?: string;
  readonly breakGlass?: string;
  readonly offline?: true;
  readonly registry: 'auto' | 'always' | 'never';
  readonly trustRoot?: string;
  readonly vex?: readonly string[];
  readonly insecureRegistry?: readonly string[];
  readonly registryCa?: string;
  readonly registryTimeout: string;
  readonly output?: readonly string[];
}

/** listed is `ipo check` in the help. */
export const listed: Listed = {
  name: 'check',
  summary: 'decide images or manifests as the webhook would',
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
  const many = (flags: string, text: string) => new Option(flags, text).argParser(collect);
  const command = new Command('check')
    .description(
      'Decides images or manifests under policies as the admission webhook would, with the facts of their registries, of a service, of a ledger export and of Trivy reports. Writes nothing anywhere. Exit 1 when something is refused or could not be decided.',
    )
    .argument('[image...]', 'image references; or give manifests with -f')
    .addOption(
      many(
        '-p, --policy <file>',
        'policy file, of one policy or several, or a directory of them; repeatable; - is stdin',
      ),
    )
    .addOption(
      many(
        '-f, --manifest <file>',
        'Kubernetes manifests (YAML or JSON), a directory of them, or an AdmissionReview; repeatable; - is stdin',
      ),
    )
    .addOption(
      new Option('-l, --ledger <file>', 'ledger export with what is known of the images; - is stdin'),
    )
    .addOption(many('-t, --trivy <file>', 'JSON report of Trivy for an image; repeatable; - is stdin'))
    .addOption(new Option('--kev <file>', 'catalogue of known exploited vulnerabilities (JSON of CISA)'))
    .addOption(
      new Option('-n, --namespace <name>', 'namespace of images, and of objects that name none').default(
        'default',
      ),
    )
    .addOption(
      new Option(
        '--platform <os/arch[/variant]>',
        'judge images of several platforms by their scan for this one, such as linux/arm64 (default: by the worst of all)',
      ),
    )
    .addOption(
      new Option(
        '--as-of <time>',
        'time of the decision (RFC 3339), instead of when the export was made, or now',
      ),
    )
    .addOption(
      new Option(
        '--cold-image-policy <timing>',
        'for images without a scan, where a policy does not say; instead of that of the export',
      ).choices(['AllowAndScan', 'DenyUntilScanned']),
    )
    .addOption(new Option('--enforce', 'judge audit policies as if they enforced'))
    .addOption(
      new Option(
        '--allow-undecided',
        'do not fail for images that could not be decided: exit 0, or 5 with --strict',
      ),
    )
    .addOption(
      new Option(
        '--strict',
        'exit 5 when a fact is unknown, an image has no scan record (or none for --platform), an object was skipped that seems to make pods, or nothing was decided',
      ),
    )
    .addOption(
      new Option('--groups <a,b>', 'groups of who asks: with them a break-glass annotation can be granted'),
    )
    .addOption(outputOption('table, json, yaml, markdown, sarif, junit or github'));
  const registries = [
    new Option(
      '--registry <when>',
      'ask the registries of images for digests, signatures, attestations and statements: for what a policy needs and no file tells (auto), always or never; with --ledger auto asks nobody',
    )
      .choices(['auto', 'always', 'never'])
      .default('auto'),
    new Option(
      '--by-name',
      'believe reports and the service which digest a tag stands for, without its registry: for an image that is not pushed yet',
    ),
    new Option(
      '--trust-root <file>',
      'trusted_root.json by which keyless signatures are verified, instead of the one of Sigstore by TUF',
    ),
    many('--vex <file>', 'signed VEX document, its bundle beside it; repeatable'),
    many('--insecure-registry <host>', 'host:port that may be called by plain HTTP; repeatable'),
    new Option(
      '--registry-ca <file>',
      'PEM file with further authorities that registries show certificates of',
    ),
    new Option('--registry-timeout <duration>', 'how long registries may take for one image').default('30s'),
  ];
  for (const option of registries) command.addOption(option.helpGroup('Registries:'));
  command.optionsGroup('The service that knows of the images:');
  withServiceFlags(command).addOption(
    new Option('--offline', 'ask neither a service nor a registry').conflicts(['server', 'tokenStdin']),
  );
  const facts = [
    new Option(
      '--signals <a,b>',
      'signals of the pod: privileged, root, hostNamespace, hostFilesystem, capabilities, exposed',
    ),
    new Option('--exposed-by <name>', "what exposes the pod: 'Service NS/NAME' or 'Ingress NS/NAME'"),
    new Option('--quota <sentence>', "the meter's refusal: 'monthly allowance of N image names exceeded'"),
    new Option(
      '--break-glass <reason>',
      'the break-glass annotation of the pod; granted with --groups alone',
    ),
  ];
  for (const option of facts)
    command.addOption(option.helpGroup('Facts of the pod when it is named by image alone:'));
  return command.action((images: readonly string[]) =>
    settle(async (terminal, globals) => {
      const { runCheck } = await import('./run.ts');
      return runCheck(images, command.opts<CheckOptions>(), terminal, globals);
    })(),
  );
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
