import { rank, STATE_WORDS, toneOf, type PackageSummary } from '../../src/evidence/index.ts';
import { counted, formatCount, toYaml } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { writeOutputs, type OutputTarget } from '../terminal/output.ts';
import { openPaint, type Paint } from '../terminal/paint.ts';
import { openParts } from '../terminal/parts.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../terminal/terminal.ts';

/** FORMATS are the forms of what these commands print. */
export const FORMATS = ['table', 'json', 'yaml'] as const;
export type Format = (typeof FORMATS)[number];

/** writeView writes a document as JSON or YAML, or as lines for people. */
export async function writeView(
  targets: readonly OutputTarget<Format>[],
  document: unknown,
  lines: (paint: Paint) => readonly string[],
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<void> {
  const render = async (format: Format, toStdout: boolean): Promise<string> => {
    if (format === 'json') return `${JSON.stringify(document)}\n`;
    if (format === 'yaml') return toYaml(document);
    const color = toStdout && usesColor(terminal, globals, 'out');
    const paint = await openPaint({
      color,
      columns: terminal.columns,
      whole: !(toStdout && terminal.tty.out),
    });
    return `${lines(paint).join('\n')}\n`;
  };
  await writeOutputs(targets, render, openParts(terminal), terminal);
}

/** Summary is what is said of a package in short. */
export type Summary = PackageSummary & { readonly file?: string; readonly bytes?: number };

/** colorOf gives the colour of a state. */
export function colorOf(paint: Paint, state: string): (text: string) => string {
  const { chalk } = paint;
  return { admitted: chalk.green, same: chalk.yellow, refused: chalk.red }[toneOf(state)];
}

/** writeSummary shows what a package comes to: states by framework, and what to look at first. */
export async function writeSummary(
  targets: readonly OutputTarget<Format>[],
  summary: Summary,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<void> {
  await writeView(targets, summary, (paint) => summaryLines(paint, summary), terminal, globals);
}

/** warnEmpty warns of a period or a scope without a row: its package shows nothing, and may be of the wrong year or a misspelt cluster. */
export function warnEmpty(
  source: 'ledger' | 'export',
  { period, rows, rows_in_period: inPeriod = rows, rows_left_out: leftOut = 0 }: Summary,
  terminal: Terminal,
  { quiet }: GlobalOptions,
): void {
  if (quiet === true || inPeriod > leftOut) return;
  const where = inPeriod === 0 ? '' : ' of the requested clusters and namespaces';
  terminal.err(
    `ipo: the ${source} has no rows${where} from ${period.from} to ${period.to}, so the package shows no admission\n`,
  );
}

/** Rows outside the period are counted apart, since no section of the package is about them. */
function rowsOf({ rows, signed, rows_in_period: inPeriod = rows }: Summary): readonly string[] {
  const signedOf = `${formatCount(signed)} signed`;
  if (inPeriod === rows) return [`${counted(rows, 'row')}, ${signedOf}`];
  return [
    inPeriod === 0 ? 'no rows in the period' : `${counted(inPeriod, 'row')} in the period`,
    `${counted(rows, 'row')} in the package, ${signedOf}`,
  ];
}

/** summaryLines says what a package comes to. */
export function summaryLines(paint: Paint, summary: Summary): string[] {
  const { chalk } = paint;
  const { met, partial, gap } = summary.states;
  const first = summary.attestations
    .filter(({ state }) => state !== 'met')
    .toSorted((a, b) => rank(a.state) - rank(b.state));
  const name = summary.organisation === null ? '' : `${clean(summary.organisation, 100)}: `;
  return [
    ...paint.sentence(
      `${name}${met} attestation${met === 1 ? '' : 's'} met, ${partial} partial, ${gap} gap${gap === 1 ? '' : 's'}.`,
      chalk.bold,
      0,
    ),
    ...paint.items(
      [
        `${summary.period.from} to ${summary.period.to}`,
        ...rowsOf(summary),
        `key ${summary.key_id.slice(0, 16)}`,
        ...(summary.file === undefined
          ? []
          : [`${clean(summary.file)}, ${formatCount(summary.bytes ?? 0)} bytes`]),
      ],
      chalk.dim,
      0,
    ),
    '',
    paint.heading('Requirements by framework'),
    ...paint.table(
      [
        { heading: '' },
        { heading: 'met', align: 'right' },
        { heading: 'partial', align: 'right' },
        { heading: 'gap', align: 'right' },
        { heading: 'out of scope', align: 'right' },
        { heading: 'all', align: 'right' },
      ],
      summary.frameworks.map((one) => [
        { text: one.id },
        { text: String(one.met), paint: chalk.green },
        { text: String(one.partial), paint: chalk.yellow },
        { text: String(one.gap), ...(one.gap > 0 && { paint: chalk.red }) },
        { text: String(one.out_of_scope), paint: chalk.dim },
        { text: String(one.requirements), paint: chalk.dim },
      ]),
    ),
    '',
    ...(first.length === 0 ? [] : [paint.heading('What to look at first')]),
    ...first.flatMap(({ id, state, because }) => [
      `  ${colorOf(paint, state)(STATE_WORDS[state])}  ${chalk.bold(id)}`,
      ...paint.sentence(clean(because, 600), String, 4),
    ]),
    ...(summary.limits.length === 0 ? [] : ['', paint.heading('Limits')]),
    ...summary.limits.flatMap(({ section, why }) => paint.sentence(`${section}: ${why}`, chalk.dim)),
  ];
}
