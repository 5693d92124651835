import { withPackage } from '../../src/app/index.ts';
import { isIpoError } from '../../src/base/index.ts';
import { placed, recompute, type Recomputed } from '../../src/evidence/index.ts';
import { counted } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs } from '../terminal/output.ts';
import type { Paint } from '../terminal/paint.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { VERSION } from '../terminal/version.ts';
import type { EvidenceShowOptions } from './options.ts';
import { FORMATS, writeView } from './view.ts';

/** runEvidenceRecompute is `ipo evidence recompute`. Exit 4 when one differs; the first is named. */
export async function runEvidenceRecompute(
  file: string,
  options: EvidenceShowOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, FORMATS, 'table', [file]);
  const progress = new Progress(terminal, globals, openParts(terminal).clock.now);
  let result: Recomputed;
  let damage: string | null = null;
  try {
    result = await withPackage(file, (pkg, { beside }) =>
      recompute(pkg, VERSION, (rows) => progress.rows(rows), beside),
    );
  } catch (error) {
    if (!isIpoError(error) || (error.code !== 'damaged' && error.code !== 'truncated')) throw error;
    damage = placed(error);
    const differences = [
      { place: error.place?.file ?? file, says: error.message, follows: 'a part that can be read' },
    ];
    result = { agrees: false, rows: 0, attestations: 0, requirements: 0, differences, notCompared: [] };
  } finally {
    progress.end();
  }
  await writeView(targets, result, (paint) => linesOf(paint, result, damage), terminal, globals);
  return result.agrees ? EXIT.done : EXIT.integrity;
}

function linesOf(paint: Paint, result: Recomputed, damage: string | null): string[] {
  const { chalk } = paint;
  if (damage !== null)
    return [
      ...paint.sentence(`✗ Nothing was computed: ${clean(damage, 600)}.`, chalk.red.bold, 0),
      ...paint.sentence('Get the package again, and verify it.'),
    ];
  const counts = `${counted(result.rows, 'row')}, ${counted(result.attestations, 'attestation')}, ${counted(result.requirements, 'requirement')}`;
  const notes = result.notCompared.flatMap((text) => paint.sentence(`not compared: ${text}`, chalk.dim));
  if (result.agrees)
    return [
      ...paint.sentence(`✓ Everything follows from the rows inside: ${counts}.`, chalk.green.bold, 0),
      ...notes,
    ];
  const [first, ...more] = result.differences;
  return [
    ...paint.sentence(
      `✗ ${clean(first?.place ?? '', 200)} does not follow from the rows inside.`,
      chalk.red.bold,
      0,
    ),
    ...paint.sentence(`the package says  ${clean(first?.says ?? '', 300)}`),
    ...paint.sentence(`the rows give     ${clean(first?.follows ?? '', 300)}`),
    ...(more.length === 0 ? [] : ['', paint.heading('Also')]),
    ...more.map(({ place }) => paint.line(clean(place, 200))),
    ...notes,
  ];
}
