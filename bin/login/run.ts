import { createHash, randomBytes } from 'node:crypto';
import type { SessionBody, SignedInBody } from '../../src/api/contract/session.ts';
import { openServiceClient, type ServiceClient } from '../../src/app/index.ts';
import { isIpoError } from '../../src/base/index.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openPrompts, readStdinLines } from '../terminal/prompts.ts';
import { shortMoment } from '../terminal/rows.ts';
import { readServiceConfig, rememberServer } from '../service/config.ts';
import { findService, type ServiceTarget } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { VERSION } from '../terminal/version.ts';

/** LoginOptions are the flags of `ipo login` as commander gives them. */
export interface LoginOptions {
  readonly email?: string;
  readonly passwordStdin?: true;
  readonly tokenStdin?: true;
  readonly oidc?: true;
  readonly code?: true;
  readonly setup?: true;
  readonly ca?: string;
}

/** runLogin is `ipo login`. What is stored is sent only to this service. */
export async function runLogin(
  server: string | undefined,
  options: LoginOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  checkWay(options);
  const { ca, tokenStdin } = options;
  const target = await findService(
    terminal,
    { ...(ca !== undefined && { ca }), ...(tokenStdin && { tokenStdin }) },
    server,
    'Name the service: `ipo login SERVER`, or set IPO_SERVER',
  );
  const before = readServiceConfig(terminal.env).servers[target.server]?.device;
  const kept = tokenStdin ? await checkToken(target) : await signIn(target, options, terminal, before);
  const { caPath } = target;
  const device = kept.device ?? before;
  rememberServer(terminal.env, target.server, {
    token: kept.token,
    ...(caPath !== undefined && { ca: caPath }),
    ...(device !== undefined && { device }),
  });
  if (globals.quiet) return EXIT.done;
  const { name, email, role } = kept.account;
  const until = `until ${shortMoment(kept.expires_at)} UTC`;
  terminal.err(`ipo: signed in to ${target.server} as ${clean(name ?? email ?? '')} (${role}), ${until}\n`);
  if (hasToken(terminal))
    terminal.err(
      'ipo: IPO_TOKEN is set and takes precedence over this sign-in; unset it to use the sign-in\n',
    );
  return EXIT.done;
}

const hasToken = ({ env }: Terminal): boolean => (env['IPO_TOKEN'] ?? '') !== '';

function checkWay({ oidc, code, setup, tokenStdin, passwordStdin, email }: LoginOptions): void {
  const ways = Object.entries({
    '--oidc': oidc,
    '--code': code,
    '--setup': setup,
    '--token-stdin': tokenStdin,
  })
    .filter(([, given]) => given)
    .map(([flag]) => flag);
  const byEmail = email === undefined ? null : '--email';
  const password = passwordStdin ? '--password-stdin' : byEmail;
  if (ways.length > 1) throw new UsageError(`${ways.join(' and ')} exclude each other`, 'Choose one');
  if (ways[0] !== undefined && ways[0] !== '--setup' && password !== null)
    throw new UsageError(`${password} has no effect with ${ways[0]}`, 'Leave one of them out');
}

/** A token is kept only when the service takes it. */
async function checkToken(target: ServiceTarget): Promise<SignedInBody> {
  const { server, token, ca } = target;
  const service = openServiceClient({ server, token, ca, userAgent: `ipo/${VERSION}` });
  const client = await service;
  try {
    const { body } = await client.json<SessionBody>('GET /session');
    return {
      token: token ?? '',
      expires_at: body.expires_at,
      account: { ...body.account, role: body.role },
      device: null,
    };
  } finally {
    await client.close();
  }
}

async function signIn(
  { server, ca }: ServiceTarget,
  options: LoginOptions,
  terminal: Terminal,
  device: string | undefined,
): Promise<SignedInBody> {
  const service = await openServiceClient({ server, token: null, ca, userAgent: `ipo/${VERSION}` });
  try {
    if (options.oidc) return await byProvider(service, terminal);
    if (options.code) return await byCode(service, terminal);
    if (options.setup) return await bySetup(service, options, terminal);
    return await byPassword(service, options, terminal, device);
  } finally {
    await service.close();
  }
}

