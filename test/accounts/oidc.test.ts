import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import type { IdentityProvider, OidcRules, Role } from '../../src/accounts/index.ts';
import { challengeOf } from '../../src/accounts/index.ts';
import { openIdentityProvider } from '../../src/adapters/oidc/index.ts';
import { forEachEngine, type TestEngine } from '../store/engines.ts';
import { openProvider, type Provider, type Twist } from './oidc-provider.ts';
import { code, openOn, type Opened } from './open.ts';

const CALLBACK = 'http://127.0.0.1:9/api/v1/session/oidc/callback';
const clock = { now: () => Date.now() };

function client(provider: Provider, options: object = {}): IdentityProvider {
  const { issuer, clientId, clientSecret } = provider;
  return openIdentityProvider({
    issuer,
    clientId,
    clientSecret,
    redirectUri: CALLBACK,
    scopes: ['openid', 'email', 'profile'],
    clock,
    ...options,
  });
}

/** Signs in at the provider and gives who it was. */
async function identity(provider: Provider, at = client(provider)) {
  const { url, flow } = await at.begin();
  return at.finish((await provider.visit(url)).search, flow);
}

suite('A sign-in at an identity provider', () => {
  for (const alg of ['RS256', 'ES256'] as const)
    test(`is proved by a token signed with ${alg}`, async (t) => {
      const provider = await openProvider(t);
      provider.twist = { alg };
      const { issuer, subject, email, emailVerified, name } = await identity(provider);
      assert.deepEqual(
        [issuer, subject, email, emailVerified, name],
        [provider.issuer, 'ada', 'ada@example.com', true, 'Ada Lovelace'],
      );
    });

  const now = Math.floor(Date.now() / 1000);
  const refused: readonly (readonly [string, Twist])[] = [
    ['another nonce', { claims: { nonce: 'x'.repeat(43) } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['another audience', { claims: { aud: 'other' } }],
    ['several audiences and another authorised party', { claims: { aud: ['ipo', 'other'], azp: 'other' } }],
    ['an end that has passed', { claims: { iat: now - 900, exp: now - 60 } }],
    ['no end', { claims: { exp: undefined } }],
    ['a start that has not come', { claims: { nbf: now + 120 } }],
    ['no subject', { claims: { sub: undefined } }],
    ['no signature (alg none)', { alg: 'none' }],
    ['a signature made with the public key as a password (HS256)', { alg: 'HS256' }],
    ['the signature of another key', { foreignKey: true }],
    [
      'claims changed after the signature',
      {
        token: (token) =>
          token.replace(
            /\.[^.]+\./,
            (body) =>
              `.${Buffer.from(Buffer.from(body, 'base64url').toString().replace('ada@', 'eve@')).toString('base64url')}.`,
          ),
      },
    ],
    ['no signature left', { token: (token) => token.replace(/[^.]+$/, '') }],
    ['no token at all', { token: () => 'x' }],
  ];
  for (const [what, twist] of refused)
    test(`is not proved by a token with ${what}`, async (t) => {
      const provider = await openProvider(t);
      provider.twist = twist;
      await assert.rejects(identity(provider), code('bad_credentials'));
    });

  test('takes a provider whose clock is a little off', async (t) => {
    const provider = await openProvider(t);
    provider.twist = { claims: { iat: now + 20, nbf: now + 20, exp: now + 320 } };
    assert.equal((await identity(provider)).subject, 'ada');
  });

  test('is not proved with another state, another verifier, or a second time', async (t) => {
    const provider = await openProvider(t);
    const at = client(provider);
    const begin = async () => {
      const { url, flow } = await at.begin();
      return { query: (await provider.visit(url)).search, flow };
    };
    const one = await begin();
    const other = await begin();
    await assert.rejects(at.finish(one.query, other.flow), code('bad_credentials'));
    await assert.rejects(
      at.finish(one.query, { ...one.flow, verifier: other.flow.verifier }),
      code('bad_credentials'),
    );
    await at.finish(other.query, other.flow);
    await assert.rejects(at.finish(other.query, other.flow), code('bad_credentials'));
    const third = await begin();
    for (const query of [
      '',
      '?',
      '?code=x',
      `?state=${third.flow.state}`,
      `${third.query}&code=y`,
      `?error=access_denied&state=${third.flow.state}`,
      `?code=${'x'.repeat(9000)}`,
    ])
      await assert.rejects(at.finish(query, third.flow), code('bad_credentials'), query);
  });

  test('asks every time with another state, nonce and challenge', async (t) => {
    const at = client(await openProvider(t));
    const urls = await Promise.all([at.begin(), at.begin()]);
    for (const name of ['state', 'nonce', 'code_challenge']) {
      const values = urls.map(({ url }) => new URL(url).searchParams.get(name));
      assert.ok(values[0] !== values[1] && (values[0]?.length ?? 0) >= 43, name);
    }
    assert.ok(!urls[0].url.includes(urls[0].flow.verifier));
  });

  test('reads the description once, and again after a fault or an hour', async (t) => {
    const provider = await openProvider(t);
    const time = { at: 0, now: () => time.at };
    const at = client(provider, { clock: time });
    const asked = () => provider.asked.get('/.well-known/openid-configuration');
    provider.twist = { discovery: (response) => response.writeHead(503).end() };
    await assert.rejects(at.begin(), code('unavailable'));
    provider.twist = {};
    await at.begin();
    await at.begin();
    assert.equal(asked(), 2);
    time.at = 3_600_001;
    await at.begin();
    assert.equal(asked(), 3);
  });

  const broken: readonly (readonly [string, Twist])[] = [
    [
      'a description that is no JSON',
      {
        discovery: (response) =>
          response.writeHead(200, { 'content-type': 'application/json' }).end('<html>'),
      },
    ],
    ['a description of another issuer', { issuer: 'https://evil.example' }],
    ['a redirect', { discovery: (response) => response.writeHead(302, { location: '/other' }).end() }],
    [
      'a description without an end',
      {
        discovery: (response) =>
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(`{"x":"${'x'.repeat(1_100_000)}"}`),
      },
    ],
    ['a fault of the token endpoint', { answer: (response) => response.writeHead(500).end() }],
    [
      'a token endpoint that does not know this service',
      {
        answer: (response) =>
          response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}'),
      },
    ],
  ];
  for (const [what, twist] of broken)
    test(`is put off by ${what}`, async (t) => {
      const provider = await openProvider(t);
      provider.twist = twist;
      await assert.rejects(identity(provider), (error: Error & { retryAfter?: number }) => {
        assert.equal(error.retryAfter, 10);
        assert.doesNotMatch(error.message, /html|secret/);
        return code('unavailable')(error);
      });
    });

  test('is put off when nobody answers, and by plain HTTP from another machine', async (t) => {
    const provider = await openProvider(t);
    await assert.rejects(client(provider, { issuer: 'http://127.0.0.1:9' }).begin(), code('unavailable'));
    await assert.rejects(
      client(provider, { issuer: 'http://id.example.invalid' }).begin(),
      code('unavailable'),
    );
  });

  test("takes from the user endpoint what the token does not say, and the token's word first", async (t) => {
    const provider = await openProvider(t);
    provider.person = { sub: 'ada', name: 'Ada' };
    provider.twist = {
      userinfo: { email: 'ada@example.com', email_verified: 'true', name: 'Eve', groups: ['ops'] },
    };
    const { email, emailVerified, name, claims } = await identity(provider);
    assert.deepEqual(
      [email, emailVerified, name, claims['groups']],
      ['ada@example.com', true, 'Ada', ['ops']],
    );
    provider.twist = { userinfo: { sub: 'eve', email: 'ada@example.com' } };
    await assert.rejects(identity(provider), code('bad_credentials'));
  });

  test("one source's word about verification says nothing of another's address", async (t) => {
    const provider = await openProvider(t);
    const mine = { email: 'mal@example.com', email_verified: true };
    for (const [token, userinfo, wanted] of [
      [{ email: 'ada@example.com' }, mine, ['mal@example.com', true]],
      [{ email_verified: true }, { email: 'ada@example.com' }, ['ada@example.com', false]],
      [{ email: 'ada@example.com' }, { email_verified: true }, ['ada@example.com', false]],
      [{ email: 'ada@example.com', email_verified: false }, mine, ['ada@example.com', false]],
    ] as const) {
      provider.person = { sub: 'ada', ...token };
      provider.twist = { userinfo };
      const { email, emailVerified } = await identity(provider);
      assert.deepEqual([email, emailVerified], wanted);
    }
  });
});

forEachEngine('Accounts by the identity provider', (engine) => {
  const OPEN: OidcRules = { roles: { claim: null, values: {}, standard: 'viewer' }, trustEmail: false };
  const MAPPED: OidcRules = {
    roles: { claim: 'groups', values: { ops: 'administrator', dev: 'deployer' }, standard: null },
    trustEmail: false,
  };

  async function open(
    t: TestContext,
    on: TestEngine,
    rules = OPEN,
  ): Promise<
    Opened & {
      provider: Provider;
      enter(challenge?: string): ReturnType<NonNullable<Opened['accounts']['oidc']>['finish']>;
    }
  > {
    const provider = await openProvider(t);
    const opened = openOn(await on.open(t), { oidc: { provider: client(provider), rules } });
    const { oidc } = opened.accounts;
    assert.ok(oidc);
    return {
      ...opened,
      provider,
      enter: async (challenge) => {
        const { url, cookie } = await oidc.begin(challenge ?? null);
        const query = (await provider.visit(url)).search;
        return oidc.finish({
          query,
          cookie,
          address: '192.0.2.1',
          path: 'GET /api/v1/session/oidc/callback',
        });
      },
    };
  }

  test('a new person gets an account, and the same one the next time, whatever the address is by then', async (t) => {
    const { accounts, enter, provider } = await open(t, engine);
    provider.person = { ...provider.person, picture: 'https://example.com/ada.png' };
    const first = await enter();
    assert.deepEqual(
      [first.account.email, first.account.name, first.account.role, first.account.avatar],
      ['ada@example.com', 'Ada Lovelace', 'viewer', 'https://example.com/ada.png'],
    );
    assert.equal(
      (await accounts.principalOf(first.session?.secret ?? '', 'cookie'))?.accountId,
      first.account.id,
    );
    provider.person = { sub: 'ada', email: 'ada@elsewhere.example', email_verified: false };
    assert.equal((await enter()).account.id, first.account.id);
  });

  test('an account with the same verified address is linked and keeps its password and role', async (t) => {
    const { add, enter, signIn } = await open(t, engine);
    const id = await add('ada@example.com', 'deployer');
    const { account } = await enter();
    assert.deepEqual([account.id, account.role], [id, 'deployer']);
    await signIn('ada@example.com');
  });

  test('an address that is not verified links and makes nothing, unless it is trusted', async (t) => {
    for (const [rules, taken] of [
      [OPEN, false],
      [{ ...OPEN, trustEmail: true }, true],
    ] as const) {
      const { add, enter, provider } = await open(t, engine, rules);
      await add('ada@example.com', 'administrator');
      for (const person of [
        { sub: 'eve', email: 'ada@example.com' },
        { sub: 'mal', email: 'new@example.com', email_verified: false },
      ]) {
        provider.person = person;
        if (taken) await enter();
        else await assert.rejects(enter(), code('forbidden'));
      }
    }
  });

  test('an account that is linked to one identity is not given to another of the same address', async (t) => {
    const { enter, provider } = await open(t, engine);
    await enter();
    provider.person = { ...provider.person, sub: 'eve' };
    await assert.rejects(enter(), code('conflict'));
  });

  test('without an address, or with one that is none, no account has the ID', async (t) => {
    const { enter, provider } = await open(t, engine);
    provider.person = { sub: 'x' };
    await assert.rejects(enter(), code('forbidden'));
    provider.person = { sub: 'x', email: 'not an address', email_verified: true };
    await assert.rejects(enter(), code('forbidden'));
  });

  test('a name that would deceive is left out', async (t) => {
    const { enter, provider } = await open(t, engine);
    provider.person = { ...provider.person, name: 'user:abcdefghijklmnop' };
    assert.equal((await enter()).account.name, null);
  });

  test('the role follows the claim at every sign-in, and another role ends the sessions before', async (t) => {
    const { accounts, add, enter, provider } = await open(t, engine, MAPPED);
    await add('boss@example.com', 'administrator');
    const as = async (groups: unknown): Promise<[Role, string]> => {
      provider.person = { ...provider.person, groups };
      const { account, session } = await enter();
      return [account.role, session?.secret ?? ''];
    };
    const [first, secret] = await as(['dev']);
    assert.equal(first, 'deployer');
    const [again, second] = await as(['dev', 'all']);
    assert.equal(again, 'deployer');
    for (const each of [secret, second]) assert.ok(await accounts.principalOf(each, 'cookie'));
    const [raised, third] = await as(['dev', 'ops']);
    assert.equal(raised, 'administrator');
    for (const each of [secret, second]) assert.equal(await accounts.principalOf(each, 'cookie'), null);
    assert.equal((await accounts.principalOf(third, 'cookie'))?.role, 'administrator');
    await assert.rejects(as([]), code('forbidden'));
    assert.equal((await as('dev'))[0], 'deployer');
  });

  test('the last enabled administrator keeps the role whatever the claim says', async (t) => {
    const { enter, provider } = await open(t, engine, MAPPED);
    provider.person = { ...provider.person, groups: ['ops'] };
    await enter();
    provider.person = { ...provider.person, groups: ['dev'] };
    assert.equal((await enter()).account.role, 'administrator');
  });

  test('a disabled account stays out, linked or not', async (t) => {
    const { accounts, add, enter, store } = await open(t, engine);
    await add('boss@example.com', 'administrator');
    const { account } = await enter();
    await accounts.life.update({ by: null, path: null }, account.id, { enabled: false });
    await assert.rejects(enter(), code('forbidden'));
    await store.write(async (transaction) => {
      await transaction
        .updateTable('accounts')
        .set({ oidc_subject: null })
        .where('id', '=', account.id)
        .execute();
    });
    await assert.rejects(enter(), code('forbidden'));
  });

  test('a browser that did not begin the sign-in cannot finish it', async (t) => {
    const { accounts, provider } = await open(t, engine);
    const { oidc } = accounts;
    assert.ok(oidc);
    const { url } = await oidc.begin(null);
    const other = await oidc.begin(null);
    const query = (await provider.visit(url)).search;
    const cookies = [
      null,
      '',
      'x',
      Buffer.from('[]').toString('base64url'),
      Buffer.from('["a","b","c",null]').toString('base64url'),
      other.cookie,
    ];
    for (const [i, cookie] of cookies.entries())
      await assert.rejects(
        oidc.finish({ query, cookie, address: `192.0.2.${i}`, path: 'test' }),
        code('bad_credentials'),
      );
  });

  test('what fails is in the audit log, and what succeeds too', async (t) => {
    const { audit, clock: time, enter, provider } = await open(t, engine);
    await enter();
    provider.twist = { alg: 'none' };
    await assert.rejects(enter(), code('bad_credentials'));
    const { items } = await audit.list(
      { from: 0, to: time.at, action: null, actor: null, target: null },
      { limit: 9, offset: 0 },
    );
    assert.deepEqual(
      items.map(({ action }) => action),
      ['sign_in_failed', 'sign_in', 'account_create'],
    );
    assert.equal(items[0]?.detail?.['reason'], 'oidc');
  });

  test('who comes back with nothing again and again is held off, and fills neither the log nor the provider', async (t) => {
    const { accounts, audit, clock: time, enter, provider, signIn, add } = await open(t, engine);
    await add('boss@example.com', 'administrator');
    const { oidc } = accounts;
    assert.ok(oidc);
    const { cookie } = await oidc.begin(null);
    const [state = ''] = JSON.parse(Buffer.from(cookie, 'base64url').toString()) as string[];
    const back = (address: string) =>
      oidc.finish({ query: `?code=x&state=${state}`, cookie, address, path: 'test' });
    const tokenCalls = () => provider.asked.get('/token') ?? 0;
    const codes = await Promise.all(
      Array.from({ length: 40 }, () =>
        back('192.0.2.1').then(
          () => 'in',
          (error: { code?: string }) => error.code,
        ),
      ),
    );
    assert.equal(codes.filter((one) => one === 'bad_credentials').length, 5);
    assert.equal(codes.filter((one) => one === 'locked_out').length, 35);
    const failed = { from: 0, to: time.at, action: 'sign_in_failed', actor: null, target: null } as const;
    assert.equal((await audit.list(failed, { limit: 99, offset: 0 })).total, 5);
    assert.equal(tokenCalls(), 5);
    await assert.rejects(enter(), code('locked_out'));
    await signIn('boss@example.com'); // from the same address, by password
    await assert.rejects(back('192.0.2.2'), code('bad_credentials'));
    time.at += 60_000;
    await enter();
    await enter(); // a success forgives
  });

  test('a provider that does not answer is not held against who signs in', async (t) => {
    const { enter, provider } = await open(t, engine);
    provider.twist = { answer: (response) => response.writeHead(500).end() };
    for (let i = 0; i < 8; i += 1) await assert.rejects(enter(), code('unavailable'));
    provider.twist = {};
    await enter();
  });

  test('a sign-in that the command line began ends with a code, which only that command can use, once', async (t) => {
    const { accounts, clock: time, enter, store } = await open(t, engine);
    const verifier = 'v'.repeat(43);
    const { account, session, code: issued } = await enter(challengeOf(verifier));
    assert.equal(session, null);
    assert.ok(issued);
    assert.equal((await store.read.selectFrom('sessions').selectAll().execute()).length, 0);
    const use = (text: string, proof: string) =>
      accounts.signIn.withCode({ code: text, verifier: proof, address: '192.0.2.1', path: 'test' });
    const { secret } = await use(issued.code.toUpperCase(), verifier);
    assert.equal((await accounts.principalOf(secret, 'bearer'))?.accountId, account.id);
    await assert.rejects(use(issued.code, verifier), code('bad_credentials'));
    const stolen = (await enter(challengeOf(verifier))).code?.code ?? '';
    await assert.rejects(use(stolen, 'w'.repeat(43)), code('bad_credentials'));
    const late = (await enter(challengeOf(verifier))).code;
    time.at = late?.expiresAt ?? 0;
    await assert.rejects(use(late?.code ?? '', verifier), code('bad_credentials'));
    const purpose = (await accounts.life.issueCode({ by: null, path: null }, account.id)).code;
    await assert.rejects(use(purpose, verifier), code('bad_credentials'));
  });
});
