import {
  suggest,
  suggestionText,
  whyOf,
  type Population,
  type Suggestion,
} from '../../../src/advice/index.ts';
import { IpoError, nearest } from '../../../src/base/index.ts';
import type { CliParts } from '../../../src/app/index.ts';
import {
  loadAuthoring,
  parsePolicies,
  type ParsedPolicy,
  type PolicySpec,
} from '../../../src/policy/index.ts';
import { counted } from '../../../src/render/index.ts';
import { runWhatIf, sourceOf } from '../../../src/whatif/index.ts';
import { checkStdin, readOnePolicy } from '../../files/index.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../../terminal/output.ts';
import { openParts } from '../../terminal/parts.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { readPopulation } from '../../whatif/matrix/read.ts';
import type { MatrixOptions } from '../../whatif/matrix/index.ts';

/** PolicySuggestOptions are the flags of `ipo policy suggest`. */
export interface PolicySuggestOptions extends MatrixOptions {
  readonly tolerate: string;
  readonly name: string;
  readonly explain?: string;
}

/** runPolicySuggest is `ipo policy suggest`: nothing is printed that was not linted and replayed. */
export async function runPolicySuggest(
  options: PolicySuggestOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { base: path, ledger, explain, name } = options;
  const inputs = [path, ledger];
  const output = options.output ?? [];
  const targets = explain === undefined ? parseOutputs(output, ['yaml', 'json'], 'yaml', inputs) : [];
  const explained = explain === undefined ? [] : parseOutputs(output, ['table', 'json'], 'table', inputs);
  const tolerate = parseTolerated(options.tolerate);
  checkStdin([path, ledger, options.tokenStdin === true ? '-' : undefined]);
  checkName(name);
  const parts = openParts(terminal);
  const base = path === undefined ? null : (await readOnePolicy(path, parts)).policy.spec;
  const population = await readPopulation(options, base, parts, terminal, globals);
  if (population.rows === 0)
    throw new IpoError('empty', 'the period holds no admission, so nothing can be suggested', {
      hint: 'Look further back with --days, or record what runs: ipo ledger record',
    });
  const suggestion = suggest(population, { name, tolerated: tolerate(population.rows), base });
  if (explain !== undefined) {
    const field = fieldOf(explain, suggestion);
    const text = explainText(field, suggestion);
    const body = {
      field: `spec.${field}`,
      value: suggestion.spec[field],
      because: whyOf(field, suggestion),
      steps: stepsOn(field, suggestion),
    };
    const forms = { table: () => text, json: () => `${JSON.stringify(body)}\n` };
    await writeOutputs(explained, (format) => forms[format](), parts, terminal);
    return EXIT.done;
  }
  const { text, parsed } = await written(suggestion);
  await check(parsed, suggestion, options, population, parts);
  const forms = { yaml: () => text, json: () => `${JSON.stringify(toBody(suggestion, parsed))}\n` };
  await writeOutputs(targets, (format) => forms[format](), parts, terminal);
  if (!globals.quiet)
    terminal.err(
      `ipo: the policy ${clean(name)} was linted and replayed: it would deny ${suggestion.cost} of ${counted(population.rows, 'admission')} (--tolerate: ${suggestion.tolerated})\n`,
    );
  return EXIT.done;
}

function checkName(name: string): void {
  const text = JSON.stringify({
    apiVersion: 'ipo.dev/v1',
    kind: 'ImagePolicy',
    metadata: { name },
    spec: {},
  });
  const [problem] = parsePolicies(text, 'policy').problems;
  if (problem !== undefined)
    throw new UsageError(`--name ${clean(name) || '""'}: ${problem.message}`, problem.hint ?? undefined);
}

