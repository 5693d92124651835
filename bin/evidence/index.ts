/**
 * `ipo evidence`: packages that show what was decided in a period, made, verified, sampled and compared.
 * It uses `files`, `ledger`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withLedgerFlags } from '../ledger/source-flags.ts';
import {
  cancelCommand,
  declarationsCommand,
  declareCommand,
  deleteCommand,
  downloadCommand,
  listCommand,
  withdrawCommand,
} from './kept/index.ts';
import type {
  EvidenceCreateOptions,
  EvidenceSampleOptions,
  EvidenceShowOptions,
  EvidenceVerifyOptions,
} from './options.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';

/** listed is `ipo evidence` in the help. */
export const listed: Listed = {
  name: 'evidence',
  summary: 'create, verify, sample and diff evidence packages for auditors',
  group: 'What was decided:',
  place: 3,
  examples: [
    'ipo evidence create --period 2026-10 --framework soc2 --out service.zip',
    'ipo evidence create --ledger ledger.ndjson.zst --key evidence.key --days 90 --out evidence.zip',
    'ipo evidence create --ledger ledger.ndjson.zst --key evidence.key --period 2026-10 --framework soc2 --out october.zip',
    'ipo evidence create --database sqlite:/var/lib/ipo/ipo.db --key evidence.key --days 90 --out database.zip',
    'ipo evidence list',
    'ipo evidence download k3v7q2mzt5a6wxyb --out october-again.zip',
    'ipo evidence cancel k3v7q2mzt5a6wxyb',
    'ipo evidence delete k3v7q2mzt5a6wxyb --yes',
    'ipo evidence declare "All clusters report to this service." --until 2027-06-30T00:00:00Z',
    'ipo evidence declarations',
    'ipo evidence withdraw d5xk2vq7mzt4a3wy',
    'ipo evidence show evidence.zip',
    'ipo evidence verify evidence.zip',
    'ipo evidence recompute evidence.zip',
    'ipo evidence sample evidence.zip --population admissions --size 25 --seed 2026-audit',
    'ipo evidence diff evidence.zip october.zip',
    'ipo evidence frameworks',
    'ipo evidence frameworks soc2',
    'ipo evidence schema -o json=evidence.schema.json',
  ],
  define: evidenceCommand,
};

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** evidenceCommand defines `ipo evidence` and what stands below it. */
function evidenceCommand(settle: Settle): Command {
  const evidence = new Command('evidence').description(
    'Evidence packages: one signed ZIP file that shows what was decided in a period, for auditors. Anyone can verify and recompute it without a service.',
  );
  for (const define of [
    createCommand,
    listCommand,
    downloadCommand,
    cancelCommand,
    deleteCommand,
    declareCommand,
    declarationsCommand,
    withdrawCommand,
    showCommand,
    verifyCommand,
    recomputeCommand,
    sampleCommand,
    diffCommand,
    frameworksCommand,
    schemaCommand,
  ])
    evidence.addCommand(define(settle));
  return evidence;
}

function createCommand(settle: Settle): Command {
  const command = withLedgerFlags(new Command('create'))
    .summary('create a package of a period')
    .description(
      'Let a service create a package, and wait for it. With --ledger or --database the package is made on this machine and signed with your key. The file is written whole or not at all.',
    )
    .addOption(new Option('--period <period>', 'a year, quarter or month in UTC: 2026, 2026-Q3 or 2026-10'))
    .addOption(new Option('--days <n>', 'number of days to look back, 1 to 400'))
    .addOption(new Option('--from <time>', 'start of the period: a day or an RFC 3339 time'))
    .addOption(new Option('--to <time>', 'end of the period; if it is a day, the whole day is included'));
  for (const [flags, what, none] of [
    ['--framework <id>', 'a framework to include; repeatable', "the service's setting, else all"],
    ['--cluster <name>', 'count only this cluster; repeatable', 'all'],
    ['-n, --namespace <name>', 'count only this namespace; repeatable', 'all'],
  ] as const)
    command.addOption(new Option(flags, what).argParser(collect).default([], none));
  command
    .addOption(new Option('--include-runtime-raw', 'include the newest runtime events as stored, up to 5000'))
    .addOption(new Option('--out <file>', 'the package to write, a .zip file'))
    .addOption(new Option('--force', 'overwrite the file if it is there'))
    .addOption(new Option('--no-wait', 'with a service: print the ID of the package, and do not wait for it'))
    .addOption(
      new Option(
        '--cold-image-policy <timing>',
        'with --database: the value that the service has for webhook.coldImagePolicy; it decides on images without a scan record (default: AllowAndScan)',
      ).choices(['AllowAndScan', 'DenyUntilScanned']),
    )
    .addOption(
      new Option(
        '--cluster-name <name>',
        'with --database: name of the cluster, for the header of the file with the rows',
      ),
    )
    .addOption(new Option('--public-url <url>', 'with --database: where the service lists its public keys'));
  for (const [flags, what] of [
    ['--key <file>', 'private key that signs, ECDSA P-256 in PEM'],
    ['--organisation <name>', 'name of the organisation'],
    ['--contact <text>', 'person or address for questions about the package'],
    [
      '--at <time>',
      'creation time in the package; give the same time to get the same bytes again (default: now)',
    ],
  ] as const)
    command.addOption(new Option(flags, `with --ledger or --database: ${what}`));
  command.addOption(outputOption());
  return command.action(() =>
    settle(async (terminal, globals) => {
      const { runEvidenceCreate } = await import('./create.ts');
      return runEvidenceCreate(command.opts<EvidenceCreateOptions>(), terminal, globals);
    })(),
  );
}

