import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Principal } from '../../src/accounts/index.ts';
import { code, openFresh, openOn, PASSWORD, type Opened } from '../accounts/open.ts';
import { forEachEngine } from './engines.ts';

const DAY = 86_400_000;
const ACT = { by: null, path: 'test' };
const CLIENT = { address: '192.0.2.1', path: 'test' };

async function principalOf({ accounts }: Opened, secret: string): Promise<Principal> {
  const principal = await accounts.principalOf(secret, 'bearer');
  assert.ok(principal);
  return principal;
}

forEachEngine('The life of accounts', (engine) => {
  test('an invited person sets a password with a code that works once', async (t) => {
    const { accounts, signIn, clock } = await openFresh(t, engine);
    const wanted = {
      email: 'Ada@example.com',
      name: 'Ada Lovelace',
      role: 'deployer',
      password: null,
    } as const;
    const { account, code: issued } = await accounts.life.create(ACT, wanted);
    assert.equal(account.email, 'ada@example.com');
    assert.ok(issued);
    assert.equal(issued.expiresAt, clock.at + 3 * DAY);
    const set = (password: string) =>
      accounts.ownPassword.withCode({ code: issued.code, password, ...CLIENT });
    await assert.rejects(set('Ada Lovelace'), code('invalid_request')); // leaves the code good
    const { secret } = await set(PASSWORD);
    assert.equal((await accounts.principalOf(secret, 'bearer'))?.role, 'deployer');
    await assert.rejects(set(PASSWORD), code('bad_credentials'));
    await signIn('ada@example.com');
  });

  test('a code ends after three days, by a newer one, and when the account is disabled', async (t) => {
    const { accounts, add, clock } = await openFresh(t, engine);
    await add('boss@example.com', 'administrator');
    const id = await add('ada@example.com');
    const fails = async (old: string) =>
      assert.rejects(
        accounts.ownPassword.withCode({
          code: old,
          password: PASSWORD,
          address: `192.0.2.${clock.at % 200}`,
          path: 'test',
        }),
        code('bad_credentials'),
      );
    const first = await accounts.life.issueCode(ACT, id);
    const second = await accounts.life.issueCode(ACT, id);
    await fails(first.code);
    clock.at = second.expiresAt;
    await fails(second.code);
    const third = await accounts.life.issueCode(ACT, id);
    await accounts.life.update(ACT, id, { enabled: false });
    await assert.rejects(accounts.life.issueCode(ACT, id), code('conflict'));
    await accounts.life.update(ACT, id, { enabled: true });
    await fails(third.code);
  });

  test('one address is one account, however it is written', async (t) => {
    const { add, accounts } = await openFresh(t, engine);
    await add('ada@example.com');
    await assert.rejects(add('ADA@example.com'), code('conflict'));
    assert.equal((await accounts.life.list({ role: null, state: null, limit: null, offset: 0 })).total, 1);
  });

  test('a list is narrowed by role and state, and paged', async (t) => {
    const { accounts, add, clock } = await openFresh(t, engine);
    for (const [i, role] of (['administrator', 'viewer', 'viewer', 'deployer'] as const).entries()) {
      clock.at += 1;
      await add(`p${i}@example.com`, role);
    }
    const { items } = await accounts.life.list({ role: null, state: null, limit: null, offset: 0 });
    assert.deepEqual(
      items.map(({ email }) => email),
      ['p0@example.com', 'p1@example.com', 'p2@example.com', 'p3@example.com'],
    );
    await accounts.life.update(ACT, items[1]?.id ?? '', { enabled: false });
    await accounts.life.update(ACT, items[2]?.id ?? '', { enabled: false });
    await accounts.life.anonymise(ACT, items[2]?.id ?? '');
    const of = async (role: 'viewer' | null, state: 'enabled' | 'disabled' | 'anonymised' | null) =>
      (await accounts.life.list({ role, state, limit: 1, offset: 0 })).total;
    assert.deepEqual(
      [
        await of('viewer', null),
        await of(null, 'enabled'),
        await of(null, 'disabled'),
        await of(null, 'anonymised'),
        await of('viewer', 'enabled'),
      ],
      [2, 2, 1, 1, 0],
    );
    assert.equal(
      (await accounts.life.list({ role: null, state: null, limit: 2, offset: 3 })).items.length,
      1,
    );
  });

  test('another role ends every session, and tokens may no more than the account', async (t) => {
    const opened = await openFresh(t, engine);
    const { accounts, add, signIn } = opened;
    await add('boss@example.com', 'administrator');
    const id = await add('ada@example.com', 'administrator');
    const { secret } = await signIn('ada@example.com');
    const ada = await principalOf(opened, secret);
    const { secret: token } = await accounts.tokens.create(
      ada,
      { name: 'pipeline', role: 'deployer', days: null },
      'test',
    );
    await accounts.life.update(ACT, id, { role: 'viewer' });
    assert.equal(await accounts.principalOf(secret, 'bearer'), null);
    assert.equal((await principalOf(opened, token)).role, 'viewer');
    await accounts.life.update(ACT, id, { role: 'administrator' });
    assert.equal((await principalOf(opened, token)).role, 'deployer');
  });

  test('a token that ended more than 90 days ago is not listed, although no sweep has run yet', async (t) => {
    const opened = await openFresh(t, engine);
    const { accounts, add, clock, signIn } = opened;
    await add('ada@example.com', 'administrator');
    const ada = await principalOf(opened, (await signIn('ada@example.com')).secret);
    const make = (name: string, days: number) =>
      accounts.tokens.create(ada, { name, role: null, days }, 'test');
    await make('ran out', 1);
    const { token } = await make('revoked', 365);
    await make('stands', 365);
    await accounts.tokens.revoke(ada, token.id, 'test');
    const names = async () =>
      (await accounts.tokens.list(ada, { all: true, limit: null, offset: 0 })).items
        .map((item) => item.token.name)
        .toSorted();
    clock.at += 90 * DAY;
    assert.deepEqual(await names(), ['ran out', 'revoked', 'stands']);
    clock.at += 1;
    assert.deepEqual(await names(), ['ran out', 'stands']);
    clock.at += DAY;
    assert.deepEqual(await names(), ['stands']);
  });

  test('another name does not end a session, and is seen at once', async (t) => {
    const opened = await openFresh(t, engine);
    const id = await opened.add('ada@example.com');
    const { secret } = await opened.signIn('ada@example.com');
    await opened.accounts.life.update(ACT, id, { name: ' Ada  L. ' });
    assert.equal((await principalOf(opened, secret)).name, 'Ada L.');
    await opened.accounts.life.update(ACT, id, { name: null });
    assert.equal((await principalOf(opened, secret)).name, 'ada@example.com');
    await assert.rejects(opened.accounts.life.update(ACT, id, { name: 'user:x' }), code('invalid_request'));
  });

  test('disabling ends sessions, tokens and codes for good; enabling gives a code, and never the old password', async (t) => {
    const opened = await openFresh(t, engine);
    const { accounts, add, signIn } = opened;
    await add('boss@example.com', 'administrator');
    const id = await add('ada@example.com');
    const { secret } = await signIn('ada@example.com');
    const { secret: token } = await accounts.tokens.create(
      await principalOf(opened, secret),
      { name: 'ci', role: null, days: 1 },
      'test',
    );
    await accounts.life.update(ACT, id, { enabled: false });
    await assert.rejects(signIn('ada@example.com'), code('bad_credentials'));
    for (const dead of [secret, token]) assert.equal(await accounts.principalOf(dead, 'bearer'), null);
    const { account, code: issued } = await accounts.life.update(ACT, id, { enabled: true });
    for (const dead of [secret, token]) assert.equal(await accounts.principalOf(dead, 'bearer'), null);
    await assert.rejects(signIn('ada@example.com'), code('bad_credentials'));
    assert.equal(account.passwordHash, null);
    const fresh = 'eleven pears on a boat';
    await accounts.ownPassword.withCode({ code: issued?.code ?? '', password: fresh, ...CLIENT });
    await signIn('ada@example.com', fresh);
    await assert.rejects(signIn('ada@example.com'), code('bad_credentials'));
  });

  test('a disabled account is enabled with a new password, which passes the rules, or not at all', async (t) => {
    const { accounts, add, signIn } = await openFresh(t, engine);
    await add('boss@example.com', 'administrator');
    const id = await add('ada@example.com');
    const password = 'eleven pears on a boat';
    // An account that can sign in takes no password from others.
    await assert.rejects(accounts.life.update(ACT, id, { enabled: true, password }), code('invalid_request'));
    await assert.rejects(accounts.life.update(ACT, id, { password }), code('invalid_request'));
    await accounts.life.update(ACT, id, { enabled: false });
    await assert.rejects(
      accounts.life.update(ACT, id, { enabled: true, password: 'ada@example.com' }),
      code('invalid_request'),
    );
    const { account, code: issued } = await accounts.life.update(ACT, id, { enabled: true, password });
    assert.deepEqual([issued, account.disabledAt], [null, null]);
    await signIn('ada@example.com', password);
    await assert.rejects(signIn('ada@example.com'), code('bad_credentials'));
  });

  test('the last enabled administrator can be neither disabled nor demoted', async (t) => {
    const { accounts, add } = await openFresh(t, engine);
    const one = await add('one@example.com', 'administrator');
    const two = await add('two@example.com', 'administrator');
    await add('three@example.com', 'deployer');
    await accounts.life.update(ACT, two, { enabled: false });
    for (const changes of [
      { enabled: false },
      { role: 'viewer' },
      { role: 'deployer', enabled: false },
    ] as const)
      await assert.rejects(accounts.life.update(ACT, one, changes), code('conflict'));
    await accounts.life.update(ACT, one, { name: 'One', role: 'administrator', enabled: true });
    await accounts.life.update(ACT, two, { enabled: true });
    await accounts.life.update(ACT, one, { role: 'viewer' });
    await assert.rejects(accounts.life.update(ACT, two, { role: 'viewer' }), code('conflict'));
  });

  test("two replicas that demote each other's administrator at once leave one", async (t) => {
    const one = await openFresh(t, engine);
    const other = openOn(one.store, { clock: one.clock });
    for (let round = 0; round < 10; round += 1) {
      const ids = await Promise.all([
        one.add(`a${round}@example.com`, 'administrator'),
        one.add(`b${round}@example.com`, 'administrator'),
      ]);
      const { items } = await one.accounts.life.list({
        role: 'administrator',
        state: 'enabled',
        limit: null,
        offset: 0,
      });
      for (const { id } of items)
        if (!ids.includes(id)) await one.accounts.life.update(ACT, id, { role: 'viewer' });
      const results = await Promise.allSettled([
        one.accounts.life.update(ACT, ids[0], { role: 'viewer' }),
        other.accounts.life.update(ACT, ids[1], { enabled: false }),
      ]);
      assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    }
  });

  test('a change that changes nothing is not in the audit log; others say what changed, and never a name', async (t) => {
    const { accounts, add, audit, clock } = await openFresh(t, engine);
    await add('boss@example.com', 'administrator');
    const id = await add('ada@example.com', 'viewer', 'Ada Lovelace');
    await accounts.life.update(ACT, id, { name: 'Ada Lovelace', role: 'viewer', enabled: true });
    await accounts.life.update(ACT, id, { name: 'Ada King', role: 'deployer' });
    await accounts.life.update(ACT, id, { enabled: false });
    await accounts.life.update(ACT, id, { enabled: true });
    const { items } = await audit.list(
      { from: 0, to: clock.at, action: null, actor: null, target: 'ada@example.com' },
      { limit: 10, offset: 0 },
    );
    assert.deepEqual(
      items.toReversed().map(({ action, detail }) => [action, detail]),
      [
        ['account_create', { account_id: id, role: 'viewer', invited: false }],
        [
          'account_update',
          { account_id: id, changed: ['name', 'role'], role: { from: 'viewer', to: 'deployer' } },
        ],
        ['account_delete', { account_id: id, changed: ['enabled'], enabled: false }],
        ['account_update', { account_id: id, changed: ['enabled'], enabled: true, password: 'code' }],
      ],
    );
  });

  test('an act whose audit entry cannot be written is not done', async (t) => {
    const { accounts, add, parts } = await openFresh(t, engine);
    const id = await add('ada@example.com');
    Object.assign(parts.audit, { record: () => Promise.reject(new Error('full')) });
    await assert.rejects(accounts.life.update(ACT, id, { role: 'deployer' }), /full/);
    await assert.rejects(add('bob@example.com'), /full/);
    assert.equal((await accounts.life.get(id)).role, 'viewer');
    assert.equal((await accounts.life.list({ role: null, state: null, limit: null, offset: 0 })).total, 1);
  });
});

