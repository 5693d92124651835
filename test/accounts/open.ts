import type { TestContext } from 'node:test';
import {
  openAccounts,
  openPasswords,
  type AccountParts,
  type Accounts,
  type IdentityProvider,
  type OidcRules,
  type Passwords,
  type SignedIn,
} from '../../src/accounts/index.ts';
import { accountStore } from '../../src/store/accounts/accounts.ts';
import { erasureOf } from '../../src/store/accounts/erasure.ts';
import { auditLog } from '../../src/store/accounts/audit.ts';
import { accountSweeper, codeStore } from '../../src/store/accounts/one-time-codes.ts';
import { sessionStore } from '../../src/store/accounts/sessions.ts';
import { failureStore } from '../../src/store/accounts/sign-in-failures.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { tokenStore } from '../../src/store/accounts/tokens.ts';
import type { TestEngine } from '../store/engines.ts';

/** PASSWORD passes the rules. */
export const PASSWORD = 'seven plums on a cart';

/** CHEAP hashes need next to no work, so that tests are quick; one test uses the real ones. */
export const CHEAP = { memory: 8, passes: 1, parallelism: 1 };

/** START is when the clock of a test begins. */
export const START = Date.UTC(2026, 9, 1, 12);

export interface Opened {
  readonly accounts: Accounts;
  readonly parts: AccountParts;
  readonly store: Store;
  readonly audit: ReturnType<typeof auditLog>;
  /** The time; set it to let time pass. */
  readonly clock: { at: number; now(): number };
  /** How many hashes were run. */
  readonly hashes: { runs: number; atOnce: number; mostAtOnce: number };
  readonly warnings: string[];
  /** Signs in from an address. */
  signIn(email: string, password?: string, address?: string): Promise<SignedIn>;
  /** Makes an account with the password, enabled. */
  add(email: string, role?: 'viewer' | 'deployer' | 'administrator', name?: string | null): Promise<string>;
}

/** openOn opens accounts over a store; another replica is a second call with the same clock. */
export function openOn(
  store: Store,
  options: {
    readonly clock?: Opened['clock'];
    readonly passwords?: Passwords;
    readonly oidc?: { readonly provider: IdentityProvider; readonly rules: OidcRules };
  } = {},
): Opened {
  const clock: Opened['clock'] = options.clock ?? { at: START, now: () => clock.at };
  const inner = options.passwords ?? openPasswords(CHEAP);
  const hashes = { runs: 0, atOnce: 0, mostAtOnce: 0 };
  const counted = async <T>(act: () => Promise<T>): Promise<T> => {
    hashes.runs += 1;
    hashes.atOnce += 1;
    hashes.mostAtOnce = Math.max(hashes.mostAtOnce, hashes.atOnce);
    try {
      return await act();
    } finally {
      hashes.atOnce -= 1;
    }
  };
  const warnings: string[] = [];
  const audit = auditLog(store, clock);
  const parts: AccountParts = {
    accounts: accountStore(store),
    sessions: sessionStore(store),
    tokens: tokenStore(store),
    failures: failureStore(store),
    codes: codeStore(store),
    sweeper: accountSweeper(store),
    erasure: erasureOf(store),
    audit,
    together: (act) => store.write(() => act()),
    passwords: {
      hash: (password) => counted(() => inner.hash(password)),
      verify: (password, phc) => counted(() => inner.verify(password, phc)),
    },
    clock,
    log: {
      debug: () => {},
      info: () => {},
      warn: (message) => void warnings.push(message),
      error: (message) => void warnings.push(message),
    },
  };
  const accounts = openAccounts(parts, options.oidc);
  return {
    accounts,
    parts,
    store,
    audit,
    clock,
    hashes,
    warnings,
    signIn: (email, password = PASSWORD, address = '192.0.2.1') =>
      accounts.signIn.withPassword({ email, password, address, path: 'POST /api/v1/session' }),
    add: async (email, role = 'viewer', name = null) => {
      const act = { by: null, path: 'test' };
      const { account } = await accounts.life.create(act, { email, name, role, password: PASSWORD });
      return account.id;
    },
  };
}

/** openFresh opens accounts over a fresh database of an engine. */
export async function openFresh(t: TestContext, engine: TestEngine): Promise<Opened> {
  return openOn(await engine.open(t));
}

/** code gives a matcher for assert.rejects: an expected fault with this code. */
export function code(wanted: string): (error: unknown) => boolean {
  return (error) => error instanceof Error && 'code' in error && error.code === wanted;
}

/** collect gives all that comes. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
