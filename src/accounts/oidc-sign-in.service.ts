import { AccountError } from './account-error.ts';
import { actorOf, readEmail, readName, targetOf, type Account } from './account.ts';
import type { Codes, IssuedCode } from './codes.service.ts';
import { makeId } from './make-secret.service.ts';
import { pictureOf, roleOf, subjectOf, type Identity, type OidcRules } from './oidc.ts';
import { addressKey, afterFailure, afterSuccess, freeOf, NO_FAILURES, secondsBlocked } from './lock-out.ts';
import type { AccountParts } from './parts.ts';
import type { Flow, IdentityProvider } from './ports.ts';
import { lockedOut } from './proofs.service.ts';
import type { Role } from './principal.ts';
import type { Sessions, SignedIn } from './sessions.service.ts';
import { recordSignIn } from './sign-in.service.ts';
import { isIpoError } from '../base/index.ts';

/** What a browser brings back from the identity provider. */
interface ComeBack {
  readonly query: string;
  readonly cookie: string | null;
  readonly address: string;
  readonly path: string;
}

/** OidcSignIn signs people in by the identity provider. */
export interface OidcSignIn {
  /**
   * Gives the address to send the browser to, and what its cookie must bring back. With a `challenge` (base64url of the SHA-256
   * of a verifier) the sign-in ends with a code for the command line instead of a session in the browser.
   */
  begin(challenge: string | null): Promise<{ readonly url: string; readonly cookie: string }>;
  /**
   * Takes the browser back: makes or links the account, and gives a session or a code. Throws `bad_credentials`, `forbidden`,
   * `conflict`, `locked_out`, `unavailable`, `network`.
   */
  finish(back: ComeBack): Promise<{
    readonly account: Account;
    readonly session: SignedIn | null;
    readonly code: IssuedCode | null;
  }>;
}

/** openOidcSignIn joins it with its parts. */
export function openOidcSignIn(
  parts: AccountParts,
  provider: IdentityProvider,
  rules: OidcRules,
  sessions: Sessions,
  codes: Codes,
): OidcSignIn {
  const context: OidcContext = { parts, provider, rules, sessions, codes };
  return {
    async begin(challenge) {
      const { url, flow } = await provider.begin();
      const cookie = Buffer.from(JSON.stringify([flow.state, flow.nonce, flow.verifier, challenge])).toString(
        'base64url',
      );
      return { url, cookie };
    },

    finish: (back) => finish(context, back),
  };
}

/** What a sign-in by the identity provider acts through. */
interface OidcContext {
  readonly parts: AccountParts;
  readonly provider: IdentityProvider;
  readonly rules: OidcRules;
  readonly sessions: Sessions;
  readonly codes: Codes;
}

async function finish(
  context: OidcContext,
  { query, cookie, address, path }: ComeBack,
): ReturnType<OidcSignIn['finish']> {
  const { parts, provider, rules, sessions, codes } = context;
  const { audit, failures, together } = parts;
  const client = `oidc:${addressKey(address)}`;
  await countTry(parts, client, freeOf(address));
  try {
    const { challenge, flow } = readFlow(cookie);
    const identity = await provider.finish(query, flow);
    const role = roleOf(rules.roles, identity.claims);
    if (role === null) throw noRole();
    return await together(async () => {
      const account = await accountOf(context, identity, role, path);
      await failures.change(client, afterSuccess);
      if (challenge !== null)
        return { account, session: null, code: await codes.issue('sign_in', account.id, challenge) };
      const session = await sessions.start(account);
      await recordSignIn(audit, session, path, 'oidc');
      return { account, session, code: null };
    });
  } catch (error) {
    if (
      isIpoError(error) &&
      (error.code === 'bad_credentials' || error.code === 'forbidden' || error.code === 'conflict')
    ) {
      const detail = { reason: 'oidc', code: error.code, message: error.message, address };
      await audit.record({ actor: null, action: 'sign_in_failed', target: null, path, detail });
    } else await failures.change(client, afterSuccess);
    throw error;
  }
}

/**
 * Anybody may come back with anything, and each time costs an entry of the audit log and a call to the provider; so a client is
 * counted before that, under a key of its own, and forgiven when it was not at fault.
 */
async function countTry({ failures, clock }: AccountParts, client: string, free: number): Promise<void> {
  const [kept = NO_FAILURES] = await failures.read([client]);
  const wait = secondsBlocked(kept, clock.now());
  const { before, after } =
    wait > 0
      ? { before: kept, after: kept }
      : await failures.change(client, (stands) =>
          secondsBlocked(stands, clock.now()) > 0 ? stands : afterFailure(stands, clock.now(), free),
        );
  if (before === after)
    throw lockedOut(
      secondsBlocked(before, clock.now()),
      'Passwords, API tokens and open sessions are not affected',
    );
}

