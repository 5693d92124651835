/**
 * `ipo token`: API tokens for pipelines.
 * It uses `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import { wordOption } from '../terminal/word-option.ts';
import type { TokenListOptions, TokenRevokeOptions, TokenCreateOptions } from './verbs.ts';

/** listed is `ipo token` in the help. */
export const listed: Listed = {
  name: 'token',
  summary: 'create and revoke API tokens for pipelines',
  group: 'Accounts:',
  place: 5,
  examples: [
    "ipo token create 'nightly build' --role deployer --days 30",
    'ipo token list',
    'ipo token revoke c5xk2vq7mzt4a3wy',
  ],
  define: tokenCommand,
};

/** tokenCommand defines `ipo token` and what stands below it. */
function tokenCommand(settle: Settle): Command {
  const token = new Command('token').description('Create, list and revoke API tokens for pipelines.');
  for (const define of [create, list, revoke]) token.addCommand(define(settle));
  return token;
}

function create(settle: Settle): Command {
  const command = withServiceFlags(new Command('create'))
    .summary('create a token')
    .description(
      'Create a token and print only its secret on stdout. The secret is shown once; give it to a pipeline as IPO_TOKEN.',
    )
    .argument('<name>', 'purpose of the token')
    .addOption(
      wordOption('--role <role>', 'viewer, deployer or administrator; at most your own role', [
        'viewer',
        'deployer',
        'administrator',
      ]).default('viewer'),
    )
    .addOption(new Option('--days <n>', 'days until it expires, 1 to 365').default('90'))
    .addOption(outputOption());
  return command.action((name: string) =>
    settle(async (terminal, globals) => {
      const { runTokenCreate } = await import('./verbs.ts');
      return runTokenCreate(name, command.opts<TokenCreateOptions>(), terminal, globals);
    })(),
  );
}

function list(settle: Settle): Command {
  const command = withServiceFlags(new Command('list'))
    .summary('list tokens')
    .description(
      'List your tokens, newest first, without their secrets. Expired and revoked tokens stay listed for 90 days.',
    )
    .addOption(new Option('--all', 'list the tokens of all accounts (administrators)'))
    .addOption(outputOption());
  return command.action(
    settle(async (terminal) => {
      const { runTokenList } = await import('./verbs.ts');
      return runTokenList(command.opts<TokenListOptions>(), terminal);
    }),
  );
}

function revoke(settle: Settle): Command {
  const command = withServiceFlags(new Command('revoke'))
    .summary('revoke a token')
    .description('Revoke one of your tokens, or any token as administrator. This cannot be undone.')
    .argument('<id>', 'ID of the token, as ipo token list shows it')
    .addOption(outputOption());
  return command.action((id: string) =>
    settle(async (terminal, globals) => {
      const { runTokenRevoke } = await import('./verbs.ts');
      return runTokenRevoke(id, command.opts<TokenRevokeOptions>(), terminal, globals);
    })(),
  );
}
