import { printable } from '../../src/base/index.ts';
import type { UnknownFact } from '../../src/decision/index.ts';
import type { LedgerExport } from '../../src/ledger/index.ts';
import { placeOf, type ParsedPolicy } from '../../src/policy/index.ts';
import type { Skipped } from '../../src/manifests/index.ts';
import { IMAGE_TYPE, nameType, type ScanReport } from '../../src/scan/index.ts';
import { idleFlags } from './idle-flags.ts';
import type { CheckOptions } from './options.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { counted } from '../../src/render/index.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../terminal/terminal.ts';
import { openParts } from '../terminal/parts.ts';
import { VERSION } from '../terminal/version.ts';
import {
  checkImages,
  FactBook,
  toDocument,
  type CheckDocument,
  type CheckedPod,
  type CheckOutcome,
  type ImageResult,
} from '../../src/checks/index.ts';
import { readPlatform } from './platform.ts';
import { askAbout } from './registry.ts';
import {
  checkFlags,
  parseAsOf,
  parseNames,
  podOfArguments,
  readAllPolicies,
  readManifests,
  refuseFiles,
} from './inputs.ts';

/** What registries tell; findings, and what is known of exploits, they do not. */
const OF_REGISTRIES: ReadonlySet<UnknownFact> = new Set(['signatures', 'attestations', 'provenance', 'vex']);

const FORMATS = ['table', 'json', 'yaml', 'markdown', 'sarif', 'junit', 'github'] as const;
type Format = (typeof FORMATS)[number];

/** runCheck is `ipo check`: read policies, facts and pods, decide, write every output, answer with the exit code. */
export async function runCheck(
  images: readonly string[],
  options: CheckOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { policy = [], manifest = [], trivy = [], vex = [] } = options;
  const inputs = [...policy, ...manifest, ...trivy, ...vex, options.kev, options.ledger];
  const targets = parseOutputs(options.output ?? [], FORMATS, 'table', inputs);
  checkFlags(images, options);
  const given = parseAsOf(options.asOf);
  const platform = readPlatform(options.platform);
  const named = images.length === 0 ? [] : [podOfArguments(images, options)];
  const parts = openParts(terminal);
  await refuseFiles(images, parts);
  const policies = await readAllPolicies(policy, parts);
  const manifests = await readManifests(manifest, options.namespace, parts);
  const { kev, reports, ledger } = await readFacts(options, parts);

  const book = new FactBook({
    images: ledger?.images ?? new Map(),
    reports,
    kev,
    byName: options.byName === true,
    platform,
  });
  const pods: readonly CheckedPod[] = [...named, ...manifests.pods];
  const { problems, remarks, reasons, ...asked } = await askAbout({
    pods,
    policies: policies.map(({ policy }) => policy),
    book,
    options,
    terminal,
  });
  const asOf = given ?? ledger?.header.exportedAt ?? parts.clock.now();
  const coldImagePolicy =
    options.coldImagePolicy ?? ledger?.header.coldImagePolicy ?? asked.coldImagePolicy ?? 'AllowAndScan';
  const outcome = checkImages({
    policies: policies.map(({ policy }) => policy),
    pods,
    find: (reference) => book.find(reference),
    asOf,
    coldImagePolicy,
    groups: parseNames(options.groups),
    enforce: options.enforce === true,
  });
  const notes = [
    ...problems,
    ...remarks,
    ...notesOn(outcome, policies, options.offline === true),
    ...idleFlags(pods, options),
    ...manifests.without.map((file) => `${printable(file)} contains no object that creates pods`),
    ...book.unusedReports().map(unusedNote),
  ];
  const document = toDocument(outcome, {
    asOf,
    coldImagePolicy,
    skipped: manifests.skipped,
    notes,
    reasons,
    undecidedAllowed: options.allowUndecided === true,
    offline: options.offline === true,
  });
  const render = (format: Format, toStdout: boolean) =>
    renderCheck(format, document, policies, {
      color: toStdout && usesColor(terminal, globals, 'out'),
      columns: terminal.columns,
      whole: !toStdout || !terminal.tty.out,
    });
  await writeOutputs(targets, render, parts, terminal);

  const tell = (line: string): void => {
    if (!globals.quiet) terminal.err(`ipo: ${line}\n`);
  };
  for (const { image, fault } of invalid(outcome))
    terminal.err(`ipo: "${printable(image)}" is not a valid image reference: it ${fault}\n`);
  for (const skipped of manifests.skipped) tell(skippedLine(skipped));
  for (const note of notes) tell(clean(note, 2000));
  const hasSkippedPods = manifests.skipped.some(({ makesPods }) => makesPods);
  return exitOf(outcome, hasSkippedPods, options, tell);
}

/** References of the command line that do not parse. */
function invalid({ images }: CheckOutcome): readonly ImageResult[] {
  return images.filter(({ pod, fault }) => pod.file === null && fault !== null);
}

function unusedNote({ file, artifact, type }: ScanReport): string {
  return type === IMAGE_TYPE
    ? `the report ${printable(file)} is of ${printable(artifact) || 'something without a name'}, which is not one of the checked images`
    : `the report ${printable(file)} is ${printable(nameType(type))}: no checked image has its digest`;
}

function skippedLine({ file, line, kind, name, reason, makesPods }: Skipped): string {
  const lost = makesPods ? ', though it seems to create pods' : '';
  return `${clean(file)}:${line}: skipped ${clean(kind)}${name === '' ? '' : ` ${clean(name)}`}: ${reason}${lost}`;
}

