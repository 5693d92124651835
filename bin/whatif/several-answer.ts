import type { CliParts } from '../../src/app/index.ts';
import { counted, formatCount, toYaml } from '../../src/render/index.ts';
import type { SeveralResult } from '../../src/whatif/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { writeOutputs, type OutputTarget } from '../terminal/output.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import {
  type ANSWER_FORMATS,
  judge,
  parseWanted,
  renderAnswer,
  type AnswerFlags,
  type Draft,
  type Wanted,
} from './answer.ts';
import { runChecks } from './checks.ts';

type Format = (typeof ANSWER_FORMATS)[number];

/** What stands in the path of a result for the name of its policy. */
const NAME = '{policy}';
/** Forms of one policy each: a page or a report of several is none. */
const OF_ONE: readonly Format[] = ['html', 'sarif', 'junit'];

/** parseSeveral reads `-o`, `--fail-on` and `--strict` for several policies. Throws UsageError. */
export function parseSeveral(flags: AnswerFlags, inputs: readonly (string | undefined)[]): Wanted {
  const wanted = parseWanted(flags, inputs);
  const open = wanted.targets.find(
    ({ format, path }) => OF_ONE.includes(format) && path?.includes(NAME) !== true,
  );
  if (open !== undefined)
    throw new UsageError(
      `several policies are given, and -o ${open.format} writes a file for each`,
      `Put ${NAME} into the name of the file: -o ${open.format}=whatif-${NAME}.${open.format === 'junit' ? 'xml' : open.format}`,
    );
  return wanted;
}

/** deliverSeveral writes every output on several policies, says what does not hold of which, and gives the exit code of the worst. */
export async function deliverSeveral(
  result: SeveralResult,
  drafts: readonly Draft[],
  wanted: Wanted,
  parts: Pick<CliParts, 'writeFile'>,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const one = (i: number, format: Format, toStdout: boolean): Promise<string> => {
    const [item, draft] = [result.items[i], drafts[i]];
    if (item === undefined || draft === undefined) throw new Error('an answer without its draft');
    return renderAnswer(
      format,
      { result: item, json: JSON.stringify(item), draft },
      runChecks(wanted.checks, item),
      {
        color: toStdout && usesColor(terminal, globals, 'out'),
        columns: terminal.columns,
        env: terminal.env,
        all: wanted.all,
        isWatched: false,
      },
    );
  };
  const targets = wanted.targets.flatMap((target) => expand(target, result));
  await writeOutputs(
    targets.map(({ format, path }, at) => ({ format: String(at), path, was: format })),
    async (at, toStdout) => {
      const target = targets[Number(at)];
      if (target === undefined) return '';
      if (target.of !== null) return one(target.of, target.format, toStdout);
      return renderSeveral(target.format, result, (i) => one(i, target.format, toStdout));
    },
    parts,
    terminal,
  );
  const codes = result.items.map((item) =>
    judge({ result: item }, wanted, terminal, globals, item.policy.name),
  );
  return codes.includes(EXIT.check) ? EXIT.check : (codes.find((code) => code !== EXIT.done) ?? EXIT.done);
}

/** A path with the place of a name becomes a path for each policy. */
function expand(
  { format, path }: OutputTarget<Format>,
  { items }: SeveralResult,
): readonly { readonly format: Format; readonly path: string | null; readonly of: number | null }[] {
  if (path === null || !path.includes(NAME)) return [{ format, path, of: null }];
  return items.map(({ policy }, of) => ({
    format,
    path: path.replaceAll(NAME, encodeURIComponent(policy.name)),
    of,
  }));
}

async function renderSeveral(
  format: Format,
  { items, together }: SeveralResult,
  one: (i: number) => Promise<string>,
): Promise<string> {
  const body = { items, total: items.length, together };
  if (format === 'json') return `${JSON.stringify(body)}\n`;
  if (format === 'yaml') return toYaml(body);
  const answers: string[] = [];
  for (let i = 0; i < items.length; i += 1) answers.push(await one(i));
  if (format === 'github') return answers.join('');
  const sentence = summary({ items, together });
  return format === 'markdown'
    ? `${answers.join('\n---\n\n')}\n---\n\n${sentence}\n`
    : `${answers.join(`\n${'─'.repeat(20)}\n\n`)}\n${'─'.repeat(20)}\n\n${sentence}\n`;
}

/** One line for each policy, and the sentence on all of them. */
function summary({ items, together }: SeveralResult): string {
  const lines = items.map(
    ({ policy, would_deny, would_allow, evaluated }) =>
      `- ${policy.name}: would deny ${formatCount(would_deny)} and allow ${formatCount(would_allow)} of ${formatCount(evaluated)}`,
  );
  return [...lines, '', togetherText(together)].join('\n');
}

function togetherText({
  policies,
  evaluated,
  would_deny,
  would_allow,
  truncated,
}: SeveralResult['together']): string {
  const left = truncated ? ' Rows that --limit left out for any of the policies are not counted here.' : '';
  return `Together, the ${counted(policies.length, 'policy', 'policies')} would deny ${formatCount(would_deny)} of ${counted(evaluated, 'admission')} that were allowed, and allow ${formatCount(would_allow)} that were denied.${left}`;
}
