import { openMailDoor, type MailDoor } from '../../../src/app/index.ts';
import { Secret } from '../../../src/base/index.ts';
import {
  defaultEvents,
  kindOf,
  openDocuments,
  tellerOf,
  type EmailSettings,
  type TellerKind,
} from '../../../src/channels/index.ts';
import { readStdinLines } from '../../terminal/prompts.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import type { Outcome } from '../../terminal/outcome.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import type { Document } from '../document.ts';
import { openInterview, type Interview } from './ask.ts';
import { faultOf, statusOf, type Remark } from './check.ts';
import { endSetup } from './end.ts';
import type { ChannelSetupOptions } from './options.ts';
import { checkMail } from './mail.ts';
import { askList, askName } from './rest.ts';
import { say } from './say.ts';

/** TellerMeans are what the setup of a channel that is sent messages works with. */
export interface TellerMeans {
  readonly terminal: Terminal;
  readonly globals: GlobalOptions;
  readonly outcome: Outcome;
  /** Whether this machine may be called over plain HTTP. */
  readonly testLoopback: boolean;
}

type Secrets = Readonly<Record<string, Secret>>;

/**
 * runTellerSetup sets up a channel of mail, a chat or a webhook. A mail server is asked whether it would take mail; an address of a chat or a
 * webhook can only be tried by a message, which `ipo channel test` sends.
 */
export async function runTellerSetup(
  kind: TellerKind,
  written: Document | null,
  options: ChannelSetupOptions,
  means: TellerMeans,
): Promise<ExitCode> {
  const { terminal, globals, outcome, testLoopback } = means;
  const interview = openInterview(terminal);
  const rest = written === null ? interview : openInterview(terminal, false);
  const asking = { interview, rest, testLoopback };
  const given = answersOf(kind, written, options);
  const door = kind === 'email' && options.check ? await openMailDoor(terminal.env) : null;
  const stdin = options.credentialStdin ? await readSecrets(kind, terminal) : {};
  let fields = kind === 'email' ? await askMail(given, asking) : {};
  let secrets = await askSecrets(kind, { ...secretsOf(kind, written), ...stdin }, fields, asking);
  let remarks = await check(kind, fields, secrets, door, means);
  while (statusOf(remarks) !== 'works' && interview.person) {
    const next = await interview.choice('', undefined, 'What next?', [
      { value: 'fields', name: 'enter the server and the rest again' },
      { value: 'password', name: 'enter another password' },
      { value: 'again', name: 'try again, after you fixed it' },
      { value: 'on', name: 'continue anyway; the channel cannot be saved' },
    ]);
    if (next === 'on') break;
    if (next === 'fields') fields = await askMail({}, { ...asking, rest: interview });
    if (next !== 'again') secrets = await askSecrets(kind, {}, fields, asking);
    remarks = await check(kind, fields, secrets, door, means);
  }
  const wrong = (field: string, value: unknown): string | null =>
    faultOf(kind, { [field]: value }, field, testLoopback);
  const subscriptions = await askList(rest, {
    flag: '--event',
    given: given.event,
    text: 'Events that the channel gets, separated by commas',
    standard: defaultEvents(kind).join(','),
    check: (events) => wrong('subscriptions', events),
  });
  const target = kind === 'email' ? String((fields['to'] as readonly string[])[0]).split('@')[0] : 'alerts';
  const name = await askName(kind, target ?? '', given.name, asking);
  const document = { kind, name, subscriptions, ...fields };
  openDocuments({ testLoopback, allowedHosts: [] })(document);
  const status = statusOf(remarks);
  const answers = { ...options, ...(given.disabled && { disabled: true as const }) };
  return endSetup(
    { kind, target: target ?? '', document, secrets, status, outcome },
    answers,
    asking,
    terminal,
    globals,
  );
}

interface Answers {
  readonly name?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly security?: string | undefined;
  readonly username?: string | null | undefined;
  readonly from?: string | undefined;
  readonly to?: readonly string[] | undefined;
  readonly event?: readonly string[] | undefined;
  readonly disabled?: boolean | undefined;
}

/** What flags say takes precedence over what a file says. */
function answersOf(kind: TellerKind, written: Document | null, options: ChannelSetupOptions): Answers {
  const { name, host, port, security, username, from, to, event, disabled } = options;
  const given = { name, host, port, security, username, from, to, event, disabled };
  if (written === null) return given;
  const read = openDocuments({ testLoopback: true, allowedHosts: [] })(written);
  const settings = read.settings as Partial<EmailSettings>;
  return {
    name: name ?? read.name,
    event: event ?? read.subscriptions,
    disabled: disabled ?? !read.enabled,
    ...(kind === 'email' && {
      host: host ?? settings.host,
      port: port ?? (settings.port === undefined ? undefined : String(settings.port)),
      security: security ?? settings.security,
      username: username ?? settings.username ?? null,
      from: from ?? settings.from,
      to: to ?? settings.to,
    }),
  };
}

