import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { challengeOf } from '../../src/accounts/index.ts';
import { openIdentityProvider } from '../../src/adapters/oidc/index.ts';
import { serve, type Served } from '../accounts/api.ts';
import { openProvider } from '../accounts/oidc-provider.ts';
import { PASSWORD } from '../accounts/open.ts';

const OURS = { 'sec-fetch-site': 'same-origin' };
const cookieIn = (headers: Headers): string => headers.get('set-cookie')?.split(';')[0] ?? '';

async function signedIn(served: Served, email = 'ada@example.com', password = PASSWORD) {
  const { status, body, headers } = await served.call('POST', '/session', { body: { email, password } });
  assert.equal(status, 200);
  return { token: body.token as string, cookie: cookieIn(headers), body };
}

suite('Sessions over HTTP', () => {
  test('signing in gives a cookie for browsers and a bearer for programs', async (t) => {
    const served = await serve(t);
    const id = await served.add('ada@example.com', 'deployer', 'Ada Lovelace');
    const { status, body, headers } = await served.call('POST', '/session', {
      body: { email: 'Ada@example.com', password: PASSWORD },
    });
    assert.equal(status, 200);
    assert.match(body.token, /^ipos_/);
    assert.equal(body.expires_at, '2026-10-02T00:00:00Z');
    assert.equal(body.account.role, 'deployer');
    assert.deepEqual(headers.getSetCookie(), [
      `__Host-ipo_session=${body.token}; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure`,
      `__Host-ipo_device=${body.device}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure`,
    ]);
    assert.equal(headers.get('cache-control'), 'no-store');
    for (const who of [{ as: body.token }, { headers: { cookie: cookieIn(headers) } }]) {
      const shown = await served.call('GET', '/session', who);
      assert.deepEqual(
        [
          shown.status,
          shown.body.account.id,
          shown.body.role,
          shown.body.via,
          shown.body.token_id,
          shown.body.expires_at,
        ],
        [200, id, 'deployer', 'session', null, '2026-10-02T00:00:00Z'],
      );
    }
    assert.ok(!/password_hash|argon2/.test(JSON.stringify(body)));
  });

  test('behind a proxy that is not trusted, wrong passwords of one lock nobody else, and the log says what to set', async (t) => {
    const served = await serve(t);
    await served.add('ada@example.com');
    await served.add('bob@example.com');
    const through = (from: string, more: object = {}) => ({ 'x-forwarded-for': from, ...more });
    const sign = (email: string, password: string, headers: Record<string, string>, device?: string) =>
      served.call('POST', '/session', {
        body: { email, password, ...(device !== undefined && { device }) },
        headers: { ...OURS, ...headers },
      });
    for (let i = 0; i < 5; i += 1)
      assert.equal((await sign('bob@example.com', 'wrong password', through('198.51.100.7'))).status, 401);
    const ada = await sign('ada@example.com', PASSWORD, through('192.0.2.1'));
    assert.equal(ada.status, 200);
    // Bob is locked for strangers, and not where he signed in before.
    assert.equal((await sign('bob@example.com', PASSWORD, through('192.0.2.2'))).status, 429);
    assert.equal(
      (await sign('bob@example.com', PASSWORD, through('192.0.2.2'), ada.body.device)).status,
      429,
    );
    served.clock.at += 60_000;
    const { body } = await sign('bob@example.com', PASSWORD, through('192.0.2.2'));
    for (let i = 0; i < 6; i += 1) await sign('bob@example.com', 'wrong password', through('198.51.100.7'));
    assert.equal((await sign('bob@example.com', PASSWORD, through('192.0.2.2'))).status, 429);
    const cookie = `__Host-ipo_device=${body.device}`;
    assert.equal((await sign('bob@example.com', PASSWORD, through('192.0.2.2', { cookie }))).status, 200);
    assert.equal((await sign('bob@example.com', PASSWORD, through('192.0.2.2'), body.device)).status, 200);
    const told = served.log.lines.filter(({ message }) => /proxy that is not trusted/.test(message));
    assert.deepEqual(
      told.map(({ level, keys }) => [level, keys['proxy'], /trustedProxies/.test(String(keys['hint']))]),
      [['warn', '127.0.0.1', true]],
    );
    const { items } = await served.audit.list(
      { from: 0, to: served.clock.at, action: 'sign_in_failed', actor: null, target: 'bob@example.com' },
      { limit: 1, offset: 0 },
    );
    assert.equal(items[0]?.detail?.['address' as never], 'via 127.0.0.1');
  });

  test('a caller who is not known yet may send no more than a sign-in needs', async (t) => {
    const served = await serve(t);
    for (const path of ['/session', '/session/password', '/setup', '/setup/check']) {
      const { status, body } = await served.call('POST', path, { body: { code: 'x'.repeat(20_000) } });
      assert.deepEqual([path, status, body.code], [path, 413, 'too_large']);
    }
  });

  test('on plain HTTP the cookie is not bound to HTTPS', async (t) => {
    const served = await serve(t, { https: false });
    await served.add('ada@example.com');
    const { cookie } = await signedIn(served);
    assert.match(cookie, /^ipo_session=ipos_/);
    assert.equal((await served.call('GET', '/session', { headers: { cookie } })).status, 200);
    assert.equal(
      (await served.call('GET', '/session', { headers: { cookie: `__Host-${cookie}` } })).status,
      401,
    );
  });

  test('a wrong sign-in is a problem document, and a locked one says when to come back', async (t) => {
    const served = await serve(t);
    await served.add('ada@example.com');
    const guess = { body: { email: 'ada@example.com', password: 'wrong' } };
    for (let i = 0; i < 5; i += 1) {
      const { status, body, headers } = await served.call('POST', '/session', guess);
      assert.deepEqual([status, body.code, headers.get('set-cookie')], [401, 'bad_credentials', null]);
      assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
    }
    const { status, body, headers } = await served.call('POST', '/session', guess);
    assert.deepEqual([status, body.code, headers.get('retry-after')], [429, 'locked_out', '60']);
  });

  const bodies: readonly (readonly [string, unknown, string])[] = [
    ['nothing in it', {}, 'email'],
    ['no password', { email: 'ada@example.com' }, 'password'],
    ['no verifier', { code: 'x' }, 'verifier'],
    ['both ways at once', { email: 'a@b.c', password: 'x', code: 'x', verifier: 'v'.repeat(43) }, ''],
    ['a field that nobody knows', { email: 'a@b.c', password: 'x', remember: true }, 'remember'],
    ['a list for an address', { email: [], password: 'x' }, 'email'],
    ['a password of ten thousand letters', { email: 'a@b.c', password: 'x'.repeat(10_000) }, 'password'],
  ];
  for (const [what, body, path] of bodies)
    test(`a body with ${what} is refused with the path, and hashes nothing`, async (t) => {
      const served = await serve(t);
      const answer = await served.call('POST', '/session', { body });
      assert.deepEqual(
        [answer.status, answer.body.code, answer.body.errors?.[0]?.path],
        [400, 'invalid_request', path],
      );
      assert.equal(served.hashes.runs, 0);
      assert.ok(!answer.text.includes('xxxxx'));
    });

  test('signing out takes the session and the cookie away; a token is revoked instead', async (t) => {
    const served = await serve(t);
    await served.add('ada@example.com');
    const { token, cookie } = await signedIn(served);
    const { body } = await served.call('POST', '/tokens', { as: token, body: { name: 'ci' } });
    assert.equal((await served.call('DELETE', '/session', { as: body.token })).status, 409);
    const out = await served.call('DELETE', '/session', { headers: { cookie, ...OURS } });
    assert.equal(out.status, 204);
    assert.match(out.headers.get('set-cookie') ?? '', /^__Host-ipo_session=; Path=\/; Max-Age=0;/);
    assert.equal((await served.call('GET', '/session', { as: token })).status, 401);
  });

  test('a page of another site can do nothing with the cookie, and cannot sign anybody in', async (t) => {
    const served = await serve(t);
    await served.add('ada@example.com', 'administrator');
    const { cookie, token } = await signedIn(served);
    const unsafe: readonly (readonly [string, string, unknown])[] = [
      ['DELETE', '/session', undefined],
      ['PUT', '/session/password', { current: PASSWORD, password: 'eight pears in a bowl' }],
      ['POST', '/tokens', { name: 'ci' }],
      ['POST', '/accounts', { email: 'eve@example.com', role: 'administrator' }],
    ];
    const shapes: readonly Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'https://ipo.example.com' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://ipo.example.com' },
      { referer: 'https://ipo.example.com/' },
      { 'sec-fetch-site': 'cross-site', origin: 'https://ipo.example.com' },
    ];
    for (const [method, path, body] of unsafe)
      for (const headers of shapes)
        assert.equal(
          (await served.call(method, path, { body, headers: { cookie, ...headers } })).status,
          403,
          `${method} ${path} ${JSON.stringify(headers)}`,
        );
    const evil = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    assert.equal(
      (
        await served.call('POST', '/session', {
          body: { email: 'ada@example.com', password: PASSWORD },
          headers: evil,
        })
      ).status,
      403,
    );
    assert.equal(
      (
        await served.call('POST', '/tokens', {
          body: { name: 'ci' },
          headers: { cookie, origin: 'https://ipo.example.com' },
        })
      ).status,
      201,
    );
    assert.equal(
      (await served.call('POST', '/tokens', { as: token, body: { name: 'ci' }, headers: evil })).status,
      201,
    );
  });

  test("one's own password is changed with the current one, and every other session ends", async (t) => {
    const served = await serve(t);
    await served.add('ada@example.com');
    const { token } = await signedIn(served);
    const change = (current: string, password: string) =>
      served.call('PUT', '/session/password', { as: token, body: { current, password } });
    assert.equal((await change('wrong', 'eight pears in a bowl')).body.code, 'bad_credentials');
    const obvious = await change(PASSWORD, 'password1234');
    assert.deepEqual([obvious.status, obvious.body.errors[0].path], [400, 'password']);
    const changed = await change(PASSWORD, 'eight pears in a bowl');
    assert.equal(changed.status, 200);
    assert.equal((await served.call('GET', '/session', { as: token })).status, 401);
    assert.equal((await served.call('GET', '/session', { as: changed.body.token })).status, 200);
  });

  test('the first administrator is set up with the code of the start, once', async (t) => {
    const served = await serve(t);
    const prepared = await served.accounts.setup.prepare();
    const body = { code: prepared?.code, email: 'boss@example.com', name: 'The Boss', password: PASSWORD };
    assert.equal((await served.call('POST', '/setup', { body: { ...body, code: 'aaaaa' } })).status, 401);
    const done = await served.call('POST', '/setup', { body });
    assert.deepEqual([done.status, done.body.account.role], [201, 'administrator']);
    assert.equal((await served.call('GET', '/accounts', { as: done.body.token })).body.total, 1);
    assert.equal((await served.call('POST', '/setup', { body })).status, 409);
  });

  test('a setup code can be checked before it is used, and wrong ones lock their address out', async (t) => {
    const served = await serve(t);
    const prepared = await served.accounts.setup.prepare();
    const check = (code: unknown) => served.call('POST', '/setup/check', { body: { code } });
    const wrong = await check('rqewi-cdckm-gz3xv-2nhbl-dtm6z');
    assert.deepEqual([wrong.status, wrong.body.code], [401, 'bad_credentials']);
    assert.match(wrong.body.hint, /log of the service/);
    // A right one is not used up, however often it is checked.
    for (let n = 0; n < 3; n += 1) assert.equal((await check(prepared?.code)).status, 204);
    assert.equal((await check(`${prepared?.code}x`)).status, 401);
    const body = { code: prepared?.code, email: 'boss@example.com', password: PASSWORD };
    for (let n = 0; n < 3; n += 1) await check('aaaaa');
    const locked = await check(prepared?.code);
    assert.deepEqual([locked.status, locked.body.code], [429, 'locked_out']);
    assert.equal((await served.call('POST', '/setup', { body })).status, 429, 'they count together');
    served.clock.at += 15 * 60_000;
    assert.equal((await served.call('POST', '/setup', { body })).status, 201);
    assert.deepEqual(
      [(await check(prepared?.code)).status, (await check('x'.repeat(101))).status],
      [409, 400],
    );
  });

  test('no secret stands in the log, in an answer of a fault, or in the audit log', async (t) => {
    const served = await serve(t);
    await served.add('ada@example.com', 'administrator');
    const { token } = await signedIn(served);
    const canary = 'canary-in-a-password-4711';
    await served.call('POST', '/session', { body: { email: canary, password: canary } });
    await served.call('PUT', '/session/password', { as: token, body: { current: canary, password: canary } });
    const made = (await served.call('POST', '/tokens', { as: token, body: { name: 'ci' } })).body.token;
    await served.call('GET', `/session?token=${made}`, { as: made });
    const audit = (await served.call('GET', '/audit', { as: token })).text;
    const logged = JSON.stringify(served.log.lines, (_key, value: unknown) =>
      value instanceof Error ? [value.message, value.stack] : value,
    );
    for (const secret of [canary, token, made])
      for (const text of [audit, logged]) assert.ok(!text.includes(secret));
  });
});

