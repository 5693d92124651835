import type { CodeBody } from '../../src/api/contract/accounts.ts';
import type { SignedInBody } from '../../src/api/contract/session.ts';
import { issuePasswordCode, openServiceClient } from '../../src/app/index.ts';
import { formatTime } from '../../src/base/index.ts';
import { clean } from '../terminal/clean.ts';
import { findDatabase } from '../files/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openOutcome, type Outcome } from '../terminal/outcome.ts';
import { openParts } from '../terminal/parts.ts';
import { openPrompts, readStdinLines } from '../terminal/prompts.ts';
import { shortMoment } from '../terminal/rows.ts';
import { readServiceConfig, rememberServer } from '../service/config.ts';
import { findService, withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { VERSION } from '../terminal/version.ts';
import { findAccount, type AccountActOptions } from './verbs.ts';

/** AccountPasswordOptions are the flags of `ipo account password`. */
export interface AccountPasswordOptions extends AccountActOptions {
  /** An address, or true for that of the environment. */
  readonly database?: string | true;
  readonly passwordStdin?: true;
}

/** runAccountPassword is `ipo account password`. */
export async function runAccountPassword(
  who: string | undefined,
  options: AccountPasswordOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { database, passwordStdin } = options;
  const outcome = openOutcome(options.output, terminal);
  if (who === undefined) {
    if (database !== undefined)
      throw new UsageError('--database needs an account', 'Name its e-mail address or id');
    return changeOwn(options, outcome, terminal, globals);
  }
  if (database !== undefined) return fromDatabase(who, database, outcome, terminal, globals);
  if (passwordStdin) {
    throw new UsageError(
      "--password-stdin changes your own password, not somebody else's",
      'Leave one of them out',
    );
  }
  return withService(terminal, options, async (service) => {
    const account = await findAccount(service, who);
    const key = 'POST /accounts/{id}/password-code';
    const { body } = await service.json<CodeBody>(key, { params: { id: account.id } });
    await outcome.write(body, `${body.code}\n`);
    if (!globals.quiet) {
      const whom = clean(account.email ?? account.id);
      terminal.err(
        `ipo: give this code to ${whom}; it works once, until ${shortMoment(body.expires_at)} UTC: ipo login ${service.server} --code\n`,
      );
    }
    return EXIT.done;
  });
}

/** For operators: the only way left when the last administrator's password is lost. */
async function fromDatabase(
  who: string,
  database: string | true,
  outcome: Outcome,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const url = findDatabase(database === true ? undefined : database, terminal.env);
  const { code, expiresAt, email } = await issuePasswordCode(url, who, openParts(terminal).clock);
  const expires_at = formatTime(expiresAt);
  await outcome.write({ code, expires_at }, `${code}\n`);
  if (!globals.quiet) {
    const until = shortMoment(expires_at);
    terminal.err(
      `ipo: a code for ${clean(email ?? who)}, works once, until ${until} UTC: ipo login SERVER --code\n`,
    );
  }
  return EXIT.done;
}

/** The session that the change was made with ends too; the new one takes its place. */
async function changeOwn(
  options: AccountPasswordOptions,
  outcome: Outcome,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { passwordStdin, tokenStdin } = options;
  if (passwordStdin && tokenStdin) throw new UsageError('stdin cannot be both the passwords and the token');
  const { server, token, ca, caPath } = await findService(terminal, options);
  if (token === null) throw new UsageError(`not signed in to ${server}`, `Sign in with ipo login ${server}`);
  const [current = '', password = ''] = passwordStdin
    ? await readStdinLines(terminal, ['the current password', 'the new password'])
    : await ask(terminal);
  const service = await openServiceClient({ server, token, ca, userAgent: `ipo/${VERSION}` });
  try {
    const { body } = await service.json<SignedInBody>('PUT /session/password', {
      body: { current, password },
    });
    const kept = readServiceConfig(terminal.env).servers[server]?.token === token;
    if (kept)
      rememberServer(terminal.env, server, {
        token: body.token,
        ...(caPath !== undefined && { ca: caPath }),
        ...(body.device !== null && { device: body.device }),
      });
    await outcome.write({ account: body.account, expires_at: body.expires_at }, '');
    if (!globals.quiet) {
      const next = kept ? 'this sign-in stays valid' : `sign in again with ipo login ${server}`;
      terminal.err(`ipo: password changed; all your other sessions have ended; ${next}\n`);
    }
    return EXIT.done;
  } finally {
    await service.close();
  }
}

async function ask(terminal: Terminal): Promise<[string, string]> {
  const prompts = openPrompts(terminal, 'ipo account password', 'Give the passwords with --password-stdin');
  return [await prompts.secret('Current password'), await prompts.newPassword('New password')];
}