/** The account of an identity, held: known by its subject, else linked by its verified address, else made. */
async function accountOf(
  context: OidcContext,
  identity: Identity,
  role: Role,
  path: string,
): Promise<Account> {
  const { rules, parts } = context;
  const { accounts, audit } = parts;
  const subject = subjectOf(identity);
  const { administrators } = await accounts.holdAdministrators();
  const account = await accounts.hold({ oidcSubject: subject });
  if (account === null) return linkOrMake(context, identity, subject, role, path);
  if (account.disabledAt !== null) throw disabled();
  // Without a claim the provider says nothing of roles, and an administrator's choice stands.
  const lost = account.role === 'administrator' && administrators <= 1;
  if (rules.roles.claim === null || role === account.role || lost) return account;
  await accounts.update(account.id, { role });
  await parts.sessions.endAll(account.id);
  const detail = {
    account_id: account.id,
    changed: ['role'],
    role: { from: account.role, to: role },
    by: 'oidc',
  };
  await audit.record({
    actor: actorOf(account),
    action: 'account_update',
    target: targetOf(account),
    path,
    detail,
  });
  return { ...account, role };
}

async function linkOrMake(
  { parts, rules }: OidcContext,
  identity: Identity,
  subject: string,
  role: Role,
  path: string,
): Promise<Account> {
  const { accounts, audit } = parts;
  if (identity.email === null) {
    throw new AccountError('forbidden', 'the identity provider gave no e-mail address', {
      hint: 'Let it send the claim email for the scope email',
    });
  }
  if (!identity.emailVerified && !rules.trustEmail) {
    throw new AccountError(
      'forbidden',
      'the identity provider does not say that the e-mail address is verified',
      {
        hint: 'Verify it there; for a provider that never says so, set trustEmail',
      },
    );
  }
  const email = addressOf(identity.email);
  const account = await accounts.hold({ email });
  if (account === null) return makeAccount(parts, identity, subject, email, role, path);
  if (account.disabledAt !== null) throw disabled();
  if (account.oidcSubject !== null) {
    throw new AccountError('conflict', 'the account of this e-mail address belongs to another identity', {
      hint: 'An administrator can disable and anonymise the old account',
    });
  }
  await accounts.update(account.id, { oidcSubject: subject });
  const detail = { account_id: account.id, changed: ['oidc_subject'], by: 'oidc' };
  await audit.record({ actor: actorOf(account), action: 'account_update', target: email, path, detail });
  return { ...account, oidcSubject: subject };
}

async function makeAccount(
  { accounts, audit, clock }: AccountParts,
  identity: Identity,
  subject: string,
  email: string,
  role: Role,
  path: string,
): Promise<Account> {
  const account: Account = {
    id: makeId(),
    email,
    name: nameOf(identity),
    avatar: pictureOf(identity),
    role,
    passwordHash: null,
    oidcSubject: subject,
    createdAt: clock.now(),
    disabledAt: null,
    anonymisedAt: null,
  };
  if (!(await accounts.insert(account)))
    throw new AccountError('conflict', 'another sign-in of this person finished first', {
      hint: 'Sign in again',
    });
  const detail = { account_id: account.id, role, by: 'oidc' };
  await audit.record({ actor: actorOf(account), action: 'account_create', target: email, path, detail });
  return account;
}

function addressOf(text: string): string {
  try {
    return readEmail(text);
  } catch (cause) {
    throw new AccountError('forbidden', 'the identity provider gave an e-mail address that is not valid', {
      cause,
    });
  }
}

/** A name that we would not take from a person is left out. */
function nameOf({ name }: Identity): string | null {
  try {
    return name === null ? null : readName(name);
  } catch {
    return null;
  }
}

function readFlow(cookie: string | null): { readonly flow: Flow; readonly challenge: string | null } {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cookie ?? '', 'base64url').toString());
    if (Array.isArray(parts) && parts.length === 4) {
      const [state, nonce, verifier, challenge] = parts as unknown[];
      if (isShort(state) && isShort(nonce) && isShort(verifier) && (challenge === null || isShort(challenge)))
        return { flow: { state, nonce, verifier }, challenge };
    }
  } catch {
    // said below
  }
  throw new AccountError(
    'bad_credentials',
    'this sign-in was not begun in this browser, or took longer than ten minutes',
    {
      hint: 'Begin again',
    },
  );
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{20,200}$/.test(value);
}

function noRole(): AccountError {
  return new AccountError('forbidden', 'the identity provider gives this person no role here', {
    hint: 'An administrator maps values of the claim to roles in the configuration',
  });
}

function disabled(): AccountError {
  return new AccountError('forbidden', 'the account is disabled', { hint: 'Ask an administrator' });
}
