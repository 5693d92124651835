import { dirname, isAbsolute, relative } from 'node:path';
import type { CliParts } from '../../../src/app/index.ts';
import { checkImages, FactBook } from '../../../src/checks/index.ts';
import { recordCase } from '../../../src/policy-test/index.ts';
import { toYaml } from '../../../src/render/index.ts';
import type { CheckOptions } from '../../check/options.ts';
import { checkNamespace, parseNames, podOfArguments, readAllPolicies } from '../../check/inputs.ts';
import { askAbout } from '../../check/registry.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../../terminal/output.ts';
import { openParts } from '../../terminal/parts.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import type { PolicyTestOptions } from './run.ts';

/** runRecord is `ipo policy test --record IMAGE`: what `ipo check` would find out about the image, written down as a case. */
export async function runRecord(
  image: string,
  files: readonly string[],
  options: PolicyTestOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { policy = [], trivy = [], ledger, kev } = options;
  checkFlags(files, options);
  const targets = parseOutputs(options.output, ['yaml', 'json'], 'yaml', [...policy, ...trivy, ledger, kev]);
  const parts = openParts(terminal);
  const known = await findOut(image, options, parts, terminal);
  const document = recordCase(known.result, {
    ...known,
    policies: policy.map((path) => besideTarget(path, targets)),
  });
  const forms = { yaml: () => toYaml(document), json: () => `${JSON.stringify(document)}\n` };
  await writeOutputs(targets, (format) => forms[format](), parts, terminal);
  if (!globals.quiet) for (const said of known.said) terminal.err(`ipo: ${clean(said, 2000)}\n`);
  return EXIT.done;
}

/** A test file names its policies as they stand beside it. Where it goes to stdout nobody knows its place. */
function besideTarget(path: string, targets: readonly { readonly path: string | null }[]): string {
  const target = targets.find((one) => one.path !== null)?.path ?? null;
  return target === null || isAbsolute(path) ? path : relative(dirname(target), path);
}

function checkFlags(files: readonly string[], { coverage, policy = [] }: PolicyTestOptions): void {
  if (files.length > 0)
    throw new UsageError('--record prints a test case, and runs no test files', 'Leave the test files out');
  if (coverage) throw new UsageError('--coverage has no effect with --record', 'Leave it out');
  if (policy.length === 0)
    throw new UsageError('no policy given', 'Name the policies of the case: --policy FILE');
}

/** What is known of the image, from the same sources as those of `ipo check`. */
async function findOut(image: string, options: PolicyTestOptions, parts: CliParts, terminal: Terminal) {
  const { policy = [], trivy = [], ledger, kev } = options;
  const check: CheckOptions = {
    ...options,
    namespace: options.namespace ?? 'default',
    registryTimeout: '30s',
  };
  checkNamespace(check.namespace);
  const pods = [podOfArguments([image], check)];
  const policies = (await readAllPolicies(policy, parts)).map((one) => one.policy);
  const reports = [];
  for (const path of new Set(trivy)) reports.push(await parts.readTrivy(path));
  const recorded = ledger === undefined ? null : await parts.openLedger(ledger);
  await recorded?.close();
  const book = new FactBook({
    images: recorded?.images ?? new Map(),
    reports,
    platform: null,
    byName: options.byName === true,
    kev: kev === undefined ? null : await parts.readKev(kev),
  });
  const asked = await askAbout({ pods, policies, book, options: check, terminal });
  const at = recorded?.header.exportedAt ?? parts.clock.now();
  const coldImagePolicy = recorded?.header.coldImagePolicy ?? asked.coldImagePolicy ?? 'AllowAndScan';
  const [result] = checkImages({
    policies,
    pods,
    asOf: at,
    coldImagePolicy,
    groups: parseNames(undefined),
    enforce: true,
    find: (reference) => book.find(reference),
  }).images;
  if (result === undefined) throw new UsageError('--record names no image', 'Write it as registry/name:tag');
  if (result.fault !== null)
    throw new UsageError(
      `--record ${clean(image) || '""'}: ${clean(result.fault)}`,
      'Write it as registry/name:tag',
    );
  return { result, at, coldImagePolicy, said: [...asked.problems, ...asked.remarks] };
}
