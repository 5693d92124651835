import type { Policy } from '../../../src/policy/index.ts';
import {
  coverageOf,
  parseTests,
  runCase,
  TEST_ENDINGS,
  type CaseResult,
} from '../../../src/policy-test/index.ts';
import { MAX_MANIFEST_BYTES } from '../../../src/manifests/index.ts';
import { fromWorkspace, withDirectories } from '../../files/index.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../../terminal/output.ts';
import { openParts } from '../../terminal/parts.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { CaseReader } from './read.ts';
import type { Tested } from './view.ts';
import type { ServiceFlags } from '../../service/index.ts';

/** PolicyTestOptions are the flags of `ipo policy test`. */
export interface PolicyTestOptions extends ServiceFlags {
  readonly coverage?: true;
  readonly record?: string;
  readonly policy?: readonly string[];
  readonly ledger?: string;
  readonly trivy?: readonly string[];
  readonly kev?: string;
  readonly namespace?: string;
  readonly signals?: string;
  readonly exposedBy?: string;
  readonly registry: 'auto' | 'always' | 'never';
  readonly byName?: true;
  readonly offline?: true;
  readonly output: readonly string[];
}

const FORMATS = ['table', 'json', 'junit', 'github'] as const;

/** runPolicyTest is `ipo policy test`. Every file is read before a case is run. */
export async function runPolicyTest(
  paths: readonly string[],
  options: PolicyTestOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  checkFlags(paths, options);
  const targets = parseOutputs(options.output, FORMATS, 'table', paths);
  const parts = openParts(terminal);
  const files = await withDirectories(paths, 'policy test', parts, TEST_ENDINGS);
  const tests = [];
  for (const path of files)
    tests.push(parseTests(await parts.readText(path, MAX_MANIFEST_BYTES), path === '-' ? 'stdin' : path));
  const reader = new CaseReader(parts);
  const results: CaseResult[] = [];
  const policies = new Map<string, Policy>();
  for (const one of tests.flatMap(({ cases }) => cases)) {
    const parsed = await reader.policies(one);
    for (const { policy, places } of parsed) policies.set(`${places.file}\n${policy.name}`, policy);
    results.push(runCase(one, await reader.sources(one, parsed)));
  }
  const coverage = options.coverage ? coverageOf([...policies.values()], results) : null;
  const tested: Tested = { results, coverage };
  const failed = results.filter(({ passed }) => !passed).length;
  const views = await import('./view.ts');
  await writeOutputs(targets, (format, toStdout) => render(format, toStdout), parts, terminal);
  if (!globals.quiet) terminal.err(`ipo: ${views.summaryOf(results.length, failed, tests.length)}\n`);
  return failed > 0 ? EXIT.check : EXIT.done;

  function render(format: (typeof FORMATS)[number], toStdout: boolean): string | Promise<string> {
    switch (format) {
      case 'json':
        return `${JSON.stringify(views.toBody(tested))}\n`;
      case 'junit':
        return views.renderJUnit(tested);
      case 'github':
        return views.renderAnnotations(tested, (file) => fromWorkspace(file, terminal.env));
      case 'table':
        return views.renderTests(tested, {
          color: toStdout && usesColor(terminal, globals, 'out'),
          columns: terminal.columns,
          whole: !(toStdout && terminal.tty.out),
        });
    }
  }
}

function checkFlags(paths: readonly string[], options: PolicyTestOptions): void {
  if (paths.length === 0)
    throw new UsageError(
      'no test file is given',
      'Name test files or a directory; `ipo policy test --record IMAGE --policy FILE` writes a first case',
    );
  const {
    policy,
    ledger,
    trivy,
    kev,
    namespace,
    signals,
    exposedBy,
    byName,
    offline,
    server,
    tokenStdin,
    ca,
  } = options;
  const given = Object.entries({
    policy,
    ledger,
    trivy,
    kev,
    namespace,
    signals,
    'exposed-by': exposedBy,
    'by-name': byName,
    offline,
    server,
    'token-stdin': tokenStdin,
    ca,
  }).find(([, value]) => value !== undefined);
  if (given !== undefined)
    throw new UsageError(
      `--${given[0]} has an effect only with --record`,
      'Add --record IMAGE, or write the value into the test case',
    );
}