suite('Sessions by the identity provider over HTTP', () => {
  async function serveOidc(t: Parameters<typeof serve>[0]) {
    const provider = await openProvider(t);
    const { issuer, clientId, clientSecret } = provider;
    const options = {
      issuer,
      clientId,
      clientSecret,
      redirectUri: 'https://ipo.example.com/api/v1/session/oidc/callback',
      scopes: ['openid', 'email'],
    };
    const served = await serve(t, {
      oidc: {
        provider: openIdentityProvider({ ...options, clock: { now: () => Date.now() } }),
        rules: { roles: { claim: null, values: {}, standard: 'viewer' }, trustEmail: false },
      },
    });
    return {
      ...served,
      provider,
      enter: async (challenge = '') => {
        const begun = await served.call(
          'GET',
          `/session/oidc${challenge === '' ? '' : `?challenge=${challenge}`}`,
          { headers: { accept: 'text/html' } },
        );
        assert.equal(begun.status, 302);
        const back = await provider.visit(begun.headers.get('location') ?? '');
        return { begun, path: `/session/oidc/callback${back.search}`, cookie: cookieIn(begun.headers) };
      },
    };
  }

  test('a browser goes to the provider and comes back signed in', async (t) => {
    const served = await serveOidc(t);
    const { begun, path, cookie } = await served.enter();
    assert.match(
      begun.headers.get('set-cookie') ?? '',
      /^__Host-ipo_oidc=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    const done = await served.call('GET', path, { headers: { cookie, accept: 'text/html' } });
    assert.equal(done.status, 200);
    assert.match(done.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(done.text, /Signed in as Ada Lovelace/);
    assert.equal(
      (await served.call('GET', '/session', { headers: { cookie: cookieIn(done.headers) } })).body.account
        .email,
      'ada@example.com',
    );
  });

  test('a browser that did not begin it, or comes a second time, is refused', async (t) => {
    const served = await serveOidc(t);
    const { path, cookie } = await served.enter();
    assert.equal((await served.call('GET', path)).body.code, 'bad_credentials');
    assert.equal((await served.call('GET', `${path}&state=other`, { headers: { cookie } })).status, 400);
    assert.equal((await served.call('GET', `${path}&x=1&x=2`, { headers: { cookie } })).status, 200);
    assert.equal((await served.call('GET', path, { headers: { cookie } })).status, 401);
  });

  test('the page for the command line shows a code and no session, and escapes who it is', async (t) => {
    const served = await serveOidc(t);
    served.provider.person = { ...served.provider.person, name: '<script>alert(1)</script>' };
    const verifier = 'v'.repeat(50);
    const { path, cookie } = await served.enter(challengeOf(verifier));
    const done = await served.call('GET', path, { headers: { cookie } });
    assert.ok(!done.text.includes('<script'));
    assert.match(done.headers.get('set-cookie') ?? '', /^__Host-ipo_oidc=; /);
    const [code = ''] = /([a-z2-7]{5}-){4}[a-z2-7]{5}/.exec(done.text) ?? [];
    const { status, body } = await served.call('POST', '/session', { body: { code, verifier } });
    assert.equal(status, 200);
    assert.equal((await served.call('GET', '/session', { as: body.token })).status, 200);
  });

  test('without a provider there is no such sign-in', async (t) => {
    const served = await serve(t);
    for (const path of ['/session/oidc', '/session/oidc/callback?code=x&state=y'])
      assert.deepEqual([(await served.call('GET', path)).status], [404], path);
  });
});
