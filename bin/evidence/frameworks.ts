import { IpoError, nearest } from '../../src/base/index.ts';
import { FRAMEWORK_IDS, FRAMEWORKS } from '../../src/evidence/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs } from '../terminal/output.ts';
import type { Paint } from '../terminal/paint.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import type { EvidenceShowOptions } from './options.ts';
import { FORMATS, writeView } from './view.ts';

type Framework = (typeof FRAMEWORKS)[number];

/** runEvidenceFrameworks is `ipo evidence frameworks`. */
export async function runEvidenceFrameworks(
  id: string | undefined,
  options: EvidenceShowOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, FORMATS, 'table');
  if (id === undefined) {
    const items = FRAMEWORKS.map((framework) => ({
      id: framework.id,
      name: framework.name,
      ...framework.source,
      ...countsOf(framework),
    }));
    await writeView(targets, { items, total: items.length }, (paint) => listLines(paint), terminal, globals);
    return EXIT.done;
  }
  const framework = FRAMEWORKS.find((one) => one.id === id);
  if (framework === undefined) {
    const near = nearest(id, FRAMEWORK_IDS);
    throw new IpoError(
      'not_found',
      `there is no framework ${id.slice(0, 80)}${near === null ? '' : ` (did you mean ${near}?)`}`,
      {
        hint: `Frameworks are ${FRAMEWORK_IDS.join(', ')}`,
      },
    );
  }
  await writeView(
    targets,
    { ...framework, ...countsOf(framework) },
    (paint) => oneLines(paint, framework),
    terminal,
    globals,
  );
  return EXIT.done;
}

function countsOf({ requirements }: Framework) {
  const mapped = requirements.filter(({ attestations }) => attestations.length > 0).length;
  return { mapped, out_of_scope: requirements.length - mapped };
}

function listLines(paint: Paint): string[] {
  return [
    ...paint.table(
      [
        { heading: 'id' },
        { heading: 'name', flex: 1 },
        { heading: 'date' },
        { heading: 'mapped', align: 'right' },
        { heading: 'out of scope', align: 'right' },
      ],
      FRAMEWORKS.map((framework) => {
        const { mapped, out_of_scope: out } = countsOf(framework);
        return [
          { text: framework.id },
          { text: framework.name },
          { text: framework.source.date },
          { text: String(mapped) },
          { text: String(out) },
        ];
      }),
      0,
    ),
    '',
    ...paint.sentence(
      'Only requirements that concern containers, or the records of them, are listed.',
      paint.chalk.dim,
      0,
    ),
  ];
}

function oneLines(paint: Paint, framework: Framework): string[] {
  const { mapped, out_of_scope: out } = countsOf(framework);
  const { version, date, rights } = framework.source;
  return [
    paint.heading(framework.name),
    ...paint.sentence(
      `Version ${version}, ${date}. ${rights}. ${mapped} mapped, ${out} out of scope.`,
      paint.chalk.dim,
      0,
    ),
    ...framework.requirements.flatMap(({ id, title, attestations, why }) => [
      '',
      `  ${paint.chalk.bold(id)}  ${title}`,
      ...paint.sentence(why, String, 4),
      ...paint.sentence(
        attestations.length === 0 ? 'out of scope' : attestations.join(', '),
        paint.chalk.dim,
        4,
      ),
    ]),
  ];
}
