/**
 * `ipo account`: who may sign in, and as what.
 * It uses `files`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import { wordOption } from '../terminal/word-option.ts';
import type {
  AccountListOptions,
  AccountActOptions,
  AccountCreateOptions,
  AccountUpdateOptions,
  AccountAnonymiseOptions,
} from './verbs.ts';
import type { AccountPasswordOptions } from './password.ts';

const WHO = 'e-mail address or id of the account';
const ROLES = 'viewer, deployer or administrator';
const ROLE_WORDS = ['viewer', 'deployer', 'administrator'];

/** listed is `ipo account` in the help. */
export const listed: Listed = {
  name: 'account',
  summary: 'manage accounts and their roles',
  group: 'Accounts:',
  place: 4,
  examples: [
    'ipo account list --role administrator',
    "ipo account create ada@example.com --name 'Ada Lovelace' --role deployer",
    'ipo account update ada@example.com --role administrator',
    'ipo account disable ada@example.com',
    'ipo account anonymise ada@example.com',
    'ipo account password',
    'ipo account password ada@example.com',
  ],
  define: accountCommand,
};

/** accountCommand defines `ipo account` and what stands below it. */
function accountCommand(settle: Settle): Command {
  const account = new Command('account').description('Manage accounts and their roles.');
  for (const define of [list, create, update, disable, anonymise, password])
    account.addCommand(define(settle));
  return account;
}

function list(settle: Settle): Command {
  const command = withServiceFlags(new Command('list'))
    .summary('list accounts')
    .description('List accounts, oldest first. Needs the role administrator.')
    .addOption(wordOption('--role <role>', `accounts of this role: ${ROLES}`, ROLE_WORDS))
    .addOption(
      wordOption('--state <state>', 'accounts in this state: enabled, disabled or anonymised', [
        'enabled',
        'disabled',
        'anonymised',
      ]),
    )
    .addOption(new Option('--limit <n>', 'maximum number of accounts (default: all)'))
    .addOption(new Option('--offset <n>', 'number of accounts to skip'))
    .addOption(outputOption());
  return command.action(
    settle(async (terminal) => {
      const { runAccountList } = await import('./verbs.ts');
      return runAccountList(command.opts<AccountListOptions>(), terminal);
    }),
  );
}

function create(settle: Settle): Command {
  const command = withServiceFlags(new Command('create'))
    .summary('create an account')
    .description(
      'Create an account and print a one-time code. The person sets a password with the code: ipo login SERVER --code. ' +
        'People who sign in through the identity provider need no code. Needs the role administrator.',
    )
    .argument('<email>', 'e-mail address')
    .addOption(new Option('--name <name>', 'name of the person'))
    .addOption(wordOption('--role <role>', ROLES, ROLE_WORDS).default('viewer'))
    .addOption(new Option('--ask-password', 'ask for a first password instead of creating a code'))
    .addOption(new Option('--password-stdin', 'read a first password from stdin instead of creating a code'))
    .addOption(outputOption());
  return command.action((email: string) =>
    settle(async (terminal, globals) => {
      const { runAccountCreate } = await import('./verbs.ts');
      return runAccountCreate(email, command.opts<AccountCreateOptions>(), terminal, globals);
    })(),
  );
}

function update(settle: Settle): Command {
  const command = withServiceFlags(new Command('update'))
    .summary('change the name or role of an account, or enable it again')
    .description(
      'Change an account. A new role ends its sessions. Enabling prints a one-time code that sets a new password; the old ' +
        'password no longer works. Needs the role administrator.',
    )
    .argument('<who>', WHO)
    .addOption(new Option('--name <name>', 'name of the person; empty for none'))
    .addOption(wordOption('--role <role>', ROLES, ROLE_WORDS))
    .addOption(
      new Option('--enable', 'enable a disabled account, with a new password or a code that sets one'),
    )
    .addOption(
      new Option('--ask-password', 'with --enable: ask for the new password instead of making a code'),
    )
    .addOption(
      new Option(
        '--password-stdin',
        'with --enable: read the new password from stdin instead of making a code',
      ),
    )
    .addOption(outputOption());
  return command.action((who: string) =>
    settle(async (terminal, globals) => {
      const { runAccountUpdate } = await import('./verbs.ts');
      return runAccountUpdate(who, command.opts<AccountUpdateOptions>(), terminal, globals);
    })(),
  );
}

function disable(settle: Settle): Command {
  const command = withServiceFlags(new Command('disable'))
    .summary('disable an account')
    .description('Disable an account, end its sessions and revoke its tokens. Needs the role administrator.')
    .argument('<who>', WHO)
    .addOption(outputOption());
  return command.action((who: string) =>
    settle(async (terminal, globals) => {
      const { runAccountDisable } = await import('./verbs.ts');
      return runAccountDisable(who, command.opts<AccountActOptions>(), terminal, globals);
    })(),
  );
}

function anonymise(settle: Settle): Command {
  const command = withServiceFlags(new Command('anonymise'))
    .summary('remove the name of a disabled account from all records')
    .description(
      'Remove name, address and picture, and replace every copy of the name by user:ID. This cannot be undone. ' +
        'Needs the role administrator.',
    )
    .argument('<who>', WHO)
    .addOption(new Option('-y, --yes', 'do not ask for confirmation'))
    .addOption(outputOption());
  return command.action((who: string) =>
    settle(async (terminal, globals) => {
      const { runAccountAnonymise } = await import('./verbs.ts');
      return runAccountAnonymise(who, command.opts<AccountAnonymiseOptions>(), terminal, globals);
    })(),
  );
}

function password(settle: Settle): Command {
  const command = withServiceFlags(new Command('password'))
    .summary('change your password, or create a code that sets a new one for another account')
    .description(
      'Without an argument: change your own password and end all your other sessions. With an account: print a one-time code for that ' +
        'account (ipo login SERVER --code); needs the role administrator.',
    )
    .argument('[who]', WHO)
    .addOption(
      new Option(
        '--database [url]',
        'create the code directly in this database, when no administrator can sign in (default address: IPO_DATABASE, then IPO_DATABASE_URL)',
      ),
    )
    .addOption(
      new Option('--password-stdin', 'read the current and the new password from stdin, one per line'),
    )
    .addOption(outputOption());
  return command.action((who: string | undefined) =>
    settle(async (terminal, globals) => {
      const { runAccountPassword } = await import('./password.ts');
      return runAccountPassword(who, command.opts<AccountPasswordOptions>(), terminal, globals);
    })(),
  );
}