/** What the check comes to; tells what an exit code by itself does not say. */
function exitOf(
  outcome: CheckOutcome,
  hasSkippedPods: boolean,
  options: CheckOptions,
  tell: (line: string) => void,
): ExitCode {
  const open = whatIsOpen(outcome, hasSkippedPods);
  if (open !== null && options.strict) tell(`--strict: ${open}`);
  // A reference on the command line that is none is a wrong command line.
  if (invalid(outcome).length > 0) return EXIT.usage;
  if (outcome.refused > 0) return EXIT.check;
  // What only a registry could have told that did not is neither a yes nor a no.
  if (outcome.images.some(isUntold)) return EXIT.outside;
  // A gate that could not look lets nothing through.
  if (outcome.open > 0 && !options.allowUndecided) {
    tell(
      `${counted(outcome.open, 'image')} could not be decided, which fails the check; add --allow-undecided to accept this`,
    );
    return EXIT.check;
  }
  return options.strict && open !== null ? EXIT.inconclusive : EXIT.done;
}

/** The facts on images that files hold. */
async function readFacts({ kev, trivy = [], ledger }: CheckOptions, parts: ReturnType<typeof openParts>) {
  const exploited = kev === undefined ? null : await parts.readKev(kev);
  const reports: ScanReport[] = [];
  for (const path of new Set(trivy)) reports.push(await parts.readTrivy(path));
  const head = ledger === undefined ? null : await headOf(await parts.openLedger(ledger));
  return { kev: exploited, reports, ledger: head };
}

/** What stands before the rows is all that a check needs. */
async function headOf(ledger: LedgerExport): Promise<LedgerExport> {
  await ledger.close();
  return ledger;
}

/** An image of which its registry was asked for what decides it, and did not tell. */
function isUntold({ allowed, unknown, found }: ImageResult): boolean {
  if (allowed === false || found?.registry !== 'failed') return false;
  // Without the digest nothing is known, whatever keeps it.
  return unknown.some((fact) => OF_REGISTRIES.has(fact) || found.untold !== null);
}

function notesOn({ images }: CheckOutcome, policies: readonly ParsedPolicy[], offline: boolean): string[] {
  const ambiguous = images.flatMap(({ image, found }) =>
    found?.note ? [`${printable(image)}: ${found.note}`] : [],
  );
  const alone = new Set(
    images.flatMap(({ pod, judgement }) => (judgement.verdicts.length === 0 ? [pod.namespace] : [])),
  );
  const ungoverned = [...alone].map(
    (namespace) => `no policy governs the namespace ${printable(namespace)}: everything in it is allowed`,
  );
  const blind = images.some(({ pod }) => pod.signals === null);
  const asked = policies.some(
    ({ policy: { spec } }) =>
      spec.deploymentContext.mode === 'Escalate' || spec.workloadHardening !== 'ignore',
  );
  const unseen =
    blind && asked
      ? [
          'an image given by name has no pod: without --signals or --exposed-by, deploymentContext and workloadHardening are not checked',
        ]
      : [];
  return [...new Set([...ambiguous, ...ungoverned, ...unseen, ...digestless(images, offline)])];
}

/** One line for all images without a digest: what is recorded of digests cannot be found for them. */
function digestless(images: CheckOutcome['images'], offline: boolean): string[] {
  const names = new Set(
    images.flatMap(({ image, subject, found }) =>
      subject !== null &&
      subject.digest === null &&
      !found?.note &&
      found?.registry !== 'failed' &&
      subject.facts.scan === null
        ? [image]
        : [],
    ),
  );
  const [first] = names;
  if (first === undefined) return [];
  const more = names.size > 1 ? ` and ${names.size - 1} more` : '';
  return [
    `no digest and no scan is known for ${printable(first)}${more}: name the digest, or give facts with ${offline ? '--trivy or --ledger' : '--trivy, --ledger or --server'}`,
  ];
}

function whatIsOpen(
  { images, pods, undecided, unscanned }: CheckOutcome,
  skippedPods: boolean,
): string | null {
  if (undecided > 0) return `${undecided === 1 ? 'one image' : `${undecided} images`} could not be decided`;
  if (unscanned > 0)
    return `${unscanned === 1 ? 'one image has' : `${unscanned} images have`} no scan record`;
  const off = images.filter(({ found }) => found?.offPlatform).length;
  if (off > 0)
    return `${off === 1 ? 'one image has' : `${off} images have`} no scan for the platform that was asked for`;
  if (skippedPods) return 'an object that may create pods was skipped';
  return images.length + pods.length === 0 ? 'nothing was decided' : null;
}

async function renderCheck(
  format: Format,
  document: CheckDocument,
  policies: readonly ParsedPolicy[],
  view: { readonly color: boolean; readonly columns: number; readonly whole: boolean },
): Promise<string> {
  switch (format) {
    case 'json':
      return `${JSON.stringify(document)}\n`;
    case 'yaml':
      return (await import('../../src/render/index.ts')).toYaml(document);
    case 'table': {
      const { renderCheckTable } = await import('./view.ts');
      return renderCheckTable(document, view);
    }
    case 'markdown': {
      const { renderCheckMarkdown } = await import('./markdown.ts');
      return renderCheckMarkdown(document);
    }
    case 'sarif':
    case 'junit':
    case 'github': {
      const reports = await import('./reports.ts');
      const places = new Map(
        policies.map(({ policy, places }) => [
          policy.name,
          { file: places.file, ...placeOf(places, ['metadata', 'name']) },
        ]),
      );
      if (format === 'sarif') return reports.renderCheckSarif(document, places, VERSION);
      return format === 'junit'
        ? reports.renderCheckJUnit(document)
        : reports.renderCheckAnnotations(document, places);
    }
  }
}
