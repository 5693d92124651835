import { openTrackerDoor } from '../../../src/app/index.ts';
import type { Secret } from '../../../src/base/index.ts';
import { TRACKER_KINDS, trackerOf, type TestStatus, type TrackerKind } from '../../../src/channels/index.ts';
import { wrapWords } from '../../../src/render/index.ts';
import type { ChannelSetupOptions } from './index.ts';
import { clean } from '../../terminal/clean.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import { readStdinLines } from '../../terminal/prompts.ts';
import { checkStdin } from '../../files/index.ts';
import { openOutcome } from '../../terminal/outcome.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { VERSION } from '../../terminal/version.ts';
import type { Document } from '../document.ts';
import { openInterview, type Interview } from './ask.ts';
import {
  checkGitlab,
  checkLook,
  faultOf,
  isTestLoopback,
  statusOf,
  testRemarks,
  toChannel,
  type Remark,
} from './check.ts';
import { endSetup, type SetUp } from './end.ts';
import { readSetupFile } from './file.ts';
import { askJira } from './jira.ts';
import {
  askPlace,
  askToken,
  placeFields,
  type SetupAnswers,
  type SetupMeans,
  type SetupPlace,
} from './place.ts';
import { askName, askRest } from './rest.ts';

/** runChannelSetup is `ipo channel setup`. Nothing is written to the tracker, and nothing is saved that would not work. */
export async function runChannelSetup(
  given: string | undefined,
  options: ChannelSetupOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { credentialStdin, tokenStdin, save, print, file } = options;
  const outcome = openOutcome(options.output, terminal);
  checkStdin([file, credentialStdin && '-', tokenStdin && '-']);
  if (save && print) throw new UsageError('--save and --print are two ends of a setup', 'Choose one');
  const testLoopback = isTestLoopback(terminal.env);
  const interview = openInterview(terminal);
  const read = file === undefined ? null : await readSetupFile(file, options, terminal, testLoopback);
  if (read !== null && given !== undefined && given !== read.kind)
    throw new UsageError(`the file holds a channel of ${read.kind}`, `Leave ${clean(given)} out`);
  const door = await openTrackerDoor({ testLoopback, userAgent: `ipo/${VERSION}` });
  const rest = read === null ? interview : openInterview(terminal, false);
  const means: SetupMeans = { interview, rest, door, testLoopback };
  const kind = read?.kind ?? (await kindOf(given, interview));
  const answers: SetupAnswers = read?.answers ?? options;
  const tell = (remark: Remark): void => say(remark, terminal, globals);
  checkKind(kind, options);
  checkFlags(kind, answers, testLoopback);
  const stdin = credentialStdin ? (await readStdinLines(terminal, ['the token']))[0] : undefined;
  const tracker = await askTracker(kind, answers, stdin ?? read?.token?.reveal(), means, tell);
  const { place, jira } = tracker;
  const name = await askName(kind, place.target, answers.name, means);
  const { subscriptions } = answers;
  const document = {
    kind,
    name,
    ...(subscriptions !== undefined && { subscriptions }),
    ...placeFields(place),
    ...jira,
    ...(await askRest(place, answers, means)),
  };
  const { token, status } = tracker;
  const setUp: SetUp = { place, document, token, status, outcome };
  return endSetup(setUp, answers, means, terminal, globals);
}

async function kindOf(given: string | undefined, interview: Interview): Promise<TrackerKind> {
  const choices = TRACKER_KINDS.map((kind) => ({ value: kind, name: trackerOf(kind).setup.name }));
  const kind = await interview.choice('KIND', given, 'Which tracker?', choices);
  return TRACKER_KINDS.find((one) => one === kind) ?? 'github';
}

function checkKind(kind: TrackerKind, options: ChannelSetupOptions): void {
  const optionsOf = (one: TrackerKind): readonly string[] => trackerOf(one).setup.options;
  for (const option of new Set(TRACKER_KINDS.flatMap(optionsOf))) {
    if (options[option as keyof ChannelSetupOptions] === undefined || optionsOf(kind).includes(option))
      continue;
    const meant = TRACKER_KINDS.filter((one) => optionsOf(one).includes(option));
    throw new UsageError(
      `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} is for channels of ${meant.join(' and ')}, and this is one of ${kind}`,
      'Leave it out',
    );
  }
}

