import type { WrittenChannelBody } from '../../../src/api/contract/channels.ts';
import type { Secret } from '../../../src/base/index.ts';
import { isIpoError } from '../../../src/base/index.ts';
import {
  isTrackerKind,
  targetWarnings,
  type ChannelKind,
  type TestStatus,
} from '../../../src/channels/index.ts';
import { toYaml } from '../../../src/render/index.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, report, type ExitCode } from '../../terminal/exit.ts';
import type { Outcome } from '../../terminal/outcome.ts';
import { withService } from '../../service/client.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import type { Document } from '../document.ts';
import { quoted } from '../find.ts';
import { warningsOf } from '../remarks.ts';
import type { Choice } from './ask.ts';
import { toChannel } from './check.ts';
import { askName } from './rest.ts';
import type { SetupAnswers, SetupMeans } from './place.ts';

/** SetUp is a channel as it was entered. */
export interface SetUp {
  readonly kind: ChannelKind;
  /** Where it leads, in a few words. */
  readonly target: string;
  readonly document: Document;
  /** Its secrets, by their fields. */
  readonly secrets: Readonly<Partial<Record<string, Secret>>>;
  /** Whether it would work; if not, or while a limit hides it, it is not saved. */
  readonly status: TestStatus;
  readonly outcome: Outcome;
}

const EXITS = { works: EXIT.done, fails: EXIT.check, limited: EXIT.outside } as const;

type End = 'save' | 'disabled' | 'print' | 'none';

function wantedEnd({ print, save, disabled }: SetupAnswers): End | null {
  if (print) return 'print';
  if (!save) return null;
  return disabled ? 'disabled' : 'save';
}

/** endSetup saves or prints what was entered. A person whose channel could not be saved is asked again, so that nothing is lost. */
export async function endSetup(
  setUp: SetUp,
  answers: SetupAnswers,
  means: Pick<SetupMeans, 'interview' | 'rest' | 'testLoopback'>,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { status, kind, target, secrets, outcome } = setUp;
  const { interview } = means;
  const works = status === 'works';
  const failed = EXITS[status];
  let { document } = setUp;
  let wanted = wantedEnd(answers);
  // Before it is saved, so that a person can still go back; the service would say the same again.
  const channel = isTrackerKind(kind) ? toChannel(document, means.testLoopback).channel : null;
  if (channel !== null && !globals.quiet)
    for (const line of warningsOf({ warnings: [...targetWarnings(channel)] })) terminal.err(`ipo: ${line}\n`);
  for (;;) {
    const end: End = wanted ?? (await askEnd(setUp, answers.disabled === true, interview));
    wanted = null;
    if (end === 'print') {
      const printed = answers.disabled ? { ...document, enabled: false } : document;
      await outcome.write(printed, toYaml(printed));
      return failed;
    }
    if (end === 'none' || !works) {
      const why = status === 'limited' ? `: ${UNKNOWN[isTrackerKind(kind) ? 'tracker' : 'mail']}` : '';
      terminal.err(`ipo: nothing was saved${why}\n`);
      return failed;
    }
    const revealed = Object.entries(secrets).map(([field, secret]) => [field, secret?.reveal()]);
    const body = { ...document, enabled: end === 'save', ...Object.fromEntries(revealed) };
    try {
      return await save(body, setUp, answers, terminal, globals);
    } catch (error) {
      if (!isIpoError(error) || !interview.person) throw error;
      await report(error, terminal, globals);
      if (error.code !== 'conflict') continue;
      document = { ...document, name: await askName(kind, target, undefined, { ...means, rest: interview }) };
      wanted = end;
    }
  }
}

const UNKNOWN = {
  tracker: 'the tracker could not be reached for a check',
  mail: 'the mail server could not be reached for a check',
};

async function askEnd(
  { kind, status }: SetUp,
  disabled: boolean,
  interview: SetupMeans['interview'],
): Promise<End> {
  if (!interview.person) return 'print';
  const works = status === 'works';
  const saves: readonly Choice[] = isTrackerKind(kind)
    ? [
        { value: 'save', name: 'save it in the service; it starts to file within a minute' },
        { value: 'disabled', name: 'save it disabled, to preview first what it would file' },
      ]
    : [
        { value: 'save', name: 'save it in the service; it gets all events from now on' },
        { value: 'disabled', name: 'save it disabled' },
      ];
  const others: readonly Choice[] = [
    { value: 'print', name: 'print it as YAML, without its secrets' },
    { value: 'none', name: 'neither' },
  ];
  const choices = works ? [...(disabled ? saves.slice(1) : saves), ...others] : others;
  return (await interview.choice('--save', undefined, 'What next?', choices)) as End;
}

async function save(
  document: Document,
  { kind, outcome }: SetUp,
  answers: SetupAnswers,
  terminal: Terminal,
  { quiet }: GlobalOptions,
): Promise<ExitCode> {
  const { body } = await withService(terminal, answers, (service) =>
    service.json<WrittenChannelBody>('POST /channels', { body: document }),
  );
  const text = `${clean(body.name, 100)} saved as ${body.id}${body.enabled ? '' : ', disabled'}\n`;
  await outcome.write(body, text);
  const name = quoted(body.name);
  if (!quiet) for (const line of nextSteps(kind, name, body.enabled)) terminal.err(`ipo: ${line}\n`);
  return EXIT.done;
}

function nextSteps(kind: ChannelKind, name: string, enabled: boolean): readonly string[] {
  const [first, once] = isTrackerKind(kind)
    ? [
        [
          `check that the service reaches the tracker too: ipo tracker test ${name}`,
          `preview what it would file: ipo channel plan ${name}; ipo channel preview ${name}`,
        ],
        'enable it to file',
      ]
    : [[`send it a test message: ipo channel test ${name}`], 'enable it to send messages'];
  return [...first, ...(enabled ? [] : [`${once}: ipo channel enable ${name}`])];
}
