import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { serve } from '../accounts/api.ts';

suite('Tokens over HTTP', () => {
  test('a token is told once, works as a bearer, and is listed without its secret', async (t) => {
    const served = await serve(t);
    await served.add('ada@example.com', 'deployer', 'Ada');
    const { secret } = await served.signIn('ada@example.com');
    const created = await served.call('POST', '/tokens', {
      as: secret,
      body: { name: 'nightly build', role: 'deployer', days: 7 },
    });
    assert.equal(created.status, 201);
    const { token, ...rest } = created.body;
    assert.match(token, /^ipo_[0-9A-Za-z]{49}$/);
    assert.deepEqual(
      [rest.name, rest.role, rest.state, rest.expires_at, rest.account.name],
      ['nightly build', 'deployer', 'active', '2026-10-08T12:00:00Z', 'Ada'],
    );
    const shown = await served.call('GET', '/session', { as: token });
    assert.deepEqual(
      [shown.body.via, shown.body.token_id, shown.body.role, shown.body.expires_at],
      ['token', rest.id, 'deployer', '2026-10-08T12:00:00Z'],
    );
    const list = await served.call('GET', '/tokens', { as: token });
    assert.deepEqual([list.body.total, list.body.items[0].used_at], [1, '2026-10-01T12:00:00Z']);
    assert.ok(!list.text.includes(token));
    assert.equal(
      (await served.call('GET', '/session', { headers: { cookie: `__Host-ipo_session=${token}` } })).status,
      401,
    );
  });

  test('revoked, expired and disabled tokens are listed as such and prove nothing', async (t) => {
    const served = await serve(t);
    await served.add('boss@example.com', 'administrator');
    const { secret } = await served.signIn('boss@example.com');
    const make = async (days: number) =>
      (await served.call('POST', '/tokens', { as: secret, body: { name: `for ${days}`, days } })).body;
    const [one, two] = [await make(1), await make(2)];
    assert.equal((await served.call('DELETE', `/tokens/${two.id}`, { as: secret })).status, 204);
    assert.equal((await served.call('DELETE', `/tokens/${two.id}`, { as: secret })).status, 204);
    served.clock.at += 86_400_000;
    for (const { token } of [one, two])
      assert.equal((await served.call('GET', '/tokens', { as: token })).status, 401);
    const again = (await served.signIn('boss@example.com')).secret;
    const { body } = await served.call('GET', '/tokens?limit=10', { as: again });
    assert.deepEqual(
      body.items.map(({ name, state }: { name: string; state: string }) => `${name} ${state}`).toSorted(),
      ['for 1 expired', 'for 2 revoked'],
    );
  });

  test('what may not be is refused with what is wrong', async (t) => {
    const served = await serve(t);
    await served.add('ada@example.com', 'deployer');
    const { secret } = await served.signIn('ada@example.com');
    const create = async (body: object, as = secret) => {
      const answer = await served.call('POST', '/tokens', { as, body });
      return [answer.status, answer.body.code, answer.body.errors?.[0]?.path];
    };
    assert.deepEqual(await create({}), [400, 'invalid_request', 'name']);
    assert.deepEqual(await create({ name: 'x', days: 366 }), [400, 'invalid_request', 'days']);
    assert.deepEqual(await create({ name: 'x', days: 1.5 }), [400, 'invalid_request', 'days']);
    assert.deepEqual(await create({ name: 'x', role: 'administrator' }), [403, 'forbidden', undefined]);
    const { body } = await served.call('POST', '/tokens', { as: secret, body: { name: 'x' } });
    assert.deepEqual(await create({ name: 'y' }, body.token), [403, 'forbidden', undefined]);
    assert.equal((await served.call('GET', '/tokens?all=true', { as: secret })).status, 403);
    assert.equal((await served.call('GET', '/tokens?all=yes', { as: secret })).status, 400);
    assert.equal((await served.call('DELETE', '/tokens/aaaaaaaaaaaaaaaa', { as: secret })).status, 404);
  });

  test('an administrator sees and revokes those of everybody', async (t) => {
    const served = await serve(t);
    await served.add('ada@example.com', 'viewer', 'Ada');
    await served.add('boss@example.com', 'administrator');
    const ada = (await served.signIn('ada@example.com')).secret;
    const boss = (await served.signIn('boss@example.com')).secret;
    const { body } = await served.call('POST', '/tokens', { as: ada, body: { name: 'x' } });
    assert.equal((await served.call('GET', '/tokens', { as: boss })).body.total, 0);
    assert.equal(
      (await served.call('GET', '/tokens?all=true', { as: boss })).body.items[0].account.name,
      'Ada',
    );
    assert.equal((await served.call('DELETE', `/tokens/${body.id}`, { as: boss })).status, 204);
    assert.equal((await served.call('GET', '/session', { as: body.token })).status, 401);
  });
});
