import type { PolicyCoverage, CaseResult } from '../../../src/policy-test/index.ts';
import { counted, toAnnotations, toJUnit, type Finding } from '../../../src/render/index.ts';
import { clean } from '../../terminal/clean.ts';
import { openPaint } from '../../terminal/paint.ts';

/** Tested is what a run of cases gave. */
export interface Tested {
  readonly results: readonly CaseResult[];
  /** Null where it was not asked for. */
  readonly coverage: readonly PolicyCoverage[] | null;
}

/** summaryOf says how a run went, in a few words. */
export function summaryOf(cases: number, failed: number, files: number): string {
  const passed = cases - failed;
  return `${counted(cases, 'case')} in ${counted(files, 'file')}: ${passed} passed, ${failed} failed`;
}

/** toBody is the JSON of a run. */
export function toBody({ results, coverage }: Tested): object {
  const items = results.map(({ case: one, passed, answered, why }) => ({
    file: one.file,
    line: one.line,
    column: one.column,
    name: one.name,
    passed,
    why,
    expected: one.expected,
    answered,
  }));
  const failed = results.filter(({ passed }) => !passed).length;
  return {
    items,
    total: items.length,
    passed: items.length - failed,
    failed,
    ...(coverage !== null && { coverage }),
  };
}

/** renderJUnit writes a test for each case. */
export function renderJUnit({ results }: Tested): string {
  const cases = results.map(({ case: { name, file, line, column, expected }, why }) =>
    why === null
      ? { name, classname: file }
      : {
          name,
          classname: file,
          failure: {
            type: expected.kind === 'denied' ? expected.label : expected.kind,
            message: why,
            text: `${file}:${line}:${column}: ${why}`,
          },
        },
  );
  return toJUnit({ name: 'ipo policy test', cases });
}

/** renderAnnotations writes failed cases, and with coverage the gates that no case reached, as annotations of GitHub Actions. */
export function renderAnnotations({ results, coverage }: Tested, place: (file: string) => string): string {
  const failed = results.flatMap(({ case: one, why }): Finding[] =>
    why === null
      ? []
      : [
          {
            ruleId: 'policy-test',
            ruleTitle: 'Policy test failed',
            level: 'error',
            message: `${one.name}: ${why}`,
            file: place(one.file),
            line: one.line,
            column: one.column,
          },
        ],
  );
  const [first] = results;
  const open = first === undefined ? [] : gapsOf(coverage ?? []);
  const notes = open.map((message): Finding => ({
    ruleId: 'policy-test-coverage',
    ruleTitle: 'Gate without a test',
    level: 'note',
    message,
    file: place(first?.case.file ?? ''),
    line: 1,
    column: 1,
  }));
  return toAnnotations([...failed, ...notes]);
}

/** renderTests draws failed cases with their reasons below them, then the coverage. */
export async function renderTests(
  { results, coverage }: Tested,
  view: { readonly color: boolean; readonly columns: number; readonly whole: boolean },
): Promise<string> {
  const { chalk } = await openPaint(view);
  const paint = await openPaint(view);
  const lines = results.flatMap(({ case: { name, file, line }, passed, why }) => [
    `${passed ? chalk.green('ok  ') : chalk.red('FAIL')}  ${clean(name)}  ${chalk.dim(`${clean(file)}:${line}`)}`,
    ...(why === null ? [] : paint.sentence(clean(why, 2000), String, 6)),
  ]);
  if (coverage === null) return `${lines.join('\n')}\n`;
  const columns = [
    { heading: 'policy', flex: 1 },
    { heading: 'gate' },
    { heading: 'cases', align: 'right' },
    { heading: 'denied', align: 'right' },
  ] as const;
  const rows = coverage.flatMap(({ policy, gates }) =>
    gates.map(({ label, reached, denied }) =>
      [policy, label, String(reached), String(denied)].map((text) => ({ text: clean(text) })),
    ),
  );
  const gaps = gapsOf(coverage);
  return `${[
    ...lines,
    '',
    paint.heading('Coverage', 'gates by which each policy can deny'),
    ...paint.table(columns, rows),
    '',
    ...(gaps.length === 0
      ? ['  Each gate denied an image in some case.']
      : gaps.flatMap((gap) => paint.sentence(clean(gap)))),
  ].join('\n')}\n`;
}

/** What no case has tried, in sentences. */
function gapsOf(coverage: readonly PolicyCoverage[]): string[] {
  return coverage.flatMap(({ policy, gates }) => {
    const never = gates.filter(({ reached }) => reached === 0).map(({ label }) => label);
    const silent = gates
      .filter(({ reached, denied }) => reached > 0 && denied === 0)
      .map(({ label }) => label);
    return [
      ...(never.length === 0 ? [] : [`${policy}: no case reached ${never.join(', ')}.`]),
      ...(silent.length === 0 ? [] : [`${policy}: no case is denied by ${silent.join(', ')}.`]),
    ];
  });
}
