import { openTrackerDoor } from '../../../src/app/index.ts';
import type { Secret } from '../../../src/base/index.ts';
import {
  CHANNEL_KINDS,
  isTrackerKind,
  kindOf,
  openDocuments,
  trackerOf,
  type ChannelKind,
  type TestStatus,
  type TrackerKind,
} from '../../../src/channels/index.ts';
import type { ChannelSetupOptions } from './options.ts';
import { clean } from '../../terminal/clean.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import { readStdinLines } from '../../terminal/prompts.ts';
import { checkStdin } from '../../files/index.ts';
import { openOutcome } from '../../terminal/outcome.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { VERSION } from '../../terminal/version.ts';
import { checkEvents, readDocument, type Document } from '../document.ts';
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
import { toSetupFile } from './file.ts';
import { askJira } from './jira.ts';
import {
  askPlace,
  askToken,
  placeFields,
  tokenField,
  type SetupAnswers,
  type SetupMeans,
  type SetupPlace,
} from './place.ts';
import { askName, askRest } from './rest.ts';
import { say } from './say.ts';
import { runTellerSetup } from './teller.ts';

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
  if (save && print) throw new UsageError('--save and --print exclude each other', 'Choose one');
  checkEvents('--event', options.event);
  const testLoopback = isTestLoopback(terminal.env);
  const interview = openInterview(terminal);
  const written = file === undefined ? null : await readDocument(file, terminal);
  const kind = await askKind(given, written, interview);
  checkKind(kind, options);
  if (!isTrackerKind(kind))
    return runTellerSetup(kind, written, options, { terminal, globals, outcome, testLoopback });
  const read = written === null ? null : toSetupFile(written, options, testLoopback);
  const door = await openTrackerDoor({ testLoopback, userAgent: `ipo/${VERSION}`, env: terminal.env });
  const rest = read === null ? interview : openInterview(terminal, false);
  const means: SetupMeans = { interview, rest, door, testLoopback };
  const answers: SetupAnswers = read?.answers ?? options;
  const tell = (remark: Remark): void => say(remark, terminal, globals);
  checkFlags(kind, answers, testLoopback);
  const stdin = credentialStdin ? (await readStdinLines(terminal, ['the token']))[0] : undefined;
  const tracker = await askTracker(kind, answers, stdin ?? read?.token?.reveal(), means, tell);
  const { place, jira } = tracker;
  const name = await askName(kind, place.target, answers.name, means);
  const subscriptions = options.event ?? answers.subscriptions;
  const document = {
    kind,
    name,
    ...(subscriptions !== undefined && { subscriptions }),
    ...placeFields(place),
    ...jira,
    ...(await askRest(place, answers, means)),
  };
  const { token, status } = tracker;
  const { target } = place;
  const setUp: SetUp = { kind, target, document, secrets: { [tokenField(place)]: token }, status, outcome };
  return endSetup(setUp, answers, means, terminal, globals);
}

/** A file says of which kind its channel is. */
async function askKind(
  given: string | undefined,
  written: Document | null,
  interview: Interview,
): Promise<ChannelKind> {
  if (written !== null) {
    const { kind } = openDocuments({ testLoopback: true, allowedHosts: [] })(written);
    if (given === undefined || given === kind) return kind;
    throw new UsageError(
      `the file contains a channel of the kind ${kind}, not ${clean(given)}`,
      `Leave out ${clean(given)}, or give another file`,
    );
  }
  const choices = CHANNEL_KINDS.map((kind) => ({ value: kind, name: kindOf(kind).setup.name }));
  const kind = await interview.choice('KIND', given, 'Which kind of channel?', choices);
  return CHANNEL_KINDS.find((one) => one === kind) ?? 'github';
}

/** Options of every tracker. */
const OF_TRACKERS = ['url', 'label', 'dailyCap'];

function checkKind(kind: ChannelKind, options: ChannelSetupOptions): void {
  const optionsOf = (one: ChannelKind): readonly string[] => [
    ...kindOf(one).setup.options,
    ...(isTrackerKind(one) ? OF_TRACKERS : []),
  ];
  if (!options.check && kind !== 'email')
    throw new UsageError('--no-check is for channels of email', 'Leave it out');
  for (const option of new Set(CHANNEL_KINDS.flatMap(optionsOf))) {
    if (options[option as keyof ChannelSetupOptions] === undefined || optionsOf(kind).includes(option))
      continue;
    const meant = CHANNEL_KINDS.filter((one) => optionsOf(one).includes(option));
    throw new UsageError(
      `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} is for channels of ${meant.join(' and ')}, and this is a channel of ${kind}`,
      'Leave it out',
    );
  }
}

/** What a flag says wrongly is said before anything is asked. */
function checkFlags(kind: TrackerKind, answers: SetupAnswers, testLoopback: boolean): void {
  const { dailyCap, name, label, allowedTarget } = answers;
  const given: readonly (readonly [flag: string, field: string, value: unknown])[] = [
    ['--name', 'name', name],
    ['--event', 'subscriptions', answers.event],
    ['--daily-cap', 'dailyCap', dailyCap === undefined ? undefined : Number(dailyCap)],
    ['--label', 'labels', label],
    ['--allowed-target', 'allowedTargets', trackerOf(kind).routing === null ? undefined : allowedTarget],
  ];
  for (const [flag, field, value] of given) {
    const fault = value === undefined ? null : faultOf(kind, { [field]: value }, field, testLoopback);
    if (fault !== null) throw new UsageError(`${flag}: ${fault}`);
  }
}

/** A place that is entered again is another place. */
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
    const next = await interview.choice('', undefined, 'What next?', [
      { value: 'token', name: 'enter another token' },
      { value: 'place', name: 'enter the address and the rest again' },
      { value: 'again', name: 'check again, after you fixed it or the limit has ended' },
      { value: 'on', name: 'continue anyway; the channel cannot be saved' },
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
  if (channel === null) throw new UsageError('the answers do not describe a tracker channel');
  // A tracker that reported a rate limit gets no further call.
  if (remarks.every(({ level }) => level !== 'wait'))
    remarks.push(...testRemarks(await door.test(channel, token), proved));
  return { remarks, apiBaseUrl, jira };
}
