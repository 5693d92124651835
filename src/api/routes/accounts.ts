import {
  stateOf,
  type Account,
  type Accounts,
  type IssuedCode,
  type Principal,
} from '../../accounts/index.ts';
import { formatTime } from '../../base/index.ts';
import {
  accountPath,
  accountSchema,
  accountsQuery,
  accountsSchema,
  accountUpdateBody,
  anonymisedAccountSchema,
  codeSchema,
  createdAccountSchema,
  newAccountBody,
  updatedAccountSchema,
  type AccountBody,
  type AnonymisedAccountBody,
  type CodeBody,
  type CreatedAccountBody,
  type UpdatedAccountBody,
} from '../contract/accounts.ts';
import { problemSchema } from '../contract/problem.ts';
import { route, type Answered, type Route } from '../route.ts';

/** AccountsParts are what the routes of accounts act through; each act of theirs writes its own audit entry. */
export interface AccountsParts {
  readonly accounts: Pick<Accounts, 'life'>;
}

const PROBLEM = { schema: problemSchema, type: 'application/problem+json' } as const;
const LAST: Answered = {
  ...PROBLEM,
  description: 'It would leave no enabled administrator, or the account was anonymised',
};

/** accountsRoutes let administrators say who may sign in. */
export function accountsRoutes({ accounts: { life } }: AccountsParts): Route[] {
  return [...allAccountsRoutes(life), ...oneAccountRoutes(life), ...actRoutes(life)];
}

function allAccountsRoutes(life: Accounts['life']): Route[] {
  return [
    route({
      key: 'GET /accounts',
      id: 'listAccounts',
      tag: 'accounts',
      summary: 'List the accounts, oldest first',
      query: accountsQuery,
      answers: { 200: { description: 'The accounts', schema: accountsSchema } },
      handle: async ({ query: { role, state, limit, offset } }) => {
        const page = { limit: limit ?? null, offset: offset ?? 0 };
        const { items, total } = await life.list({ role: role ?? null, state: state ?? null, ...page });
        return { body: { items: items.map(accountBody), total } };
      },
    }),
    route({
      key: 'POST /accounts',
      id: 'createAccount',
      tag: 'accounts',
      summary: 'Let somebody in',
      description:
        'Without a password the answer has a one-time code, with which the person sets one. A token cannot do it; sign in as a person.',
      body: newAccountBody,
      answers: {
        201: {
          description: 'The account',
          schema: createdAccountSchema,
          headers: { Location: 'Path of the account' },
        },
        409: { ...PROBLEM, description: 'The address has an account already' },
      },
      handle: async (call) => {
        const { email, name, role, password } = call.body;
        const wanted = {
          email,
          name: name ?? null,
          role: role ?? 'viewer',
          password: password ?? null,
        } as const;
        const { account, code } = await life.create(actOf(call), wanted);
        const body: CreatedAccountBody = {
          account: accountBody(account),
          password_code: code === null ? null : codeBody(code),
        };
        return { status: 201, body, headers: { location: `/api/v1/accounts/${account.id}` } };
      },
    }),
  ];
}

function oneAccountRoutes(life: Accounts['life']): Route[] {
  return [
    route({
      key: 'GET /accounts/{id}',
      id: 'showAccount',
      tag: 'accounts',
      summary: 'Show an account',
      params: accountPath,
      answers: { 200: { description: 'The account', schema: accountSchema } },
      handle: async ({ params }) => ({ body: accountBody(await life.get(params.id)) }),
    }),
    route({
      key: 'PATCH /accounts/{id}',
      id: 'updateAccount',
      tag: 'accounts',
      summary: 'Change name or role of an account, disable or enable it',
      description:
        'Enabling gives a one-time code that sets a new password, unless one is sent: the password from before never counts again. ' +
        'A token cannot change a role or enable an account; sign in as a person.',
      params: accountPath,
      body: accountUpdateBody,
      answers: { 200: { description: 'The account as it is now', schema: updatedAccountSchema }, 409: LAST },
      handle: async (call) => {
        const { account, code } = await life.update(actOf(call), call.params.id, call.body);
        const body: UpdatedAccountBody = {
          ...accountBody(account),
          password_code: code === null ? null : codeBody(code),
        };
        return { body };
      },
    }),
    route({
      key: 'DELETE /accounts/{id}',
      id: 'deleteAccount',
      tag: 'accounts',
      summary: 'Disable an account, end its sessions and revoke its tokens',
      description: 'What it did stays on record; `anonymise` takes its name from there.',
      params: accountPath,
      answers: { 204: { description: 'The account is disabled' }, 409: LAST },
      handle: async (call) => {
        await life.update(actOf(call), call.params.id, { enabled: false });
        return { status: 204 };
      },
    }),
  ];
}

function actRoutes(life: Accounts['life']): Route[] {
  return [
    route({
      key: 'POST /accounts/{id}/password-code',
      id: 'issuePasswordCode',
      tag: 'accounts',
      summary: 'Give a one-time code that sets a new password',
      description:
        'The password that is there stays good until the code is used. Earlier codes end. A token cannot do it; sign in as a person.',
      params: accountPath,
      answers: {
        201: { description: 'The code', schema: codeSchema },
        409: { ...PROBLEM, description: 'The account is disabled' },
      },
      handle: async (call) => ({
        status: 201,
        body: codeBody(await life.issueCode(actOf(call), call.params.id)),
      }),
    }),
    route({
      key: 'POST /accounts/{id}/anonymise',
      id: 'anonymiseAccount',
      tag: 'accounts',
      summary: 'Blank a disabled account and rewrite every copy of its name to `user:<account_id>`',
      description:
        'It cannot be undone. A token cannot do it; sign in as a person. Take the person out of the identity provider first: it may ' +
        'sign them in as somebody new.',
      params: accountPath,
      answers: {
        200: { description: 'What is left of the account', schema: anonymisedAccountSchema },
        409: { ...PROBLEM, description: 'The account is not disabled' },
      },
      handle: async (call) => {
        const { account, erasure } = await life.anonymise(actOf(call), call.params.id);
        const body: AnonymisedAccountBody = { ...accountBody(account), erasure };
        return { body };
      },
    }),
  ];
}

/** accountBody is an account as the API answers it. */
export function accountBody(account: Account): AccountBody {
  const { id, email, name, avatar, role, passwordHash, oidcSubject, createdAt, disabledAt } = account;
  return {
    id,
    email,
    name,
    avatar,
    role,
    state: stateOf(account),
    has_password: passwordHash !== null,
    has_identity: oidcSubject !== null,
    created_at: formatTime(createdAt),
    disabled_at: disabledAt === null ? null : formatTime(disabledAt),
  };
}

function codeBody({ code, expiresAt }: IssuedCode): CodeBody {
  return { code, expires_at: formatTime(expiresAt) };
}

function actOf({ principal, path }: { readonly principal: Principal | null; readonly path: string }) {
  return { by: principal, path };
}
