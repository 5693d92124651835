import { withPackage } from '../../src/app/index.ts';
import { drawSample, SAMPLED, type Sample } from '../../src/evidence/index.ts';
import { proveRowsFromExport } from '../../src/ledger/index.ts';
import { counted, formatCount } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { parseOutputs } from '../terminal/output.ts';
import type { Paint } from '../terminal/paint.ts';
import { openParts } from '../terminal/parts.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import type { EvidenceSampleOptions } from './options.ts';
import { FORMATS, writeView } from './view.ts';

/** runEvidenceSample is `ipo evidence sample`. */
export async function runEvidenceSample(
  file: string,
  options: EvidenceSampleOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, FORMATS, 'table', [file]);
  const population = SAMPLED.find((name) => name === options.population);
  if (population === undefined)
    throw new UsageError(
      `--population ${options.population}: there is no such population`,
      `Populations are ${SAMPLED.join(', ')}`,
    );
  const size = parseWhole('--size', options.size, 1, 10_000, 'the sample');
  if (options.proofs !== undefined && population !== 'admissions')
    throw new UsageError('--proofs is for admissions', 'Only rows of the ledger have proofs');
  const parts = openParts(terminal);
  const { sample, proofs, rows } = await withPackage(file, async (pkg) => {
    const drawn = await drawSample(pkg, population, size, options.seed);
    const isSigned = population === 'admissions' && pkg.document.ledger.tree !== null;
    const ids = drawn.items.map(({ place }) => place);
    return {
      sample: drawn,
      rows: pkg.document.ledger.rows,
      proofs:
        isSigned && ids.length > 0
          ? await proveRowsFromExport(() => pkg.rows(), file, ids)
          : new Map<number, string>(),
    };
  });
  if (options.proofs !== undefined)
    for (const [id, text] of proofs) await parts.writeFile(`${options.proofs}/row-${id}.tlog-proof`, text);
  const items = sample.items.map((item) => ({
    ...item,
    ...(population === 'admissions' && { proof: proofs.get(item.place) ?? null }),
  }));
  await writeView(
    targets,
    { ...sample, items },
    (paint) => linesOf(paint, sample, proofs.size, rows),
    terminal,
    globals,
  );
  return EXIT.done;
}

function linesOf(paint: Paint, sample: Sample, proofs: number, rows: number): string[] {
  const { chalk } = paint;
  const { population, seed, items, total, gaps } = sample;
  const [first] = items;
  const shown = first === undefined ? [] : columnsOf(population, first.record);
  return [
    ...paint.sentence(
      `Drew ${formatCount(items.length)} of ${counted(total, 'record')} from ${population}, with the seed ${clean(seed, 80)}.`,
      chalk.bold,
      0,
    ),
    ...(population === 'admissions' && rows > total
      ? paint.sentence(othersText(rows, rows - total), chalk.dim, 0)
      : []),
    ...(gaps === null ? [] : paint.sentence(gapText(gaps), chalk.dim, 0)),
    ...(population === 'admissions'
      ? paint.sentence(
          `${counted(proofs, 'inclusion proof')}: -o json prints them, --proofs DIR writes them.`,
          chalk.dim,
          0,
        )
      : []),
    '',
    ...paint.table(
      [
        { heading: 'place', align: 'right' },
        ...shown.map((heading) => ({ heading, flex: 1 / Math.max(1, shown.length) })),
      ],
      items.map(({ place, record }) => [
        { text: String(place) },
        ...shown.map((name) => ({ text: clean(textOf(record[name]), 200) })),
      ]),
    ),
  ];
}

/** A reader knows the count of all rows from the package: the draw says how many of them are not admissions. */
function othersText(rows: number, others: number): string {
  return `The package has ${counted(rows, 'row')}. ${formatCount(others)} ${others === 1 ? 'is not in the population: it comes' : 'are not in the population: they come'} from checks of running pods (sweeps), or from clusters or namespaces that the package does not cover.`;
}

function columnsOf(population: string, record: Readonly<Record<string, unknown>>): string[] {
  const wanted =
    population === 'admissions'
      ? ['time', 'namespace', 'pod', 'image', 'allowed', 'reason']
      : Object.keys(record).slice(0, 6);
  return wanted.filter((name) => name in record);
}

function gapText(gaps: NonNullable<Sample['gaps']>): string {
  if (gaps.length === 0) return 'The numbers of the rows have no gap.';
  return `The numbers of the rows have ${counted(gaps.length, 'gap')}: ${gaps
    .slice(0, 10)
    .map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`))
    .join(', ')}.`;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