function showCommand(settle: Settle): Command {
  const command = new Command('show')
    .summary('show what a package says')
    .description(
      'Show the state of each attestation in a package, and what to look at first. An attestation is a statement on the cluster, such as images-signed, which is met, partial or a gap. Nothing is verified.',
    )
    .argument('<file>', 'the package')
    .addOption(outputOption());
  return command.action((file: string) =>
    settle(async (terminal, globals) => {
      const { runEvidenceShow } = await import('./show.ts');
      return runEvidenceShow(file, command.opts<EvidenceShowOptions>(), terminal, globals);
    })(),
  );
}

function verifyCommand(settle: Settle): Command {
  const command = new Command('verify')
    .summary('verify that nobody changed a package')
    .description(
      'Verify the signature, the digests and the proof of the rows, and compute the tables of pods and bypasses again from the rows. Exit 4 if something does not match.',
    )
    .argument('<file>', 'the package')
    .addOption(
      new Option('--key <file>', 'public key of the required signer, in PEM; repeatable')
        .argParser(collect)
        .default([], 'the one in the package'),
    )
    .addOption(
      new Option(
        '--ledger-key <vkey>',
        'public key that verifies the checkpoints of the ledger, or a file with it; repeatable',
      )
        .argParser(collect)
        .default([], 'the one in the header of the rows'),
    )
    .addOption(
      new Option(
        '--checkpoint <file>',
        'checkpoint of the ledger that was stored outside the service; repeatable',
      )
        .argParser(collect)
        .default([], 'none'),
    )
    .addOption(
      new Option('--tsa-cert <file>', 'certificate of the time stamp authority, in PEM; repeatable')
        .argParser(collect)
        .default([], 'none'),
    )
    .addOption(
      new Option(
        '--strict',
        'exit 5 unless --key confirms the signer, or --checkpoint confirms the ledger of the rows',
      ),
    )
    .addOption(outputOption());
  return command.action((file: string) =>
    settle(async (terminal, globals) => {
      const { runEvidenceVerify } = await import('./verify.ts');
      return runEvidenceVerify(file, command.opts<EvidenceVerifyOptions>(), terminal, globals);
    })(),
  );
}

function recomputeCommand(settle: Settle): Command {
  const command = new Command('recompute')
    .summary('compute every count and state again from the rows inside')
    .description(
      'Compute every count, state, table and report of a package again from its rows and tables. Exit 4 when one differs; the first is named.',
    )
    .argument('<file>', 'the package')
    .addOption(outputOption());
  return command.action((file: string) =>
    settle(async (terminal, globals) => {
      const { runEvidenceRecompute } = await import('./recompute.ts');
      return runEvidenceRecompute(file, command.opts<EvidenceShowOptions>(), terminal, globals);
    })(),
  );
}

function sampleCommand(settle: Settle): Command {
  const command = new Command('sample')
    .summary('draw a sample from a population of a package')
    .description(
      'Draw a sample of records. The same seed always draws the same records. Admissions come with their inclusion proofs; gaps in their numbers are listed.',
    )
    .argument('<file>', 'the package')
    .addOption(
      new Option(
        '--population <name>',
        'admissions, issues, vulnerabilities, triage, break-glass, pods or images',
      ).default('admissions'),
    )
    .addOption(new Option('--size <n>', 'records to draw, 1 to 10000').default('25'))
    .addOption(new Option('--seed <text>', 'text that decides which records are drawn').makeOptionMandatory())
    .addOption(
      new Option(
        '--proofs <directory>',
        'with the population admissions: write the proof of each drawn row to this directory',
      ),
    )
    .addOption(outputOption());
  return command.action((file: string) =>
    settle(async (terminal, globals) => {
      const { runEvidenceSample } = await import('./sample.ts');
      return runEvidenceSample(file, command.opts<EvidenceSampleOptions>(), terminal, globals);
    })(),
  );
}

function diffCommand(settle: Settle): Command {
  const command = new Command('diff')
    .summary('compare the states of two packages')
    .description(
      'List the requirements and attestations whose state (met, partial or gap) changed from one package to another, and why.',
    )
    .argument('<old>', 'the earlier package')
    .argument('<new>', 'the later package')
    .addOption(outputOption());
  return command.action((before: string, after: string) =>
    settle(async (terminal, globals) => {
      const { runEvidenceDiff } = await import('./diff.ts');
      return runEvidenceDiff(before, after, command.opts<EvidenceShowOptions>(), terminal, globals);
    })(),
  );
}

function frameworksCommand(settle: Settle): Command {
  const command = new Command('frameworks')
    .summary('list the frameworks, or what one of them requires')
    .description(
      'List the frameworks; with an ID, its requirements, the attestations that support them, and what is out of scope.',
    )
    .argument('[id]', 'one framework')
    .addOption(outputOption());
  return command.action((id: string | undefined) =>
    settle(async (terminal, globals) => {
      const { runEvidenceFrameworks } = await import('./frameworks.ts');
      return runEvidenceFrameworks(id, command.opts<EvidenceShowOptions>(), terminal, globals);
    })(),
  );
}

function schemaCommand(settle: Settle): Command {
  const command = new Command('schema')
    .summary('print the JSON Schema of evidence.json')
    .description('Print the JSON Schema (2020-12) of evidence.json.')
    .addOption(outputOption('json or yaml', 'json'));
  return command.action(() =>
    settle(async (terminal) => {
      const { runEvidenceSchema } = await import('./schema.ts');
      return runEvidenceSchema(command.opts<EvidenceShowOptions>(), terminal);
    })(),
  );
}