interface Asking {
  readonly interview: Interview;
  readonly rest: Interview;
  readonly testLoopback: boolean;
}

const SECURITIES = [
  { value: 'starttls', name: 'STARTTLS, usually on port 587' },
  { value: 'tls', name: 'TLS from the start, usually on port 465' },
  { value: 'none', name: 'no encryption, only for a server on this machine' },
];

async function askMail(given: Answers, { rest, testLoopback }: Asking): Promise<Document> {
  const wrong = (field: string, value: unknown, more: Document = {}): string | null =>
    faultOf('email', { ...more, [field]: value }, field, testLoopback);
  const line = (
    flag: string,
    field: string,
    answer: string | undefined,
    text: string,
    standard?: string,
  ): Promise<string> =>
    rest.line({
      flag,
      given: answer,
      text,
      ...(standard !== undefined && { standard }),
      check: (value) => wrong(field, field === 'port' ? Number(value) : value),
    });
  const host = await line('--host', 'host', given.host, 'Mail server');
  const security = await rest.choice(
    '--security',
    given.security,
    'Security of the connection',
    SECURITIES,
    'starttls',
  );
  const port = await line('--port', 'port', given.port, 'Port', security === 'tls' ? '465' : '587');
  const from = await line('--from', 'from', given.from, 'Sender, an e-mail address');
  const to = await askList(rest, {
    flag: '--to',
    given: given.to,
    text: 'Recipients, e-mail addresses separated by commas',
    check: (value) => wrong('to', value),
  });
  const username =
    given.username ??
    (given.username === null || !rest.person
      ? ''
      : await rest.line({
          flag: '--username',
          given: undefined,
          text: 'Account at the server (- for none)',
          standard: from,
        }));
  const fields = { host, port: Number(port), security, from, to };
  return username === '' || username === '-' ? fields : { ...fields, username };
}

/** The secrets of a file, which may hold them. */
function secretsOf(kind: TellerKind, written: Document | null): Secrets {
  return toSecrets(
    tellerOf(kind).secrets.flatMap(({ field }) => {
      const value = written?.[field];
      return typeof value === 'string' ? [[field, value]] : [];
    }),
  );
}

/** A line of stdin for each secret; those that a channel can do without may be left out. */
async function readSecrets(kind: TellerKind, terminal: Terminal): Promise<Secrets> {
  const [first, ...others] = tellerOf(kind).secrets.map(({ field }) => field);
  const lines = await readStdinLines(
    terminal,
    [`the ${first}`],
    others.map((field) => `the ${field}`),
  );
  return toSecrets(lines.map((line, at) => [[first, ...others][at] ?? '', line.trim()]));
}

function toSecrets(entries: readonly (readonly [field: string, value: string])[]): Secrets {
  return Object.fromEntries(entries.map(([field, value]) => [field, new Secret(value)]));
}

/** Asks for what is missing: a password where there is an account, an address always, the secret of a webhook where a person is. */
async function askSecrets(
  kind: TellerKind,
  given: Secrets,
  fields: Document,
  { interview, testLoopback }: Asking,
): Promise<Secrets> {
  const { secrets, needsSecret, setup } = tellerOf(kind);
  const asked: [string, string][] = [];
  for (const { field, required } of secrets) {
    const known = given[field]?.reveal();
    const needed = required || (field === 'password' && needsSecret(fields));
    if (known === undefined && !needed && !(interview.person && field !== 'password')) continue;
    const value = await interview.secret({
      flag: '--credential-stdin',
      given: known,
      text: `${setup.questions[field] ?? field}${needed ? '' : ', - for none'}`,
      check: (text) =>
        text === '-' && !needed ? null : faultOf(kind, { ...fields, [field]: text }, field, testLoopback),
    });
    if (value !== '-') asked.push([field, value]);
  }
  return toSecrets(asked);
}

/** What is found without sending a message. */
async function check(
  kind: TellerKind,
  fields: Document,
  secrets: Secrets,
  door: MailDoor | null,
  { terminal, globals, testLoopback }: TellerMeans,
): Promise<readonly Remark[]> {
  const remarks: Remark[] = [];
  if (kind !== 'email')
    remarks.push({
      level: 'note',
      sentence: `nothing is sent to ${kindOf(kind).setup.name} yet; a test message checks the channel`,
      fix: 'Once it is saved: ipo channel test CHANNEL',
    });
  else if (door === null)
    remarks.push({
      level: 'note',
      sentence: 'the mail server was not checked',
      fix: 'ipo channel test CHANNEL checks it',
    });
  else remarks.push(await checkMail({ fields, secrets, door, testLoopback }));
  for (const remark of remarks) say(remark, terminal, globals);
  return remarks;
}
