import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { ACCESS, mayAct, ROLES, type Role, type RouteKey } from '../../src/accounts/index.ts';
import { openApiDocument } from '../../src/api/index.ts';
import { accountRoutes, serve } from '../accounts/api.ts';
import { PASSWORD } from '../accounts/open.ts';

/** A service with an account and a session of each role. */
async function withRoles(t: TestContext) {
  const served = await serve(t);
  const ids: Partial<Record<Role, string>> = {};
  const secrets: Partial<Record<Role, string>> = {};
  for (const role of ROLES) {
    ids[role] = await served.add(`${role}@example.com`, role, `The ${role}`);
    secrets[role] = (await served.signIn(`${role}@example.com`)).secret;
  }
  return {
    ...served,
    ids: ids as Record<Role, string>,
    secrets: secrets as Record<Role, string>,
    boss: secrets.administrator ?? '',
  };
}

suite('Accounts over HTTP', () => {
  test('every route allows whom the table of access says, and nobody else', async (t) => {
    const served = await withRoles(t);
    const off = await served.add('off@example.com', 'administrator');
    const { secret: disabled } = await served.signIn('off@example.com');
    await served.accounts.life.update({ by: null, path: null }, off, { enabled: false });
    const keys = accountRoutes(served).map(({ key }) => key);
    // Signing out ends the session that the others still need.
    for (const key of keys.filter((key) => key !== 'DELETE /session')) {
      const [method = '', path = ''] = key.split(' ');
      const called = async (as?: string) =>
        (
          await served.call(method, path.replace('{id}', 'aaaaaaaaaaaaaaaa'), {
            ...(as !== undefined && { as }),
            ...(method !== 'GET' && { body: {} }),
          })
        ).status;
      const needed = ACCESS[key as RouteKey];
      if (needed === 'anonymous') continue;
      for (const nobody of [undefined, disabled, 'x', served.boss.slice(0, -1)])
        assert.equal(await called(nobody), 401, key);
      for (const role of ROLES)
        assert.equal(
          (await called(served.secrets[role])) === 403,
          !mayAct(role, needed),
          `${key} as ${role}`,
        );
    }
  });

  test('the routes can be described as OpenAPI', async (t) => {
    const served = await serve(t);
    const document = openApiDocument(accountRoutes(served), '0.0.0') as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    assert.equal(new Set(ids).size, 21);
  });

  test('an administrator invites somebody, who sets a password with the code', async (t) => {
    const served = await withRoles(t);
    const created = await served.call('POST', '/accounts', {
      as: served.boss,
      body: { email: 'New@example.com', name: 'New One', role: 'deployer' },
    });
    assert.equal(created.status, 201);
    const { account, password_code: code } = created.body;
    assert.equal(created.headers.get('location'), `/api/v1/accounts/${account.id}`);
    assert.deepEqual(
      [account.email, account.state, account.has_password, account.has_identity],
      ['new@example.com', 'enabled', false, false],
    );
    assert.equal(code.expires_at, '2026-10-04T12:00:00Z');
    const short = await served.call('POST', '/session/password', {
      body: { code: code.code, password: 'short' },
    });
    assert.deepEqual([short.status, short.body.errors[0].path], [400, 'password']);
    const set = await served.call('POST', '/session/password', {
      body: { code: code.code, password: PASSWORD },
    });
    assert.equal(set.status, 200);
    assert.equal(
      (await served.call('GET', `/accounts/${account.id}`, { as: served.boss })).body.has_password,
      true,
    );
    assert.equal(
      (await served.call('POST', '/session/password', { body: { code: code.code, password: PASSWORD } }))
        .status,
      401,
    );
    const again = await served.call('POST', `/accounts/${account.id}/password-code`, { as: served.boss });
    assert.equal(again.status, 201);
    assert.notEqual(again.body.code, code.code);
  });

  test('an account with a first password needs no code', async (t) => {
    const served = await withRoles(t);
    const { status, body } = await served.call('POST', '/accounts', {
      as: served.boss,
      body: { email: 'new@example.com', password: PASSWORD },
    });
    assert.deepEqual([status, body.password_code, body.account.role], [201, null, 'viewer']);
    await served.signIn('new@example.com');
    assert.equal(
      (await served.call('POST', '/accounts', { as: served.boss, body: { email: 'NEW@example.com' } }))
        .status,
      409,
    );
  });

  for (const [what, body, path] of [
    ['no address', {}, 'email'],
    ['an address that is none', { email: 'x' }, 'email'],
    ['a role that is none', { email: 'a@example.com', role: 'root' }, 'role'],
    ['a password that is too short', { email: 'a@example.com', password: 'short' }, 'password'],
    ['a name that shows in another order', { email: 'a@example.com', name: 'a\u202eb' }, 'name'],
    ['a field that nobody knows', { email: 'a@example.com', admin: true }, 'admin'],
  ] as const)
    test(`an account with ${what} is refused`, async (t) => {
      const served = await withRoles(t);
      const answer = await served.call('POST', '/accounts', { as: served.boss, body });
      assert.deepEqual([answer.status, answer.body.errors?.[0]?.path], [400, path]);
    });

  test("a list is narrowed and paged; an id that is none and one that is nobody's are told apart", async (t) => {
    const served = await withRoles(t);
    const list = async (query: string) => served.call('GET', `/accounts${query}`, { as: served.boss });
    assert.equal((await list('')).body.total, 3);
    const { body } = await list('?limit=1&offset=1');
    assert.deepEqual([body.items.length, body.total], [1, 3]);
    assert.equal((await list('?role=viewer&state=enabled')).body.total, 1);
    for (const query of ['?role=root', '?state=gone', '?limit=0', '?who=x'])
      assert.equal((await list(query)).status, 400, query);
    assert.equal((await list('/aaaaaaaaaaaaaaaa')).status, 404);
    assert.equal((await list('/ab')).status, 400);
  });

  test('deleting disables: sessions end, the account stays, and can be anonymised then', async (t) => {
    const served = await withRoles(t);
    const { ids, secrets, boss } = served;
    assert.equal(
      (await served.call('POST', `/accounts/${ids.deployer}/anonymise`, { as: boss })).status,
      409,
    );
    assert.equal((await served.call('DELETE', `/accounts/${ids.deployer}`, { as: boss })).status, 204);
    assert.equal((await served.call('GET', '/session', { as: secrets.deployer })).status, 401);
    assert.equal(
      (await served.call('GET', `/accounts/${ids.deployer}`, { as: boss })).body.state,
      'disabled',
    );
    const gone = await served.call('POST', `/accounts/${ids.deployer}/anonymise`, { as: boss });
    assert.deepEqual(
      [gone.status, gone.body.state, gone.body.email, gone.body.name],
      [200, 'anonymised', null, null],
    );
    assert.equal(
      (await served.call('PATCH', `/accounts/${ids.deployer}`, { as: boss, body: { enabled: true } })).status,
      409,
    );
    const { text } = await served.call('GET', '/audit', { as: boss });
    assert.ok(!/The deployer|deployer@example.com/.test(text));
    assert.ok(text.includes(`user:${ids.deployer}`));
  });

  test("an administrator's token makes no account, changes no role and gives no code", async (t) => {
    const served = await withRoles(t);
    const { ids, boss } = served;
    const made = await served.call('POST', '/tokens', {
      as: boss,
      body: { name: 'ci', role: 'administrator' },
    });
    const as = made.body.secret ?? made.body.token;
    assert.equal((await served.call('GET', '/accounts', { as })).status, 200);
    const viewer = `/accounts/${ids.viewer}`;
    for (const [method, path, body] of [
      ['POST', '/accounts', { email: 'new@example.com' }],
      ['POST', '/accounts', { email: 'new@example.com', role: 'administrator', password: PASSWORD }],
      ['PATCH', viewer, { role: 'administrator' }],
      ['POST', `${viewer}/password-code`, undefined],
    ] as const) {
      const refused = await served.call(method, path, { as, ...(body !== undefined && { body }) });
      assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'], `${method} ${path}`);
    }
    assert.equal((await served.call('GET', '/accounts', { as: boss })).body.total, 3);
    assert.equal((await served.call('GET', viewer, { as: boss })).body.role, 'viewer');
    assert.equal((await served.call('PATCH', viewer, { as, body: { name: 'Vi' } })).status, 200);
  });

  test('name and role are changed; the last enabled administrator stays one', async (t) => {
    const served = await withRoles(t);
    const { ids, boss } = served;
    const patch = (id: string, body: object) => served.call('PATCH', `/accounts/${id}`, { as: boss, body });
    assert.equal((await patch(ids.viewer, { name: 'Vi', role: 'deployer' })).body.name, 'Vi');
    assert.equal((await patch(ids.viewer, { name: null })).body.name, null);
    const last = await patch(ids.administrator, { role: 'viewer' });
    assert.deepEqual([last.status, last.body.code], [409, 'conflict']);
    assert.equal((await served.call('DELETE', `/accounts/${ids.administrator}`, { as: boss })).status, 409);
    assert.equal((await patch(ids.viewer, { email: 'other@example.com' })).status, 400);
  });
});