forEachEngine("One's own password", (engine) => {
  test('changing it ends every session and token and begins a new session', async (t) => {
    const opened = await openFresh(t, engine);
    const { accounts, add, signIn } = opened;
    await add('ada@example.com');
    const { secret } = await signIn('ada@example.com');
    const other = await signIn('ada@example.com');
    const principal = await principalOf(opened, secret);
    const change = (current: string, password: string) =>
      accounts.ownPassword.change(principal, { current, password, ...CLIENT });
    await assert.rejects(change(PASSWORD, PASSWORD), code('invalid_request'));
    await assert.rejects(change(PASSWORD, 'short'), code('invalid_request'));
    await assert.rejects(change('not the current one', 'eight pears in a bowl'), code('bad_credentials'));
    assert.ok(await accounts.principalOf(secret, 'cookie'));
    const token = await accounts.tokens.create(principal, { name: 'ci', role: null, days: 1 }, 'test');
    assert.ok(await accounts.principalOf(token.secret, 'bearer'));
    const renewed = await change(PASSWORD, 'eight pears in a bowl');
    for (const ended of [secret, other.secret, token.secret])
      assert.equal(await accounts.principalOf(ended, 'bearer'), null);
    assert.ok(await accounts.principalOf(renewed.secret, 'cookie'));
    await assert.rejects(signIn('ada@example.com'), code('bad_credentials'));
    await signIn('ada@example.com', 'eight pears in a bowl');
  });

  test('setting it with a code revokes the tokens too, and the audit log says how many', async (t) => {
    const opened = await openFresh(t, engine);
    const { accounts, add, signIn, audit, clock } = opened;
    const id = await add('ada@example.com');
    const ada = await principalOf(opened, (await signIn('ada@example.com')).secret);
    const { secret } = await accounts.tokens.create(ada, { name: 'ci', role: null, days: 1 }, 'test');
    const issued = await accounts.life.issueCode(ACT, id);
    assert.ok(await accounts.principalOf(secret, 'bearer'));
    await accounts.ownPassword.withCode({ code: issued.code, password: 'eight pears in a bowl', ...CLIENT });
    assert.equal(await accounts.principalOf(secret, 'bearer'), null);
    const { items } = await audit.list(
      { from: 0, to: clock.at, action: 'password_change', actor: null, target: null },
      { limit: 9, offset: 0 },
    );
    assert.deepEqual(
      items.map(({ detail }) => detail),
      [{ account_id: id, tokens_revoked: 1 }],
    );
  });

  test('guessing the current one through an open session is locked out like a sign-in', async (t) => {
    const opened = await openFresh(t, engine);
    const { accounts, add, signIn } = opened;
    await add('ada@example.com');
    const principal = await principalOf(opened, (await signIn('ada@example.com')).secret);
    const guess = (i: number) =>
      accounts.ownPassword.change(principal, {
        current: `guess ${i}`,
        password: 'eight pears in a bowl',
        address: `10.0.0.${i}`,
        path: 'test',
      });
    for (let i = 0; i < 5; i += 1) await assert.rejects(guess(i), code('bad_credentials'));
    await assert.rejects(guess(6), code('locked_out'));
  });

  test('a token cannot change it, and an account without one cannot either', async (t) => {
    const opened = await openFresh(t, engine);
    const { accounts, add, signIn, store } = opened;
    const id = await add('ada@example.com');
    const principal = await principalOf(opened, (await signIn('ada@example.com')).secret);
    const change = { current: PASSWORD, password: 'eight pears in a bowl', ...CLIENT };
    await assert.rejects(
      accounts.ownPassword.change({ ...principal, via: 'token', tokenId: 'x' }, change),
      code('forbidden'),
    );
    await store.write(async (transaction) => {
      await transaction.updateTable('accounts').set({ password_hash: null }).where('id', '=', id).execute();
    });
    await assert.rejects(accounts.ownPassword.change(principal, change), code('conflict'));
  });
});

