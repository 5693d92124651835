import type {
  AccountBody,
  AnonymisedAccountBody,
  CodeBody,
  CreatedAccountBody,
  UpdatedAccountBody,
} from '../../src/api/contract/accounts.ts';
import type { ServiceClient } from '../../src/app/index.ts';
import { IpoError } from '../../src/base/index.ts';
import { counted } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { confirm, holdConfirmable } from '../terminal/confirm.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { openOutcome, type Outcome } from '../terminal/outcome.ts';
import { openPrompts, readStdinLines } from '../terminal/prompts.ts';
import { renderRows, shortMoment } from '../terminal/rows.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import type { ServiceFlags } from '../service/index.ts';

/** AccountListOptions are the flags of `ipo account list`. */
export interface AccountListOptions extends ServiceFlags {
  readonly role?: string;
  readonly state?: string;
  readonly limit?: string;
  readonly offset?: string;
  readonly output: readonly string[];
}

/** AccountActOptions are the flags of every command that changes an account. */
export interface AccountActOptions extends ServiceFlags {
  readonly output: readonly string[];
}

/** AccountCreateOptions are the flags of `ipo account create`. */
export interface AccountCreateOptions extends AccountActOptions {
  readonly name?: string;
  readonly role: string;
  readonly askPassword?: true;
  readonly passwordStdin?: true;
}

/** AccountUpdateOptions are the flags of `ipo account update`. */
export interface AccountUpdateOptions extends AccountActOptions {
  readonly name?: string;
  readonly role?: string;
  readonly enable?: true;
  readonly askPassword?: true;
  readonly passwordStdin?: true;
}

/** AccountAnonymiseOptions are the flags of `ipo account anonymise`. */
export interface AccountAnonymiseOptions extends AccountActOptions {
  readonly yes?: true;
}

interface Accounts {
  readonly items: readonly AccountBody[];
  readonly total: number;
}

/** runAccountList is `ipo account list`. */
export async function runAccountList(options: AccountListOptions, terminal: Terminal): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const whole = (flag: '--limit' | '--offset', text: string | undefined, least: number, most: number) =>
    text === undefined ? undefined : parseWhole(flag, text, least, most, 'the number of accounts');
  const query = {
    role: options.role,
    state: options.state,
    limit: whole('--limit', options.limit, 1, 10_000),
    offset: whole('--offset', options.offset, 0, Number.MAX_SAFE_INTEGER),
  };
  const answered = await withService(terminal, options, (service) =>
    service.json<Accounts>('GET /accounts', { query }),
  );
  await outcome.answer(answered, () => table(answered.body, terminal));
  return EXIT.done;
}

async function table({ items, total }: Accounts, terminal: Terminal): Promise<string> {
  const columns = [
    { heading: 'id' },
    { heading: 'e-mail', flex: 3 },
    { heading: 'name', flex: 2 },
    { heading: 'role' },
    { heading: 'state' },
    { heading: 'signs in by', flex: 1 },
    { heading: 'since (UTC)' },
  ];
  const rows = items.map((account) => [
    account.id,
    account.email ?? '–',
    account.name ?? '–',
    account.role,
    account.state,
    waysOf(account),
    shortMoment(account.created_at),
  ]);
  const left = total - items.length;
  const more = left > 0 && items.length > 0 ? `… ${counted(left, 'further account')}\n` : '';
  return `${await renderRows(columns, rows, 'No account.', terminal)}${more}`;
}

function waysOf({ has_password, has_identity }: AccountBody): string {
  const ways = [...(has_password ? ['password'] : []), ...(has_identity ? ['provider'] : [])];
  return ways.length === 0 ? 'nothing yet' : ways.join(', ');
}

/** runAccountCreate is `ipo account create`: the code is the one thing on stdout. */
export async function runAccountCreate(
  email: string,
  options: AccountCreateOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { name, role } = options;
  const outcome = openOutcome(options.output, terminal);
  const password = await givenPassword(options, 'First password', { email, name: name ?? null }, terminal);
  const body = {
    email,
    role,
    ...(name !== undefined && { name }),
    ...(password !== undefined && { password }),
  };
  return withService(terminal, options, async (service) => {
    const { body: made } = await service.json<CreatedAccountBody>('POST /accounts', { body });
    const { account, password_code: code } = made;
    await outcome.write(made, codeLine(code));
    if (globals.quiet) return EXIT.done;
    terminal.err(`ipo: ${clean(account.email ?? '')} is ${account.role} now (${account.id})\n`);
    if (code !== null) terminal.err(handOver(code, service));
    return EXIT.done;
  });
}

/** A password from the terminal or from stdin, where one is to be given. */
async function givenPassword(
  { askPassword, passwordStdin }: Pick<AccountCreateOptions, 'askPassword' | 'passwordStdin'>,
  title: string,
  person: { readonly email: string | null; readonly name: string | null },
  terminal: Terminal,
): Promise<string | undefined> {
  if (askPassword && passwordStdin)
    throw new UsageError('--ask-password and --password-stdin exclude each other');
  if (passwordStdin) return (await readStdinLines(terminal, ['the password']))[0];
  if (!askPassword) return undefined;
  return openPrompts(terminal, '--ask-password', 'Give it with --password-stdin').newPassword(title, person);
}

