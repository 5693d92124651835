import { AccountError } from './account-error.ts';
import type { Principal } from './principal.ts';

/** noToken refuses a token whatever could become a session, or an account, that outlives it. */
export function noToken(by: Principal | null, what: string): void {
  if (by?.via !== 'token') return;
  throw new AccountError('forbidden', `a token cannot ${what}`, {
    hint: 'Sign in as a user; otherwise a leaked token could give lasting access',
  });
}

/** missing says that no account has an ID. */
export function missing(id: string): never {
  throw new AccountError('not_found', `no account has the ID ${id}`, { hint: 'See ipo account list' });
}

/** anonymised says that an account is for nobody any more. */
export function anonymised(): AccountError {
  return new AccountError('conflict', 'the account was anonymised, which cannot be undone', {
    hint: 'Create another account',
  });
}

/** lastOne refuses what would leave nobody to administer the service. */
export function lastOne(): AccountError {
  return new AccountError(
    'conflict',
    'the last enabled administrator can be neither disabled nor given another role',
    {
      hint: 'Make somebody else an administrator first',
    },
  );
}
