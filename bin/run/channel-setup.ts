import type { WrittenChannelBody } from '../../src/api/contract/channels.ts';
import { openTrackerDoor, type TrackerDoor } from '../../src/app/index.ts';
import { Secret } from '../../src/base/index.ts';
import { TRACKER_KINDS, type TrackerKind } from '../../src/channels/index.ts';
import { toYaml } from '../../src/render/index.ts';
import type { ChannelSetupOptions } from '../commands/channel-setup.ts';
import { clean } from '../ui/clean.ts';
import { EXIT, type ExitCode } from '../ui/exit.ts';
import { parseWhole } from '../ui/numbers.ts';
import { readStdinLines } from '../ui/prompts.ts';
import { checkStdin } from '../ui/read-policies.ts';
import { withService } from '../ui/service.ts';
import type { GlobalOptions, Terminal } from '../ui/terminal.ts';
import { UsageError } from '../ui/usage.ts';
import { VERSION } from '../version.ts';
import { isCloud, STANDARD_URLS, toApiUrl, toTarget } from './channel-setup-address.ts';
import { openInterview, type Interview } from './channel-setup-ask.ts';
import { checkGitlab, checkLook, isTestLoopback, toChannel, type Remark } from './channel-setup-check.ts';
import { askJira } from './channel-setup-jira.ts';

type Document = Readonly<Record<string, unknown>>;

interface Asked {
  readonly document: Document;
  readonly token: Secret;
  readonly remarks: readonly Remark[];
}

const TARGETS: Readonly<Record<TrackerKind, readonly [flag: '--repo' | '--project', question: string]>> = {
  github: ['--repo', 'Repository for issues that no label of an image routes (owner/name)'],
  gitlab: [
    '--project',
    'Project for issues that no label of an image routes (its whole path, or its number)',
  ],
  jira: ['--project', 'Key of the project in which issues are opened'],
};
const TARGET_FIELDS = { github: 'defaultRepo', gitlab: 'defaultProject', jira: 'projectKey' } as const;

/** runChannelSetup is `ipo channel setup`. Nothing is written to the tracker, and nothing is saved that would not work. */
export async function runChannelSetup(
  given: string | undefined,
  options: ChannelSetupOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { credentialStdin, tokenStdin, save, print } = options;
  checkStdin([credentialStdin && '-', tokenStdin && '-']);
  if (save && print) throw new UsageError('--save and --print are two ends of a setup', 'Choose one');
  if (options.dailyCap !== undefined)
    parseWhole('--daily-cap', options.dailyCap, 1, 500, 'the cap of a channel');
  const interview = openInterview(terminal);
  const testLoopback = isTestLoopback(terminal.env);
  const door = await openTrackerDoor({ testLoopback, userAgent: `ipo/${VERSION}` });
  const kind = await kindOf(given, interview);
  const asked = await askAll(kind, options, { interview, door, terminal, testLoopback });
  const { channel } = toChannel(asked.document, testLoopback);
  if (channel === null) throw new UsageError('what was entered makes no channel of a tracker');
  const test = await door.test(channel, asked.token);
  const remarks: readonly Remark[] = [
    ...asked.remarks,
    { wrong: !test.works, sentence: test.sentence, fix: test.hints.join('. ') || null },
  ];
  tell(remarks, terminal, globals);
  const works = remarks.every(({ wrong }) => !wrong);
  const end = save ? 'save' : print ? 'print' : await endOf(works, interview);
  if (end === 'print') {
    terminal.out(toYaml(asked.document));
    return works ? EXIT.done : EXIT.check;
  }
  if (end === 'save' && works) return saved(asked, options, terminal);
  terminal.err('ipo: nothing was saved\n');
  return works ? EXIT.done : EXIT.check;
}

async function kindOf(given: string | undefined, interview: Interview): Promise<TrackerKind> {
  const names = { github: 'GitHub', gitlab: 'GitLab', jira: 'Jira' } as const;
  const choices = TRACKER_KINDS.map((kind) => ({ value: kind, name: names[kind] }));
  const kind = await interview.choice('KIND', given, 'Which tracker?', choices);
  return TRACKER_KINDS.find((one) => one === kind) ?? 'github';
}

interface Means {
  readonly interview: Interview;
  readonly door: TrackerDoor;
  readonly terminal: Terminal;
  readonly testLoopback: boolean;
}