/** Only the code, so that it can be piped to where it is stored. */
function codeLine(code: CodeBody | null): string {
  return code === null ? '' : `${code.code}\n`;
}

function handOver({ expires_at: end }: CodeBody, { server }: ServiceClient): string {
  return `ipo: give this code to the person; it works once, until ${shortMoment(end)} UTC: ipo login ${server} --code\n`;
}

/** runAccountUpdate is `ipo account update`. */
export async function runAccountUpdate(
  who: string,
  options: AccountUpdateOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { name, role, enable } = options;
  const body = {
    ...(name !== undefined && { name: name.trim() === '' ? null : name }),
    ...(role !== undefined && { role }),
    ...(enable && { enabled: true }),
  };
  if (Object.keys(body).length === 0)
    throw new UsageError('no change is named', 'Give --name, --role or --enable');
  if (!enable && (options.askPassword || options.passwordStdin))
    throw new UsageError(
      'a password can be set only with --enable',
      'ipo account password WHO makes a code that sets a new one',
    );
  return act(who, options, terminal, globals, async (service, account, outcome) => {
    const { id, state } = account;
    const password = await givenPassword(options, 'New password', account, terminal);
    const { body: changed } = await service.json<UpdatedAccountBody>('PATCH /accounts/{id}', {
      params: { id },
      body: { ...body, ...(password !== undefined && { password }) },
    });
    const code = changed.password_code;
    await outcome.write(changed, codeLine(code));
    if (code !== null && !globals.quiet) terminal.err(handOver(code, service));
    const provider =
      enable && state === 'disabled' && code === null && password === undefined
        ? '; the identity provider signs this person in'
        : '';
    return `${shown(changed)} is ${changed.role}, ${changed.state}${provider}`;
  });
}

/** runAccountDisable is `ipo account disable`. */
export function runAccountDisable(
  who: string,
  options: AccountActOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  return act(who, options, terminal, globals, async (service, account, outcome) => {
    const params = { id: account.id };
    await service.json('DELETE /accounts/{id}', { params });
    if (!outcome.isText)
      await outcome.write((await service.json<AccountBody>('GET /accounts/{id}', { params })).body, '');
    return `${shown(account)} is disabled; sessions have ended and tokens are revoked`;
  });
}

/** runAccountAnonymise is `ipo account anonymise`. */
export function runAccountAnonymise(
  who: string,
  options: AccountAnonymiseOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  holdConfirmable(terminal, options.yes === true, 'ipo account anonymise');
  return act(who, options, terminal, globals, async (service, account, outcome) => {
    const question = `Remove the name of ${shown(account)} from all records at ${service.server}? This cannot be undone.`;
    if (options.yes !== true && account.state === 'disabled' && !(await confirm(question, terminal)))
      return null;
    const { body } = await service.json<AnonymisedAccountBody>('POST /accounts/{id}/anonymise', {
      params: { id: account.id },
    });
    await outcome.write(body, '');
    return `${shown(account)} appears in all records as user:${account.id} from now on${ERASED[body.erasure]}`;
  });
}

/** What of the name is left in the files of the database. */
const ERASED: Readonly<Record<AnonymisedAccountBody['erasure'], string>> = {
  done: '',
  pending:
    '; a long read keeps old bytes in the log of the database. The service keeps trying; run this command again to see the state',
  server:
    '; old bytes leave the files of PostgreSQL with its next vacuum, and its archives and backups when those expire',
};

/** Null from the act: nothing was done. */
async function act(
  who: string,
  options: AccountActOptions,
  terminal: Terminal,
  globals: GlobalOptions,
  does: (service: ServiceClient, account: AccountBody, outcome: Outcome) => Promise<string | null>,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  return withService(terminal, options, async (service) => {
    const said = await does(service, await findAccount(service, who), outcome);
    if (!globals.quiet) terminal.err(`ipo: ${said ?? 'nothing was changed'}\n`);
    return said === null ? EXIT.check : EXIT.done;
  });
}

/** findAccount finds an account by its id or its address. Throws `not_found`. */
export async function findAccount(service: ServiceClient, who: string): Promise<AccountBody> {
  if (/^[a-z2-7]{16}$/.test(who))
    return (await service.json<AccountBody>('GET /accounts/{id}', { params: { id: who } })).body;
  const wanted = who.normalize('NFC').trim().toLowerCase();
  const { body } = await service.json<Accounts>('GET /accounts');
  const found = body.items.find(({ email }) => email === wanted);
  if (found !== undefined) return found;
  throw new IpoError('not_found', `no account has the e-mail address or ID ${clean(who)}`, {
    hint: '`ipo account list` shows them',
  });
}

function shown({ email, id }: AccountBody): string {
  return clean(email ?? `user:${id}`);
}
