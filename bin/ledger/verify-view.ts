import {
  isUnsigned,
  toBase64,
  type Check,
  type ProvedRow,
  type Verification,
} from '../../src/ledger/index.ts';
import { clean } from '../terminal/clean.ts';
import { imageCell, openPaint, type Paint, type ViewOptions } from '../terminal/paint.ts';

/** VerifyViewOptions say what the terminal can show, and what was given to verify with. */
export interface VerifyViewOptions extends Omit<ViewOptions, 'file'> {
  readonly kept: boolean;
  readonly keyed: boolean;
}

const NAMES: Readonly<Record<Check['check'], string>> = {
  rows: 'rows',
  tree: 'tree',
  stored_tree: 'stored tree',
  signature: 'signature',
  stored_checkpoints: 'stored checkpoints',
  signed_rows: 'signed rows',
  kept_checkpoint: 'given checkpoint',
  lost_rows: 'lost rows',
  proof: 'proof',
};

/** renderVerification writes the answer for a person at a terminal: the sentence first, then what was looked at. */
export async function renderVerification(
  result: Verification | ProvedRow,
  options: VerifyViewOptions,
): Promise<string> {
  const paint = await openPaint(options);
  const sections = [
    headline(paint, result),
    checkLines(paint, result.checks),
    badLines(paint, result),
    'row' in result ? rowLines(paint, result) : [],
    // Of a file without its end nothing was proved, and there is nothing to compare.
    result.isCut ? [] : limitLines(paint, result.limits),
    nextSteps(paint, result, options),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function headline(paint: Paint, result: Verification): string[] {
  const { chalk } = paint;
  const { tree, name } = result;
  const { sign, text } = sentenceOf(result);
  const color = { '✓': chalk.green.bold, '✗': chalk.red.bold, '–': chalk.yellow.bold }[sign];
  const items = [
    clean(name),
    ...(tree === null
      ? []
      : [`log ${clean(tree.origin)}`, `tree of ${rowsOf(tree.size)}`, `root ${toBase64(tree.root)}`]),
  ];
  return [...paint.sentence(`${sign} ${text}`, color, 0), ...paint.items(items, chalk.dim, 0)];
}

function sentenceOf(result: Verification): { readonly sign: '✓' | '✗' | '–'; readonly text: string } {
  const { holds, rows, subject, checks } = result;
  const { count, signed } = rows;
  if (!holds) {
    const unsigned = checks.every(({ check, state }) => state !== 'failed' || check === 'signature');
    let text = 'Verification failed: the ledger differs from what was signed.';
    if (unsigned) text = 'Verification failed: there is no valid signature over these rows.';
    if (result.isCut) text = 'Verification failed: the end of the export is missing.';
    if (subject === 'proof') text = 'Verification failed: the proof does not match.';
    if (result.isForeign)
      text =
        'Verification failed: the given checkpoint belongs to another log, and proves nothing about this ledger.';
    return { sign: '✗', text };
  }
  if (subject === 'proof') return { sign: '✓', text: `Row ${rows.first} is as signed.` };
  if (count === 0) return { sign: '–', text: 'There are no rows to verify.' };
  const are = count === 1 ? 'is' : 'are';
  if (isUnsigned(result))
    return { sign: '–', text: `${rowsOf(count)} ${are} not signed: nothing to verify against.` };
  if (signed < count) {
    const text = `${signed} of ${rowsOf(count)} ${signed === 1 ? 'is' : 'are'} as signed; rows after ${signed} are not signed yet.`;
    return { sign: '–', text };
  }
  return { sign: '✓', text: `${rowsOf(count)} ${are} as signed.` };
}

/** Counts stand beside numbers of rows, which a person types as they are: both are plain digits. */
function rowsOf(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}

function isKnown(bad: Verification['firstBad']): boolean {
  return bad !== null && bad.from === bad.to;
}

function checkLines(paint: Paint, checks: readonly Check[]): string[] {
  const { chalk } = paint;
  const signs = { held: chalk.green('✓'), failed: chalk.red('✗'), not_checked: chalk.yellow('–') };
  const wide = Math.max(...checks.map(({ check }) => NAMES[check].length));
  const indent = 4 + wide + 2;
  return checks.flatMap(({ check, state, text }) => {
    const lines = paint.sentence(clean(text, 2000), String, indent);
    const head = `  ${signs[state]} ${NAMES[check].padEnd(wide)}  `;
    return lines.map((line, i) => (i === 0 ? head + line.slice(indent) : line));
  });
}

function badLines(paint: Paint, { firstBad }: Verification): string[] {
  if (firstBad === null) return [];
  const { from, to, text } = firstBad;
  const where = from === to ? `row ${from}` : `between row ${from} and row ${to}`;
  return [paint.heading('First bad row', where), ...paint.sentence(`${clean(text, 600)}.`)];
}

/** What a proof is about, once it holds. */
function rowLines(paint: Paint, { row }: ProvedRow): string[] {
  if (row === null) return [];
  const text = (field: string): string => {
    const value = row[field];
    return typeof value === 'string' && value !== '' ? clean(value, 400) : '';
  };
  const where = [text('cluster'), text('namespace'), text('pod'), text('container')]
    .filter((part) => part !== '')
    .join(' / ');
  const verdict = row['allowed'] === true ? paint.chalk.green('allowed') : paint.chalk.red('denied');
  const lines = [
    [text('time'), verdict, where].filter((part) => part !== '').join('  '),
    imageCell(text('image')).text,
    text('digest'),
    text('reason'),
  ];
  return [paint.heading('The row'), ...lines.filter((line) => line !== '').map((line) => `  ${line}`)];
}

function limitLines(paint: Paint, limits: readonly string[]): string[] {
  if (limits.length === 0) return [];
  const lines = limits.flatMap((limit) =>
    paint.sentence(clean(limit, 1000), String, 4).map((line, i) => (i === 0 ? `  · ${line.slice(4)}` : line)),
  );
  return [paint.heading('What this does not prove'), ...lines.map((line) => paint.chalk.dim(line))];
}

function nextSteps(paint: Paint, result: Verification, { kept, keyed }: VerifyViewOptions): string[] {
  const { subject, holds } = result;
  // What was never signed gets no better by a key.
  if (subject === 'export' && isUnsigned(result)) return [];
  if (result.isCut)
    return stepLines(paint, [['ipo ledger export', 'export the ledger again, and verify that file']]);
  const steps: (readonly [string, string])[] = [
    ...(kept
      ? []
      : [['--checkpoint FILE', 'compare it with a checkpoint stored outside the service'] as const]),
    ...(keyed ? [] : [['--key VKEY', 'give the public key of the signer that you expect'] as const]),
    ...(holds && subject !== 'proof' && !kept
      ? [['ipo ledger checkpoint --save FILE', 'store the newest checkpoint outside the service'] as const]
      : []),
    ...(!holds && subject === 'export' && !result.isForeign && !isKnown(result.firstBad)
      ? [['--database URL', 'verify the database, which names the exact row'] as const]
      : []),
  ];
  return stepLines(paint, steps);
}

function stepLines(paint: Paint, steps: readonly (readonly [string, string])[]): string[] {
  if (steps.length === 0) return [];
  const rows = steps.map(([flag, does]) => [
    { text: flag, paint: paint.chalk.bold },
    { text: does, paint: paint.chalk.dim },
  ]);
  return [paint.heading('Next'), ...paint.table([{ heading: '' }, { heading: '', flex: 1 }], rows)];
}
