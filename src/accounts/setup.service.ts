import { AccountError } from './account-error.ts';
import { actorOf, readEmail, readName, targetOf, type Account } from './account.ts';
import type { Codes, IssuedCode } from './codes.service.ts';
import { makeId } from './make-secret.service.ts';
import { checkPassword } from './password-rules.ts';
import type { AccountParts } from './parts.ts';
import type { OneTimeCode } from './ports.ts';
import { badCredentials, type Proofs } from './proofs.service.ts';
import type { Sessions, SignedIn } from './sessions.service.ts';
import type { Turns } from './turns.ts';

/** Setup makes the first administrator: there is never a default password. */
export interface Setup {
  /**
   * Called at the start: gives a code for the log while no administrator can sign in, else null. Each start gives another,
   * and all of them work until they end, so that replicas which start at once do not take each other's away.
   */
  prepare(): Promise<IssuedCode | null>;
  /**
   * Called at the start with what the environment says: makes that administrator while no other can sign in, and never touches
   * an account that is there. Throws `invalid_request`, `conflict` when the address has an account.
   */
  fromEnvironment(wanted: {
    readonly email: string;
    readonly password: string;
  }): Promise<'made' | 'not needed'>;
  /** Says whether a code would set up the service, and does not use it up. Throws `bad_credentials`, `conflict`, `locked_out`. */
  check(wanted: { readonly code: string; readonly address: string }): Promise<void>;
  /** Makes the first administrator with a code. Throws `bad_credentials`, `conflict`, `invalid_request`, `locked_out`. */
  complete(wanted: {
    readonly code: string;
    readonly email: string;
    readonly name: string | null;
    readonly password: string;
    readonly address: string;
    readonly path: string;
  }): Promise<SignedIn>;
}

/** openSetup joins it with its parts. */
export function openSetup(
  parts: AccountParts,
  proofs: Proofs,
  codes: Codes,
  sessions: Sessions,
  turns: Turns,
): Setup {
  const { accounts, audit, together, passwords, clock } = parts;
  return {
    async prepare() {
      if (await accounts.hasAdministrator()) return null;
      return together(() => codes.issue('setup', null, null));
    },

    async fromEnvironment({ email, password }) {
      if (await accounts.hasAdministrator()) return 'not needed';
      const account = await firstAccount(email, null, password);
      return together(async () => {
        const there = await accounts.holdAdministrators();
        if (there.administrators > 0) return 'not needed'; // another replica was quicker
        await insert(account, 'IPO_ADMIN_EMAIL');
        return 'made';
      });
    },

    async check(wanted) {
      await proved(wanted);
    },

    async complete({ code, email, name, password, address, path }) {
      const found = await proved({ code, address });
      const account = await firstAccount(email, name, password);
      return together(async () => {
        const there = await accounts.holdAdministrators();
        if (there.administrators > 0) throw done();
        if (!(await parts.codes.take(found.hash))) throw badCredentials();
        await insert(account, path);
        return sessions.start(account);
      });
    },
  };

  async function proved({ code, address }: Parameters<Setup['check']>[0]): Promise<OneTimeCode> {
    if (await accounts.hasAdministrator()) throw done();
    return proofs.withCode(code, 'setup', address);
  }

  async function firstAccount(email: string, name: string | null, password: string): Promise<Account> {
    const person = { email: readEmail(email), name: name === null ? null : readName(name) };
    checkPassword(password, person);
    return {
      id: makeId(),
      ...person,
      avatar: null,
      role: 'administrator',
      passwordHash: await turns.take('setup', () => passwords.hash(password)),
      oidcSubject: null,
      createdAt: clock.now(),
      disabledAt: null,
      anonymisedAt: null,
    };
  }

  async function insert(account: Account, path: string): Promise<void> {
    // Who signed in by the identity provider before may have it; setting up raises nobody's role and links nothing.
    if (!(await accounts.insert(account))) {
      throw new AccountError(
        'conflict',
        `${account.email} already has an account, which is not an administrator`,
        {
          hint: 'Set up with another e-mail address',
        },
      );
    }
    await parts.codes.takeAll('setup', null);
    const detail = { account_id: account.id };
    await audit.record({ actor: actorOf(account), action: 'setup', target: targetOf(account), path, detail });
  }
}

function done(): AccountError {
  return new AccountError('conflict', 'the service is set up already', { hint: 'Sign in with ipo login' });
}
