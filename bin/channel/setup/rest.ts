import { trackerOf, type ChannelKind } from '../../../src/channels/index.ts';
import { commaParts, type Document } from '../document.ts';
import { UsageError } from '../../terminal/usage.ts';
import type { Interview, Question } from './ask.ts';
import { faultOf } from './check.ts';
import type { SetupAnswers, SetupMeans, SetupPlace } from './place.ts';

/** What is typed for a list without anything in it, where Enter stands for something else. */
const NONE = '-';

/** askRest asks for what a channel has beside its place: labels, cap, where issues may be routed. */
export async function askRest(
  { kind, target }: SetupPlace,
  answers: SetupAnswers,
  { rest, testLoopback }: SetupMeans,
): Promise<Document> {
  const wrong = (field: string, value: unknown): string | null =>
    faultOf(kind, { [field]: value }, field, testLoopback);
  const labels = await askList(rest, {
    flag: '--label',
    given: answers.label,
    text: `Labels of every issue, separated by commas (${NONE} for none)`,
    standard: rest.person ? 'security' : '',
    check: (value) => wrong('labels', value),
  });
  const cap = await rest.line({
    flag: '--daily-cap',
    given: answers.dailyCap,
    text: 'Maximum number of issues in any 24 hours, 1 to 500',
    standard: '20',
    check: (text) => wrong('dailyCap', Number(text)),
  });
  const fields = { labels, dailyCap: Number(cap), firstRunSummary: answers.firstRunSummary };
  if (trackerOf(kind).routing === null) return fields;
  // The builder of an image wrote the label that routes its issue; with a broad token that could be any repository.
  const proposed = target.includes('/') ? `${target.slice(0, target.lastIndexOf('/'))}/*` : '';
  const allowedTargets = await askList(rest, {
    flag: '--allowed-target',
    given: answers.allowedTarget,
    text: `Targets that image labels may name, as patterns separated by commas (${NONE} for anywhere on its host)`,
    standard: rest.person ? proposed : '',
    check: (value) => wrong('allowedTargets', value),
  });
  return { ...fields, allowedTargets };
}

/** askName asks for the name that the command line takes from then on. */
export async function askName(
  kind: ChannelKind,
  target: string,
  given: string | undefined,
  { rest, testLoopback }: Pick<SetupMeans, 'rest' | 'testLoopback'>,
): Promise<string> {
  return rest.line({
    flag: '--name',
    given,
    text: 'Name of the channel',
    standard: `${kind}-${target.split('/').at(-1) ?? ''}`.toLowerCase().slice(0, 100),
    check: (name) => faultOf(kind, { name }, 'name', testLoopback),
  });
}

/** ListQuestion asks for several answers. */
export interface ListQuestion extends Omit<Question, 'given' | 'check'> {
  readonly given: readonly string[] | undefined;
  readonly check: (value: readonly string[]) => string | null;
}

/** askList asks for several answers, joined by commas. */
export async function askList(
  interview: Interview,
  { flag, given, text, standard, check }: ListQuestion,
): Promise<readonly string[]> {
  if (given !== undefined) {
    const fault = check(given);
    if (fault === null) return given;
    throw new UsageError(`${flag}: ${fault}`);
  }
  const entered = (answer: string): readonly string[] => (answer === NONE ? [] : commaParts(answer));
  const answer = await interview.line({
    flag,
    given,
    text,
    ...(standard !== undefined && { standard }),
    check: (value) => check(entered(value)),
  });
  return entered(answer);
}
