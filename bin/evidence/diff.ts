import { withPackage } from '../../src/app/index.ts';
import { diffPackages, type PackageDiff } from '../../src/evidence/index.ts';
import { counted } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs } from '../terminal/output.ts';
import type { Paint } from '../terminal/paint.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import type { EvidenceShowOptions } from './options.ts';
import { colorOf, FORMATS, writeView } from './view.ts';

/** runEvidenceDiff is `ipo evidence diff`. */
export async function runEvidenceDiff(
  before: string,
  after: string,
  options: EvidenceShowOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, FORMATS, 'table', [before, after]);
  const old = await withPackage(before, async (pkg) => pkg.document);
  const diff = diffPackages(old, await withPackage(after, async (pkg) => pkg.document));
  await writeView(targets, diff, (paint) => linesOf(paint, diff), terminal, globals);
  return EXIT.done;
}

function linesOf(paint: Paint, diff: PackageDiff): string[] {
  const all = [...diff.attestations, ...diff.requirements];
  return [
    ...paint.sentence(
      all.length === 0
        ? 'No state changed.'
        : `${counted(diff.attestations.length, 'attestation')} and ${counted(diff.requirements.length, 'requirement')} changed their state.`,
      paint.chalk.bold,
      0,
    ),
    ...all.flatMap(({ framework, id, title, from, to, because }) => [
      '',
      `  ${framework === null ? '' : `${framework} `}${paint.chalk.bold(id)}  ${from ?? 'absent'} → ${colorOf(paint, to ?? '')(to ?? 'absent')}`,
      ...paint.sentence(title, paint.chalk.dim, 4),
      ...because.flatMap((text) => paint.sentence(clean(text, 600), String, 4)),
    ]),
  ];
}