forEachEngine('The first administrator', (engine) => {
  const wanted = { email: 'boss@example.com', name: null, password: PASSWORD, ...CLIENT };

  test('comes from a code of the start, which works once and for a day', async (t) => {
    const { accounts, clock } = await openFresh(t, engine);
    const old = await accounts.setup.prepare();
    assert.ok(old);
    clock.at = old.expiresAt;
    await assert.rejects(accounts.setup.complete({ ...wanted, code: old.code }), code('bad_credentials'));
    const first = await accounts.setup.prepare();
    const second = await accounts.setup.prepare(); // another replica, or a restart: both work
    assert.ok(first && second);
    await assert.rejects(
      accounts.setup.complete({ ...wanted, code: first.code, password: 'short' }),
      code('invalid_request'),
    );
    const { secret, account } = await accounts.setup.complete({ ...wanted, code: first.code });
    assert.equal(account.role, 'administrator');
    assert.ok(await accounts.principalOf(secret, 'cookie'));
    await assert.rejects(
      accounts.setup.complete({ ...wanted, email: 'two@example.com', code: second.code }),
      code('conflict'),
    );
    assert.equal(await accounts.setup.prepare(), null);
  });

  test('is one, however many set up at once', async (t) => {
    const one = await openFresh(t, engine);
    const other = openOn(one.store, { clock: one.clock });
    const codes = [await one.accounts.setup.prepare(), await other.accounts.setup.prepare()];
    const results = await Promise.allSettled([
      ...[one, other].map(({ accounts }, i) =>
        accounts.setup.complete({ ...wanted, email: `p${i}@example.com`, code: codes[i]?.code ?? '' }),
      ),
      other.accounts.setup.fromEnvironment({ email: 'env@example.com', password: PASSWORD }),
    ]);
    const made = results.filter((result) => result.status === 'fulfilled' && result.value !== 'not needed');
    assert.equal(made.length, 1);
    assert.equal(
      (await one.accounts.life.list({ role: null, state: null, limit: null, offset: 0 })).total,
      1,
    );
  });

  test('is still made when somebody who is none signed in before, but not over an account', async (t) => {
    const { accounts, add, store } = await openFresh(t, engine);
    await add('ada@example.com', 'viewer');
    const setup = await accounts.setup.prepare();
    assert.ok(setup);
    const ada = { email: 'ada@example.com', password: PASSWORD };
    await assert.rejects(accounts.setup.fromEnvironment(ada), code('conflict'));
    await assert.rejects(accounts.setup.complete({ ...wanted, ...ada, code: setup.code }), code('conflict'));
    assert.deepEqual(await store.read.selectFrom('sessions').selectAll().execute(), []);
    const { account } = await accounts.setup.complete({ ...wanted, code: setup.code });
    assert.equal(account.role, 'administrator');
    assert.equal(await accounts.setup.prepare(), null);
    const other = { email: 'env@example.com', password: PASSWORD };
    assert.equal(await accounts.setup.fromEnvironment(other), 'not needed');
  });

  test('comes from the environment also when only others are there', async (t) => {
    const { accounts, add, signIn } = await openFresh(t, engine);
    await add('ada@example.com', 'deployer');
    const boss = { email: 'boss@example.com', password: PASSWORD };
    assert.equal(await accounts.setup.fromEnvironment(boss), 'made');
    assert.equal((await signIn('boss@example.com')).account.role, 'administrator');
  });

  test('can come from the environment, which never touches an account that is there', async (t) => {
    const { accounts, signIn } = await openFresh(t, engine);
    await assert.rejects(
      accounts.setup.fromEnvironment({ email: 'boss@example.com', password: 'admin' }),
      code('invalid_request'),
    );
    assert.equal(
      await accounts.setup.fromEnvironment({ email: 'Boss@example.com', password: PASSWORD }),
      'made',
    );
    for (const email of ['boss@example.com', 'other@example.com'])
      assert.equal(
        await accounts.setup.fromEnvironment({ email, password: 'eight pears in a bowl' }),
        'not needed',
      );
    assert.equal((await signIn('boss@example.com')).account.role, 'administrator');
  });

  test('cannot be guessed: five wrong codes block the address', async (t) => {
    const { accounts } = await openFresh(t, engine);
    const right = await accounts.setup.prepare();
    for (let i = 0; i < 5; i += 1)
      await assert.rejects(
        accounts.setup.complete({ ...wanted, code: `aaaaa-bbbbb-ccccc-ddddd-eeee${'abcde'[i]}` }),
        code('bad_credentials'),
      );
    await assert.rejects(accounts.setup.complete({ ...wanted, code: right?.code ?? '' }), code('locked_out'));
  });
});

