import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ACCESS, type RouteKey } from '../../src/accounts/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { PASSWORD, startRunning, type Running } from './running.ts';

interface Ways {
  /** By account: whether it is enabled, its role, and the hash of its password and its identity at the provider. */
  readonly accounts: ReadonlyMap<string, readonly [boolean, number, string | null, string | null]>;
  readonly sessions: number;
  readonly tokens: number;
  readonly codes: number;
}

const RANK: Readonly<Record<string, number>> = { viewer: 0, deployer: 1, administrator: 2 };

/** Everything that a sign-in can come from, as the database holds it. */
async function waysIn({ read }: Store): Promise<Ways> {
  const rows = await runText<Record<string, string | number | null>>(
    read,
    'select id, disabled_at, role, password_hash, oidc_subject from accounts',
    [],
  );
  const count = async (table: string, where = '1 = 1') => {
    const [row] = await runText<{ n: number }>(read, `select count(*) as n from ${table} where ${where}`, []);
    return Number(row?.n);
  };
  return {
    accounts: new Map(
      rows.map((row) => [
        String(row['id']),
        [
          row['disabled_at'] === null,
          RANK[String(row['role'])] ?? 0,
          row['password_hash'] as string | null,
          row['oidc_subject'] as string | null,
        ],
      ]),
    ),
    sessions: await count('sessions'),
    tokens: await count('tokens', 'revoked_at is null'),
    codes: await count('one_time_codes'),
  };
}

/** What of `after` is a way to sign in that was not there before, in words. */
function gained(before: Ways, after: Ways): string[] {
  const found: string[] = [];
  for (const kind of ['sessions', 'tokens', 'codes'] as const)
    if (after[kind] > before[kind]) found.push(kind);
  for (const [id, [enabled, role, password, identity]] of after.accounts) {
    const was = before.accounts.get(id);
    if (was === undefined) found.push('an account');
    else {
      if (enabled && !was[0]) found.push('an account enabled');
      if (role > was[1]) found.push('a role raised');
      if (password !== null && password !== was[2]) found.push('a password');
      if (identity !== null && identity !== was[3]) found.push('an identity');
      // A disabled account that no longer knows its identity keeps nobody out at the provider's sign-in.
      if (identity === null && was[3] !== null) found.push('an identity forgotten');
    }
  }
  return found;
}

const NEW = 'plum-harrow-silent-71';

/** Bodies with which a route could give somebody a way in; every one is tried on every account. */
const BODIES: Partial<Readonly<Record<RouteKey, readonly unknown[]>>> = {
  'POST /accounts': [
    { email: 'new@example.com', role: 'viewer' },
    { email: 'new@example.com', role: 'administrator', password: NEW },
  ],
  'PATCH /accounts/{id}': [
    { enabled: true },
    { enabled: true, password: NEW },
    { enabled: true, name: 'Another' },
    { password: NEW },
    { role: 'administrator' },
    { role: 'administrator', enabled: true },
    { enabled: false },
    { name: 'Another' },
  ],
  'POST /tokens': [{ name: 'more', role: 'administrator' }, { name: 'more' }],
  'PUT /session/password': [{ current: PASSWORD, password: NEW }],
};

/** Routes that are open to everybody and ask for a secret of their own: the token is no such secret. */
const OWN_SECRET: Partial<Readonly<Record<RouteKey, (token: string) => unknown>>> = {
  'POST /setup': (token) => ({ code: token.slice(0, 90), email: 'x@example.com', password: NEW }),
  'POST /setup/check': (token) => ({ code: token.slice(0, 90) }),
  'POST /session': (token) => ({ email: 'administrator@example.com', password: token }),
  'POST /session/password': (token) => ({ code: token.slice(0, 90), password: NEW }),
};

async function withToken(running: Running): Promise<string> {
  const { body } = await running.as('administrator').json<{ token: string }>('POST /tokens', {
    body: { name: 'pipeline', role: 'administrator' },
  });
  return body.token;
}

suite('What an API token may do', () => {
  test('no call with an administrator’s token, on any route, gives anybody a way to sign in', async (t) => {
    const running = await startRunning(t);
    const { store, parts } = running.service;
    const act = { by: null, path: null };
    // One more who is disabled, known to the identity provider.
    const { account: known } = await parts.accounts.life.create(act, {
      ...{ email: 'known@example.com', name: null, role: 'viewer', password: PASSWORD },
    });
    await store.write((transaction) =>
      runText(transaction, 'update accounts set oidc_subject = ? where id = ?', [
        'https://idp\nknown',
        known.id,
      ]),
    );
    await parts.accounts.life.update(act, known.id, { enabled: false });
    const secret = await withToken(running);
    const ids = [...(await waysIn(store)).accounts.keys()];
    let calls = 0;
    for (const key of Object.keys(ACCESS) as RouteKey[]) {
      const [method = '', path = ''] = key.split(' ');
      const bodies =
        method === 'GET' ? [undefined] : [...(BODIES[key] ?? []), OWN_SECRET[key]?.(secret) ?? {}];
      for (const id of path.startsWith('/accounts/{id}') ? ids : ['nothing'])
        for (const body of bodies) {
          const before = await waysIn(store);
          const answer = await fetch(
            `${running.url}/api/v1${path.replaceAll(/\{[a-z_]+\}/g, path.includes('/accounts/') ? id : 'nothing')}`,
            {
              method,
              redirect: 'manual',
              headers: {
                authorization: `Bearer ${secret}`,
                ...(body !== undefined && { 'content-type': 'application/json' }),
              },
              ...(body !== undefined && { body: JSON.stringify(body) }),
            },
          );
          await answer.arrayBuffer();
          const after = await waysIn(store);
          assert.deepEqual(
            gained(before, after),
            [],
            `${key} ${JSON.stringify(body)} on ${id}: ${answer.status}`,
          );
          calls += 1;
          // The token's own account was disabled, or its tokens revoked: go on as a fresh one.
          if ((await parts.accounts.principalOf(secret, 'bearer')) === null)
            assert.fail(`${key} ${JSON.stringify(body)} ended the token`);
        }
    }
    assert.ok(calls > Object.keys(ACCESS).length, String(calls));
  });

  test('an administrator’s token cannot enable an account, and says what can', async (t) => {
    const running = await startRunning(t);
    const secret = await withToken(running);
    const { body } = await running.as('administrator').json<{ items: { id: string }[] }>('GET /accounts', {
      query: { state: 'disabled' },
    });
    const answer = await fetch(`${running.url}/api/v1/accounts/${body.items[0]?.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: '{"enabled":true}',
    });
    const problem = (await answer.json()) as { detail: string; hint: string };
    assert.deepEqual(
      [answer.status, problem.detail, problem.hint],
      [
        403,
        'a token cannot enable an account',
        'Sign in as a user; otherwise a leaked token could give lasting access',
      ],
    );
  });
});
