import type { WrittenChannelBody } from '../../../src/api/contract/channels.ts';
import type { Secret } from '../../../src/base/index.ts';
import { isIpoError } from '../../../src/base/index.ts';
import { targetWarnings, type TestStatus } from '../../../src/channels/index.ts';
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
import { tokenField, type SetupAnswers, type SetupMeans, type SetupPlace } from './place.ts';

/** SetUp is a channel as it was entered. */
export interface SetUp {
  readonly place: SetupPlace;
  readonly document: Document;
  readonly token: Secret;
  /** Whether it would work; if not, or while a limit hides it, it is not saved. */
  readonly status: TestStatus;
  readonly outcome: Outcome;
}

const EXITS = { works: EXIT.done, fails: EXIT.check, limited: EXIT.outside } as const;

type End = 'save' | 'disabled' | 'print' | 'none';

/** endSetup saves or prints what was entered. A person whose channel could not be saved is asked again, so that nothing is lost. */
export async function endSetup(
  setUp: SetUp,
  answers: SetupAnswers,
  means: SetupMeans,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { status, place, token, outcome } = setUp;
  const { interview } = means;
  const works = status === 'works';
  const failed = EXITS[status];
  let { document } = setUp;
  let wanted: End | null = answers.save ? (answers.disabled ? 'disabled' : 'save') : null;
  if (answers.print) wanted = 'print';
  // Before it is saved, so that a person can still go back; the service would say the same again.
  const { channel } = toChannel(document, means.testLoopback);
  if (channel !== null && !globals.quiet)
    for (const line of warningsOf({ warnings: [...targetWarnings(channel)] })) terminal.err(`ipo: ${line}\n`);
  for (;;) {
    const end: End = wanted ?? (await askEnd(works, answers.disabled === true, interview));
    wanted = null;
    if (end === 'print') {
      const printed = answers.disabled ? { ...document, enabled: false } : document;
      await outcome.write(printed, toYaml(printed));
      return failed;
    }
    if (end === 'none' || !works) {
      const why = status === 'limited' ? ': the tracker could not be asked whether it works' : '';
      terminal.err(`ipo: nothing was saved${why}\n`);
      return failed;
    }
    const body = { ...document, enabled: end === 'save', [tokenField(place)]: token.reveal() };
    try {
      return await save(body, answers, outcome, terminal, globals);
    } catch (error) {
      if (!isIpoError(error) || !interview.person) throw error;
      await report(error, terminal, globals);
      if (error.code !== 'conflict') continue;
      const { kind, target } = place;
      document = { ...document, name: await askName(kind, target, undefined, { ...means, rest: interview }) };
      wanted = end;
    }
  }
}

async function askEnd(works: boolean, disabled: boolean, interview: SetupMeans['interview']): Promise<End> {
  if (!interview.person) return 'print';
  const saves: readonly Choice[] = [
    { value: 'save', name: 'save it in the service; it files from the next minute on' },
    { value: 'disabled', name: 'save it disabled, to see first what it would file' },
  ];
  const others: readonly Choice[] = [
    { value: 'print', name: 'print it as YAML, without its token' },
    { value: 'none', name: 'neither' },
  ];
  const choices = works ? [...(disabled ? saves.slice(1) : saves), ...others] : others;
  return (await interview.choice('--save', undefined, 'And now?', choices)) as End;
}

async function save(
  document: Document,
  answers: SetupAnswers,
  outcome: Outcome,
  terminal: Terminal,
  { quiet }: GlobalOptions,
): Promise<ExitCode> {
  const { body } = await withService(terminal, answers, (service) =>
    service.json<WrittenChannelBody>('POST /channels', { body: document }),
  );
  const text = `${clean(body.name, 100)} saved as ${body.id}${body.enabled ? '' : ', disabled'}\n`;
  await outcome.write(body, text);
  const name = quoted(body.name);
  if (!quiet) {
    terminal.err(`ipo: whether the service reaches the tracker too: ipo tracker test ${name}\n`);
    terminal.err(`ipo: what it would file: ipo channel plan ${name}; ipo channel preview ${name}\n`);
    if (!body.enabled) terminal.err(`ipo: it files once it is enabled: ipo channel enable ${name}\n`);
  }
  return EXIT.done;
}