async function byPassword(
  service: ServiceClient,
  options: LoginOptions,
  terminal: Terminal,
  device: string | undefined,
): Promise<SignedInBody> {
  const missing = options.email === undefined ? '--email ADDRESS and --password-stdin' : '--password-stdin';
  const hint = hasToken(terminal)
    ? `IPO_TOKEN is set, and commands use it without a sign-in; to sign in all the same, give ${missing}`
    : `Give ${missing}; with a token in IPO_TOKEN commands need no sign-in`;
  const ask = () => openPrompts(terminal, 'ipo login', hint);
  const email = options.email ?? (options.passwordStdin ? noEmail() : await ask().line('E-mail address'));
  const password = options.passwordStdin
    ? (await readStdinLines(terminal, ['the password']))[0]
    : await ask().secret('Password');
  const { body } = await service.json<SignedInBody>('POST /session', {
    body: { email, password, ...(device !== undefined && { device }) },
  });
  return body;
}

function noEmail(): never {
  throw new UsageError('--password-stdin needs an e-mail address', 'Add --email ADDRESS');
}

/** The code that the browser shows is bound to a secret of this run, so that nobody else can use it. */
async function byProvider(service: ServiceClient, terminal: Terminal): Promise<SignedInBody> {
  const prompts = openPrompts(
    terminal,
    'ipo login --oidc',
    'Run it in a terminal; pipelines use an API token in IPO_TOKEN',
  );
  await checkProvider(service);
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  terminal.err(
    `Open this address in a browser, on any machine, and sign in:\n\n  ${service.server}/api/v1/session/oidc?challenge=${challenge}\n\n`,
  );
  const code = await prompts.line('Code that the browser shows');
  const { body } = await service.json<SignedInBody>('POST /session', { body: { code, verifier } });
  return body;
}

/** Asked first, so that what is missing is said here and not in the browser. A redirect is the right answer. */
async function checkProvider(service: ServiceClient): Promise<void> {
  try {
    await service.json('GET /session/oidc');
  } catch (error) {
    const moved = isIpoError(error) && 'status' in error && error.status === 302;
    if (!moved) throw error;
  }
}

async function byCode(service: ServiceClient, terminal: Terminal): Promise<SignedInBody> {
  const prompts = openPrompts(terminal, 'ipo login --code', 'Run it in a terminal');
  const code = await prompts.line('Code from the administrator');
  const password = await prompts.newPassword('New password');
  const { body } = await service.json<SignedInBody>('POST /session/password', { body: { code, password } });
  return body;
}

async function bySetup(
  service: ServiceClient,
  options: LoginOptions,
  terminal: Terminal,
): Promise<SignedInBody> {
  const instead = 'Run it in a terminal, or start the service with IPO_ADMIN_EMAIL and IPO_ADMIN_PASSWORD';
  const { email: given, passwordStdin } = options;
  if (passwordStdin) {
    if (given === undefined) noEmail();
    const [code, password] = await readStdinLines(terminal, ['the setup code', 'the password']);
    return (await service.json<SignedInBody>('POST /setup', { body: { code, email: given, password } })).body;
  }
  const prompts = openPrompts(terminal, 'ipo login --setup', instead);
  const code = await prompts.line('Setup code from the log of the service');
  // Before three more questions: a wrong code makes their answers worthless.
  await service.text('POST /setup/check', { body: { code } });
  const email = given ?? (await prompts.line('Your e-mail address'));
  const name = await prompts.line('Your name');
  const password = await prompts.newPassword('Password', { email, name });
  const { body } = await service.json<SignedInBody>('POST /setup', { body: { code, email, name, password } });
  return body;
}