/** What a flag says wrongly is said before anything is asked. */
function checkFlags(kind: TrackerKind, answers: SetupAnswers, testLoopback: boolean): void {
  const { dailyCap, name, label, allowedTarget } = answers;
  const given: readonly (readonly [flag: string, field: string, value: unknown])[] = [
    ['--name', 'name', name],
    ['--daily-cap', 'dailyCap', dailyCap === undefined ? undefined : Number(dailyCap)],
    ['--label', 'labels', label],
    ['--allowed-target', 'allowedTargets', trackerOf(kind).routing === null ? undefined : allowedTarget],
  ];
  for (const [flag, field, value] of given) {
    const fault = value === undefined ? null : faultOf(kind, { [field]: value }, field, testLoopback);
    if (fault !== null) throw new UsageError(`${flag}: ${fault}`);
  }
}

/** Whoever enters the place again means another one. */
const NO_FLAGS = { firstRunSummary: true } as const;

interface Tracker {
  readonly place: SetupPlace;
  readonly token: Secret;
  /** Fields of Jira. */
  readonly jira: Document;
  readonly status: TestStatus;
}

/** Asks for the place and the token until they work, as far as a person is there to correct them. */
async function askTracker(
  kind: TrackerKind,
  answers: SetupAnswers,
  given: string | undefined,
  means: SetupMeans,
  tell: (remark: Remark) => void,
): Promise<Tracker> {
  const { interview } = means;
  let place = await askPlace(kind, answers, means);
  let token = await askToken(place, given, means);
  for (;;) {
    const found = await probe(place, token, answers, means, tell);
    for (const remark of found.remarks) tell(remark);
    const tracker = {
      place: { ...place, apiBaseUrl: found.apiBaseUrl },
      token,
      jira: found.jira,
      status: statusOf(found.remarks),
    };
    if (tracker.status === 'works' || !interview.person) return tracker;
    const next = await interview.choice('', undefined, 'What now?', [
      { value: 'token', name: 'enter another token' },
      { value: 'place', name: 'enter the address and the rest again' },
      { value: 'again', name: 'look again, once it is mended or the limit has ended' },
      { value: 'on', name: 'go on all the same; it cannot be saved' },
    ]);
    if (next === 'on') return tracker;
    const asking = { ...means, rest: interview };
    if (next === 'place') place = await askPlace(kind, { ...NO_FLAGS, gateway: answers.gateway }, asking);
    if (next !== 'again') token = await askToken(place, undefined, asking);
  }
}

interface Found {
  readonly remarks: readonly Remark[];
  readonly apiBaseUrl: string;
  readonly jira: Document;
}

/** Reads from the tracker whether a channel would work there. */
async function probe(
  place: SetupPlace,
  token: Secret,
  answers: SetupAnswers,
  { door, rest, testLoopback }: SetupMeans,
  tell: (remark: Remark) => void,
): Promise<Found> {
  const { kind, target, email } = place;
  const remarks: Remark[] = [...checkLook(token)];
  let { apiBaseUrl } = place;
  let jira: Document = {};
  let proved = false;
  if (kind === 'gitlab') {
    remarks.push(...(await checkGitlab(apiBaseUrl, token, door, Date.now())));
    proved = remarks.some(({ level }) => level === 'ok');
  }
  if (kind === 'jira') {
    const asked = await askJira({ apiBaseUrl, email }, target, token, {
      door,
      interview: rest,
      answers,
      tell,
    });
    const { issueType, doneTransitionId } = asked;
    jira = { issueType, ...(doneTransitionId !== null && { doneTransitionId }) };
    ({ apiBaseUrl, proved } = asked);
    remarks.push(...asked.remarks);
  }
  const fields = { kind, name: kind, ...placeFields({ ...place, apiBaseUrl }), ...jira };
  const { channel } = toChannel(fields, testLoopback);
  if (channel === null) throw new UsageError('what was entered makes no channel of a tracker');
  // A tracker that asked to be left alone is asked nothing more.
  if (remarks.every(({ level }) => level !== 'wait'))
    remarks.push(...testRemarks(await door.test(channel, token), proved));
  return { remarks, apiBaseUrl, jira };
}

function say({ level, sentence, fix }: Remark, terminal: Terminal, { quiet }: GlobalOptions): void {
  if (quiet && level !== 'wrong') return;
  const lines = [sentence, ...(fix === undefined ? [] : [fix])].flatMap((text) =>
    wrapWords(clean(text, 1000), Math.max(40, Math.min(terminal.columns, 110)) - 7),
  );
  for (const [at, line] of lines.entries()) terminal.err(`${(at === 0 ? level : '').padEnd(7)}${line}\n`);
}
