import {
  AccountError,
  openAccounts,
  openPasswords,
  readEmail,
  type IssuedCode,
} from '../../accounts/index.ts';
import type { Clock, Log } from '../../base/index.ts';

const QUIET: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * issuePasswordCode gives a one-time code that sets a new password, straight from the database: for operators, when no administrator can
 * sign in. It stands in the audit log. Throws `not_found`, `conflict`, StoreError.
 */
export async function issuePasswordCode(
  url: string,
  who: string,
  clock: Clock,
): Promise<IssuedCode & { readonly email: string | null }> {
  const store = await import('../../store/index.ts');
  const opened = await store.openStore({ url, migrate: false, turn: 'behind' });
  try {
    const { life } = openAccounts({
      accounts: store.accountStore(opened),
      sessions: store.sessionStore(opened),
      tokens: store.tokenStore(opened),
      failures: store.failureStore(opened),
      codes: store.codeStore(opened),
      sweeper: store.accountSweeper(opened),
      erasure: store.erasureOf(opened),
      passwords: openPasswords(),
      audit: store.auditLog(opened, clock),
      together: (act) => opened.write(act),
      clock,
      log: QUIET,
    });
    const isId = /^[a-z2-7]{16}$/.test(who);
    const found = isId ? await life.get(who) : await store.accountStore(opened).findByEmail(readEmail(who));
    if (found === null) {
      throw new AccountError('not_found', `no account has the e-mail address ${who}`, {
        hint: 'Without any administrator the service writes a setup code into its log at the start',
      });
    }
    const code = await life.issueCode({ by: null, path: 'ipo account password --database' }, found.id);
    return { ...code, email: found.email };
  } finally {
    await opened.close();
  }
}