forEachEngine('API tokens', (engine) => {
  async function signedIn(
    opened: Opened,
    role: 'viewer' | 'deployer' | 'administrator',
    email = `${role}@example.com`,
  ): Promise<Principal> {
    await opened.add(email, role);
    return principalOf(opened, (await opened.signIn(email)).secret);
  }

  test('a token proves its account with its own role until it ends, only as a bearer', async (t) => {
    const opened = await openFresh(t, engine);
    const principal = await signedIn(opened, 'administrator');
    const { tokens } = opened.accounts;
    const { token, secret } = await tokens.create(
      principal,
      { name: 'pipeline', role: 'deployer', days: 30 },
      'test',
    );
    assert.equal(token.expiresAt, opened.clock.at + 30 * DAY);
    assert.deepEqual(await principalOf(opened, secret), {
      ...principal,
      role: 'deployer',
      via: 'token',
      tokenId: token.id,
    });
    assert.equal(await opened.accounts.principalOf(secret, 'cookie'), null);
    opened.clock.at = token.expiresAt;
    assert.equal(await opened.accounts.principalOf(secret, 'bearer'), null);
  });

  test('without more it is a viewer for ninety days', async (t) => {
    const opened = await openFresh(t, engine);
    const principal = await signedIn(opened, 'administrator');
    const { token } = await opened.accounts.tokens.create(
      principal,
      { name: 'x', role: null, days: null },
      'test',
    );
    assert.deepEqual([token.role, token.expiresAt - token.createdAt], ['viewer', 90 * DAY]);
  });

  test('what may not be is refused', async (t) => {
    const opened = await openFresh(t, engine);
    const principal = await signedIn(opened, 'deployer');
    const { tokens } = opened.accounts;
    const create = (wanted: object, by: Principal = principal) =>
      tokens.create(by, { name: 'x', role: null, days: null, ...wanted }, 'test');
    await assert.rejects(create({ role: 'administrator' }), code('forbidden'));
    for (const days of [0, -1, 366, 1.5, NaN])
      await assert.rejects(create({ days }), code('invalid_request'));
    await assert.rejects(create({ name: '' }), code('invalid_request'));
    const { secret } = await create({ role: 'deployer' });
    await assert.rejects(create({}, await principalOf(opened, secret)), code('forbidden'));
    await assert.rejects(tokens.list(principal, { all: true, limit: null, offset: 0 }), code('forbidden'));
  });

  test('a hundred living tokens are the most', async (t) => {
    const opened = await openFresh(t, engine);
    const principal = await signedIn(opened, 'viewer');
    const create = (days: number) =>
      opened.accounts.tokens.create(principal, { name: 'x', role: null, days }, 'test');
    await create(1);
    for (let i = 1; i < 100; i += 1) await create(365);
    await assert.rejects(create(1), code('conflict'));
    opened.clock.at += DAY;
    await create(1);
  });

  test('it is revoked by its owner or an administrator, and others are not told that it is there', async (t) => {
    const opened = await openFresh(t, engine);
    const { tokens } = opened.accounts;
    const ada = await signedIn(opened, 'deployer');
    const bob = await signedIn(opened, 'viewer');
    const boss = await signedIn(opened, 'administrator');
    const make = () => tokens.create(ada, { name: 'ci', role: 'viewer', days: null }, 'test');
    const [one, two] = [await make(), await make()];
    await assert.rejects(tokens.revoke(bob, one.token.id, 'test'), code('not_found'));
    await assert.rejects(tokens.revoke(ada, 'aaaaaaaaaaaaaaaa', 'test'), code('not_found'));
    await tokens.revoke(ada, one.token.id, 'test');
    await tokens.revoke(ada, one.token.id, 'test');
    await tokens.revoke(boss, two.token.id, 'test');
    for (const { secret } of [one, two])
      assert.equal(await opened.accounts.principalOf(secret, 'bearer'), null);
    const { items } = await opened.audit.list(
      { from: 0, to: opened.clock.at, action: 'token_revoke', actor: null, target: null },
      { limit: 9, offset: 0 },
    );
    assert.equal(items.length, 2);
    assert.equal((await tokens.list(bob, { all: false, limit: null, offset: 0 })).total, 0);
    assert.equal((await tokens.list(boss, { all: true, limit: 1, offset: 0 })).total, 2);
  });

  test('the last use is written down once a minute, and dead tokens stay listed for ninety days', async (t) => {
    const opened = await openFresh(t, engine);
    const { tokens, sweep } = opened.accounts;
    const ada = await signedIn(opened, 'viewer');
    const { secret, token } = await tokens.create(ada, { name: 'ci', role: null, days: 1 }, 'test');
    const listed = async () =>
      (await tokens.list(ada, { all: false, limit: null, offset: 0 })).items[0]?.token;
    assert.equal((await listed())?.usedAt, null);
    const start = opened.clock.at;
    await principalOf(opened, secret);
    opened.clock.at = start + 59_999;
    await principalOf(opened, secret);
    assert.equal((await listed())?.usedAt, start);
    opened.clock.at = start + 60_000;
    await principalOf(opened, secret);
    assert.equal((await listed())?.usedAt, start + 60_000);
    opened.clock.at = token.expiresAt + 90 * DAY;
    await sweep(opened.clock.at);
    assert.equal((await listed())?.id, token.id);
    opened.clock.at += 1;
    await sweep(opened.clock.at);
    assert.equal(await listed(), undefined);
  });

  test('only the hash of a token is kept', async (t) => {
    const opened = await openFresh(t, engine);
    const ada = await signedIn(opened, 'viewer');
    const { secret } = await opened.accounts.tokens.create(
      ada,
      { name: 'ci', role: null, days: null },
      'test',
    );
    const kept = JSON.stringify(await opened.store.read.selectFrom('tokens').selectAll().execute());
    for (const part of [secret, secret.slice(4, 20), Buffer.from(secret).toString('base64').slice(0, 20)])
      assert.ok(!kept.includes(part));
  });
});
