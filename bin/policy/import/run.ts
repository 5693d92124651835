import { MAX_MANIFEST_BYTES } from '../../../src/manifests/index.ts';
import { parsePolicies } from '../../../src/policy/index.ts';
import {
  documentOf,
  importedText,
  importPolicies,
  OUTCOMES,
  type ImportResult,
} from '../../../src/policy-import/index.ts';
import { checkStdin, withDirectories } from '../../files/index.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../../terminal/output.ts';
import { openParts } from '../../terminal/parts.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';

/** PolicyImportOptions are the flags of `ipo policy import`. */
export interface PolicyImportOptions {
  readonly output: readonly string[];
}

/** runPolicyImport is `ipo policy import`: a rule that is weaker, or left out, is told and exits 1. */
export async function runPolicyImport(
  paths: readonly string[],
  options: PolicyImportOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ['yaml', 'table', 'json'], 'yaml', paths);
  checkStdin(paths);
  const parts = openParts(terminal);
  const files = [];
  for (const path of await withDirectories(paths, 'policy', parts))
    files.push({ file: path === '-' ? 'stdin' : path, text: await parts.readText(path, MAX_MANIFEST_BYTES) });
  const result = importPolicies(files);
  if (result.rules.length === 0)
    throw new UsageError(
      'the files hold no policy that can be converted',
      'These are converted: ClusterPolicy, ValidatingPolicy, ImageValidatingPolicy, Gatekeeper constraints, ClusterImagePolicy, and the configuration of Connaisseur',
    );
  const text = importedText(result);
  const [problem] = result.policies.length === 0 ? [] : parsePolicies(text, 'import').problems;
  if (problem !== undefined) throw new Error(`what was converted is not valid: ${problem.message}`);
  const counts = Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, result.rules.filter((rule) => rule.outcome === outcome).length]),
  );
  const forms = {
    yaml: () => text,
    table: () => `${ruleLines(result).join('\n')}\n`,
    json: () =>
      `${JSON.stringify({ items: result.rules, total: result.rules.length, counts, policies: result.policies.map(documentOf), passed_over: result.passedOver })}\n`,
  };
  await writeOutputs(targets, (format) => forms[format](), parts, terminal);
  if (!globals.quiet) {
    if (targets.some(({ format }) => format === 'yaml'))
      for (const line of ruleLines(result)) terminal.err(`${line}\n`);
    for (const kind of result.passedOver)
      terminal.err(`ipo: skipped: ${clean(kind)} is not a policy for images\n`);
    terminal.err(`ipo: ${OUTCOMES.map((outcome) => `${counts[outcome] ?? 0} ${outcome}`).join(', ')}\n`);
  }
  return result.rules.some(({ outcome }) => outcome === 'wider' || outcome === 'not_covered')
    ? EXIT.check
    : EXIT.done;
}

function ruleLines({ rules }: ImportResult): string[] {
  return rules.flatMap(({ file, line, column, source, rule, outcome, policies, reasons }) => [
    `${clean(file)}:${line}:${column}: ${outcome}: ${clean(source)}, ${clean(rule)}${policies.length === 0 ? '' : ` -> ${policies.join(', ')}`}`,
    ...reasons.map((why) => `    ${clean(why)}`),
  ]);
}