/** `N`, or `N%` of the admissions. */
function parseTolerated(text: string): (rows: number) => number {
  const match = /^(\d{1,12})(?:\.(\d{1,6}))?(%?)$/.exec(text);
  if (
    match === null ||
    (match[3] === '' && match[2] !== undefined) ||
    (match[3] === '%' && Number(text.slice(0, -1)) > 100)
  )
    throw new UsageError(
      `--tolerate ${clean(text) || '""'}: this is neither a count nor a share`,
      'Write it as 25 or 0.5%',
    );
  const value = Number(text.replace('%', ''));
  return (rows) => (match[3] === '%' ? Math.floor((rows * value) / 100) : value);
}

/** The policy file in its canonical form, read again. Throws where it does not hold what it should: a defect of ours. */
async function written(suggestion: Suggestion): Promise<{ text: string; parsed: ParsedPolicy }> {
  const { formatPolicies, lintPolicies } = await loadAuthoring();
  const formatted = formatPolicies(suggestionText(suggestion), 'suggestion');
  const text = formatted.kind === 'formatted' ? formatted.text : suggestionText(suggestion);
  const file = parsePolicies(text, 'suggestion');
  const [parsed] = file.policies;
  const bad = lintPolicies([file]).filter(({ level }) => level !== 'notice');
  if (parsed === undefined || bad.length > 0)
    throw new Error(`the suggestion does not lint: ${bad.map(({ message }) => message).join('; ')}`);
  return { text, parsed };
}

/** Replays the policy that is printed as any draft is. An export from stdin or a service was read once, and is not asked for again. */
async function check(
  { policy }: ParsedPolicy,
  { tolerated }: Suggestion,
  { ledger }: PolicySuggestOptions,
  { asOf, days }: Population,
  parts: CliParts,
): Promise<void> {
  if (ledger === undefined || ledger === '-') return;
  const opened = await parts.openLedger(ledger);
  try {
    const options = { draft: policy, asOf, days, limit: 0, source: null };
    const { would_deny } = await runWhatIf(options, sourceOf(opened));
    if (would_deny > tolerated)
      throw new Error(`the replay of the suggestion denies ${would_deny} admissions`);
  } finally {
    await opened.close();
  }
}

function toBody({ spec, population, steps, ...suggestion }: Suggestion, { document }: ParsedPolicy): object {
  return {
    policy: document,
    tolerated: suggestion.tolerated,
    would_deny: suggestion.cost,
    rows: population.rows,
    images: population.images,
    workloads: population.workloads,
    notes: population.notes,
    next_steps: steps.map(({ field, value, cost }) => ({ field, value, would_deny: cost })),
    plan: suggestion.stages,
    fields: Object.keys(spec).length,
  };
}

function fieldOf(text: string, { spec }: Suggestion): keyof PolicySpec {
  const name = text.replace(/^spec\./, '').split('.')[0] ?? '';
  if (Object.hasOwn(spec, name)) return name as keyof PolicySpec;
  const close = nearest(name, Object.keys(spec));
  throw new UsageError(
    `--explain ${clean(text) || '""'}: the policy has no such field`,
    close === null ? `Fields: ${Object.keys(spec).join(', ')}` : `Did you mean "${close}"?`,
  );
}

function stepsOn(field: string, { steps, stages }: Suggestion): object[] {
  return steps
    .filter((step) => step.field === `spec.${field}`)
    .map(({ value, cost }) => ({
      value,
      would_deny: cost,
      images: stages.find((stage) => stage.field === `spec.${field}` && stage.value === value)?.images ?? [],
    }));
}

function explainText(field: keyof PolicySpec, suggestion: Suggestion): string {
  const { spec, stages } = suggestion;
  const lines = [
    `spec.${field}: ${JSON.stringify(spec[field])}`,
    ...whyOf(field, suggestion).map((why) => `  ${why}`),
  ];
  for (const { value, rows, images } of stages.filter((stage) => stage.field === `spec.${field}`)) {
    lines.push('', `${value}: ${counted(rows, 'admission')} of ${counted(images.length, 'image')}`);
    for (const { image, rows: own, fix } of images) lines.push(`  ${image} (${own}): ${fix}`);
  }
  return `${lines.map((line) => clean(line, 2000)).join('\n')}\n`;
}
