import { IpoError } from '../../../src/base/index.ts';
import { explainEvent, parseEvent, toRecorded, type Explanation } from '../../../src/runtime/index.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { openOutcome } from '../../terminal/outcome.ts';
import { openParts } from '../../terminal/parts.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { checkStdin } from '../../files/index.ts';
import { readDraft } from '../read-draft.ts';

/** RuleTestOptions are the flags of `ipo runtime rule test`. */
export interface RuleTestOptions {
  readonly event?: string;
  readonly output: readonly string[];
}

const MAX_EVENT = 262_144;

/** runRuleTest is `ipo runtime rule test`. */
export async function runRuleTest(
  file: string,
  { event: path, output }: RuleTestOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(output, terminal);
  if (path === undefined)
    throw new UsageError('no event is given', 'Name the file of an event with --event FILE');
  checkStdin([file, path]);
  const parts = openParts(terminal);
  const { rules, policies } = await readDraft(file, parts);
  const event = parseEvent(await parts.readText(path, MAX_EVENT), null);
  if ('fault' in event)
    throw new IpoError('format', `the event cannot be read: ${event.fault}`, {
      place: { file: path === '-' ? 'stdin' : path },
      hint: 'Give one JSON object as Falco writes it with json_output: true',
    });
  const told = explainEvent(toRecorded(event, 1).subject, rules ?? [], policies);
  await outcome.write(told, lines(told).join(''));
  return EXIT.done;
}

function lines({ rule, effect, rules, policies }: Explanation): readonly string[] {
  const decided =
    rule === null
      ? 'No rule matches: the event is recorded.'
      : `The rule "${clean(rule)}" decides: ${effect}.`;
  const because = (failed: readonly string[]): string =>
    failed.length === 0 ? 'matches' : clean(failed.join('; '));
  return [
    `${decided}\n`,
    ...rules.map(({ name, decides, enabled, matches, failed }) => {
      const mark = decides ? '→' : ' ';
      const late = matches && !decides;
      let why = late ? 'matches, but an earlier rule decides' : because(failed);
      if (!enabled) why = 'disabled';
      return `${mark} rule ${clean(name)}: ${why}\n`;
    }),
    ...policies.map(
      ({ name, enforcement, failed }) =>
        `  policy ${clean(name)} (${enforcement}): ${failed.length === 0 ? 'asks to stop the pod' : because(failed)}\n`,
    ),
  ];
}
