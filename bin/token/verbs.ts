import type { CreatedTokenBody, TokenBody, TokensBody } from '../../src/api/contract/tokens.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { renderRows, shortMoment } from '../terminal/rows.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import type { ServiceFlags } from '../service/index.ts';

/** TokenListOptions are the flags of `ipo token list`. */
export interface TokenListOptions extends ServiceFlags {
  readonly all?: true;
  readonly output: readonly string[];
}

/** TokenRevokeOptions are the flags of `ipo token revoke`. */
export interface TokenRevokeOptions extends ServiceFlags {
  readonly output: readonly string[];
}

/** TokenCreateOptions are the flags of `ipo token create`. */
export interface TokenCreateOptions extends TokenRevokeOptions {
  readonly role: string;
  readonly days: string;
}

const MAX_DAYS = 365;

/** runTokenCreate is `ipo token create`: the secret is the one thing on stdout, so that it can go straight into a store. */
export async function runTokenCreate(
  name: string,
  options: TokenCreateOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const days = parseWhole('--days', options.days, 1, MAX_DAYS, 'the number of days');
  const { body: made } = await withService(terminal, options, (service) =>
    service.json<CreatedTokenBody>('POST /tokens', { body: { name, role: options.role, days } }),
  );
  await outcome.write(made, `${made.token}\n`);
  if (!globals.quiet) {
    const until = shortMoment(made.expires_at);
    terminal.err(`ipo: token ${made.id} (${clean(made.name)}, ${made.role}) works until ${until} UTC\n`);
    terminal.err(`ipo: its secret is shown this once; revoke it with ipo token revoke ${made.id}\n`);
  }
  return EXIT.done;
}

/** runTokenList is `ipo token list`. */
export async function runTokenList(options: TokenListOptions, terminal: Terminal): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const answered = await withService(terminal, options, (service) =>
    service.json<TokensBody>('GET /tokens', { query: { all: options.all } }),
  );
  await outcome.answer(answered, () => table(answered.body.items, options, terminal));
  return EXIT.done;
}

function table(tokens: readonly TokenBody[], { all }: TokenListOptions, terminal: Terminal): Promise<string> {
  const columns = [
    { heading: 'id' },
    { heading: 'name', flex: 2 },
    ...(all ? [{ heading: 'account', flex: 1 }] : []),
    { heading: 'role' },
    { heading: 'state' },
    { heading: 'ends (UTC)' },
    { heading: 'last used (UTC)' },
  ];
  const rows = tokens.map(({ id, name, account, role, state, expires_at, used_at }) => [
    id,
    name,
    ...(all ? [account.name] : []),
    role,
    state,
    shortMoment(expires_at),
    used_at === null ? 'never' : shortMoment(used_at),
  ]);
  return renderRows(columns, rows, 'No token.', terminal);
}

/** runTokenRevoke is `ipo token revoke`. */
export async function runTokenRevoke(
  id: string,
  options: TokenRevokeOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  if (!/^[a-z2-7]{16}$/.test(id)) {
    // What stands here may be the secret itself, which must not be repeated.
    throw new UsageError(
      'this is not the ID of a token',
      'ipo token list shows the IDs; the secret is not an ID',
    );
  }
  const outcome = openOutcome(options.output, terminal);
  await withService(terminal, options, (service) => service.json('DELETE /tokens/{id}', { params: { id } }));
  await outcome.write({ id, state: 'revoked' }, '');
  if (!globals.quiet) terminal.err(`ipo: token ${id} is revoked\n`);
  return EXIT.done;
}