async function askAll(kind: TrackerKind, options: ChannelSetupOptions, means: Means): Promise<Asked> {
  const { interview, door, terminal, testLoopback } = means;
  const url = await interview.line('--url', options.url, 'Address of the tracker', STANDARD_URLS[kind]);
  const apiBaseUrl = toApiUrl(kind, url);
  const [flag, question] = TARGETS[kind];
  const target = toTarget(
    kind,
    await interview.line(flag, kind === 'github' ? options.repo : options.project, question),
  );
  const email = kind === 'jira' ? await emailOf(apiBaseUrl, options, interview) : null;
  const field = kind !== 'jira' ? 'token' : email === null ? 'bearerToken' : 'apiToken';
  const head = {
    kind,
    name: options.name?.trim() ?? `${kind} ${target}`,
    apiBaseUrl,
    [TARGET_FIELDS[kind]]: target,
  };
  const place = email === null ? head : { ...head, email };
  // What is wrong with an address is said before a token is entered, and before it is sent there.
  toChannel(place, testLoopback);
  const entered = options.credentialStdin
    ? (await readStdinLines(terminal, ['the token']))[0]?.trim()
    : undefined;
  const token = new Secret(await interview.secret('--credential-stdin', entered, `Its ${field} (not shown)`));
  toChannel({ ...place, [field]: token.reveal() }, testLoopback);
  const look = checkLook(kind, token);
  // A token of another tracker is not shown to this one.
  if (look.some(({ wrong }) => wrong))
    throw new UsageError(look[0]?.sentence ?? '', look[0]?.fix ?? undefined);
  const jira =
    kind === 'jira'
      ? await askJira({ apiBaseUrl, email }, target, token, { door, interview, options })
      : null;
  const remarks =
    kind === 'gitlab' ? await checkGitlab(apiBaseUrl, token, door, Date.now()) : (jira?.remarks ?? []);
  const document = {
    ...place,
    ...(jira !== null && {
      apiBaseUrl: jira.place.apiBaseUrl,
      issueType: jira.issueType,
      ...(jira.doneTransitionId !== null && { doneTransitionId: jira.doneTransitionId }),
    }),
    ...(await askRest(kind, target, options, interview)),
  };
  return { document, token, remarks: [...look, ...remarks] };
}

/** Of an address that is none of the cloud an account may still be meant, such as a site under a domain of its own. */
async function emailOf(
  url: string,
  { email }: ChannelSetupOptions,
  interview: Interview,
): Promise<string | null> {
  if (email !== undefined) return email.trim();
  if (!isCloud(url)) return null;
  return interview.line('--email', undefined, 'E-mail address of the account');
}

async function askRest(
  kind: TrackerKind,
  target: string,
  options: ChannelSetupOptions,
  interview: Interview,
): Promise<Document> {
  const labels = await interview.line(
    '--label',
    options.label?.join(','),
    'Labels of every issue, joined by commas',
    'security',
  );
  const cap = await interview.line('--daily-cap', options.dailyCap, 'Issues in any 24 hours, 1 to 500', '20');
  // Whoever built an image wrote the label that routes its issue; with a broad token that could be anywhere.
  const proposed =
    interview.person && target.includes('/') ? `${target.slice(0, target.lastIndexOf('/'))}/*` : '';
  const allowed =
    kind === 'jira'
      ? ''
      : await interview.line(
          '--allowed-target',
          options.allowedTarget?.join(','),
          'Where labels of images may send issues (globs joined by commas; * is any part of a step)',
          proposed,
        );
  return {
    labels: parts(options.label === undefined && !interview.person ? '' : labels),
    dailyCap: parseWhole('--daily-cap', cap, 1, 500, 'the cap of a channel'),
    firstRunSummary: options.firstRunSummary,
    ...(kind !== 'jira' && { allowedTargets: parts(allowed) }),
  };
}

function parts(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function tell(remarks: readonly Remark[], terminal: Terminal, { quiet }: GlobalOptions): void {
  for (const { wrong, sentence, fix } of remarks) {
    if (quiet && !wrong) continue;
    terminal.err(`${wrong ? 'wrong' : 'ok   '}  ${clean(sentence)}\n`);
    if (fix !== null) terminal.err(`       ${clean(fix, 1000)}\n`);
  }
}

async function endOf(works: boolean, interview: Interview): Promise<'save' | 'print' | 'none'> {
  if (!interview.person) return 'print';
  const save = { value: 'save', name: 'save it in the service' };
  const others = [
    { value: 'print', name: 'print it as YAML, without its token' },
    { value: 'none', name: 'neither' },
  ];
  const end = await interview.choice('--save', undefined, 'And now?', works ? [save, ...others] : others);
  return end === 'save' || end === 'print' ? end : 'none';
}

async function saved(
  { document, token }: Asked,
  options: ChannelSetupOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const field = document['kind'] !== 'jira' ? 'token' : 'email' in document ? 'apiToken' : 'bearerToken';
  const { body } = await withService(terminal, options, (service) =>
    service.json<WrittenChannelBody>('POST /channels', { body: { ...document, [field]: token.reveal() } }),
  );
  terminal.out(`${clean(body.name, 100)} saved as ${body.id}\n`);
  terminal.err('ipo: see what it would file with ipo channel plan and ipo channel preview\n');
  return EXIT.done;
}
