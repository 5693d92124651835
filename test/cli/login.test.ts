import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { readServiceConfig } from '../../bin/service/config.ts';
import { openIdentityProvider } from '../../src/adapters/oidc/index.ts';
import { serve } from '../accounts/api.ts';
import { openShell } from '../accounts/cli.ts';
import { openProvider } from '../accounts/oidc-provider.ts';
import { PASSWORD } from '../accounts/open.ts';

async function open(t: TestContext) {
  const served = await serve(t, { https: false });
  const shell = openShell(t);
  return { ...served, ...shell, kept: () => readServiceConfig(shell.env).servers[served.url]?.token ?? null };
}

suite('ipo login, logout and whoami', () => {
  test('a person is asked, and stays signed in until logout', async (t) => {
    const { accounts, add, ipo, kept, url } = await open(t);
    await add('ada@example.com', 'deployer', 'Ada Lovelace');
    const login = await ipo(['login', url], {
      answers: [
        [/E-mail address/, 'Ada@example.com'],
        [/Password/, PASSWORD],
      ],
    });
    assert.equal(login.code, 0, login.err);
    assert.equal(login.out, '');
    assert.match(login.err, /signed in to http:\S+ as Ada Lovelace \(deployer\), until 2026-10-02 00:00 UTC/);
    assert.ok(!login.err.includes(PASSWORD));
    const secret = kept() ?? '';
    assert.ok(await accounts.principalOf(secret, 'bearer'));
    const whoami = await ipo(['whoami']);
    assert.deepEqual(whoami, {
      code: 0,
      out: `Ada Lovelace <ada@example.com>, deployer at ${url}, by a session until 2026-10-02 00:00 UTC\n`,
      err: '',
    });
    const json = JSON.parse((await ipo(['whoami', '-o', 'json'])).out);
    assert.equal(json.account.email, 'ada@example.com');
    assert.match((await ipo(['whoami', '-o', 'yaml'])).out, /^account:\n {2}id: /);
    const logout = await ipo(['logout']);
    assert.deepEqual([logout.code, logout.err], [0, `ipo: signed out of ${url}\n`]);
    assert.equal(kept(), null);
    assert.equal(await accounts.principalOf(secret, 'bearer'), null);
    assert.equal((await ipo(['whoami'])).code, 2);
    assert.match((await ipo(['logout', url])).err, /not signed in/);
  });

  test('a script gives the password on stdin', async (t) => {
    const { add, ipo, kept, url } = await open(t);
    await add('ada@example.com');
    const { code, err } = await ipo(['login', url, '--email', 'ada@example.com', '--password-stdin'], {
      stdin: `${PASSWORD}\n`,
    });
    assert.equal(code, 0, err);
    assert.match(kept() ?? '', /^ipos_/);
    assert.equal(
      (await ipo(['login', url, '--email', 'ada@example.com', '--password-stdin', '-q'], { stdin: PASSWORD }))
        .err,
      '',
    );
  });

  const wrong: readonly (readonly [string, readonly string[], string, number, RegExp])[] = [
    ['no terminal to ask at', [], '', 2, /needs an answer, and stdin is not a terminal\n.*--password-stdin/],
    ['no address beside the password', ['--password-stdin'], PASSWORD, 2, /Add --email/],
    ['nothing on stdin', ['--email', 'ada@example.com', '--password-stdin'], '', 2, /stdin is empty/],
    [
      'two lines on stdin',
      ['--email', 'ada@example.com', '--password-stdin'],
      'a\nb\n',
      2,
      /stdin has 2 lines/,
    ],
    [
      'a wrong password',
      ['--email', 'ada@example.com', '--password-stdin'],
      'wrong',
      3,
      /e-mail address or the password is wrong/,
    ],
    ['two ways at once', ['--oidc', '--setup'], '', 2, /--oidc and --setup exclude each other/],
    [
      'an address for the provider',
      ['--oidc', '--email', 'a@b.c'],
      '',
      2,
      /--email has no effect with --oidc/,
    ],
  ];
  for (const [what, args, stdin, code, said] of wrong)
    test(`with ${what} it says what to do, and keeps nothing`, async (t) => {
      const { add, ipo, kept, url } = await open(t);
      await add('ada@example.com');
      const ran = await ipo(['login', url, ...args], { stdin });
      assert.equal(ran.code, code, ran.err);
      assert.match(ran.err, said);
      assert.equal(kept(), null);
      assert.ok(!ran.err.includes(PASSWORD));
    });

  test('a locked account is told how long to wait', async (t) => {
    const { add, ipo, url } = await open(t);
    await add('ada@example.com');
    const guess = () =>
      ipo(['login', url, '--email', 'ada@example.com', '--password-stdin'], { stdin: 'wrong' });
    for (let i = 0; i < 5; i += 1) await guess();
    const { code, err } = await guess();
    assert.equal(code, 3);
    assert.match(err, /too many failed sign-ins; the next try is possible in 1 min/);
  });

  test('an API token is kept when the service takes it, and only forgotten by logout', async (t) => {
    const { accounts, add, ipo, kept, signIn, url } = await open(t);
    await add('ada@example.com', 'administrator');
    const principal = await accounts.principalOf((await signIn('ada@example.com')).secret, 'bearer');
    assert.ok(principal);
    const { secret } = await accounts.tokens.create(
      principal,
      { name: 'x', role: 'deployer', days: 1 },
      'test',
    );
    assert.equal(
      (await ipo(['login', url, '--token-stdin'], { stdin: `${secret.slice(0, -1)}x\n` })).code,
      3,
    );
    assert.equal(kept(), null);
    const { code, err } = await ipo(['login', url, '--token-stdin'], { stdin: `${secret}\n` });
    assert.equal(code, 0, err);
    assert.match(err, /as ada@example.com \(deployer\), until 2026-10-02 12:00 UTC/);
    assert.equal(kept(), secret);
    assert.match((await ipo(['whoami'])).out, /by a token [a-z2-7]{16} until/);
    assert.match((await ipo(['logout'])).err, /stays valid until ipo token revoke/);
    assert.ok(await accounts.principalOf(secret, 'bearer'));
  });

  test('logging out forgets the session even when the service is gone', async (t) => {
    const { ipo, kept, env } = await open(t);
    const { rememberServer } = await import('../../bin/service/config.ts');
    rememberServer(env, 'http://127.0.0.1:9', { token: 'ipos_x' });
    const { code, err } = await ipo(['logout', 'http://127.0.0.1:9']);
    assert.equal(code, 3);
    assert.match(err, /deleted here, but the service could not be reached/);
    assert.equal(kept(), null);
    assert.deepEqual(readServiceConfig(env).servers, {});
  });

  test('the first administrator sets up with the code of the start', async (t) => {
    const { accounts, ipo, url } = await open(t);
    const prepared = await accounts.setup.prepare();
    const { code, err } = await ipo(['login', url, '--setup'], {
      answers: [
        [/Setup code/, prepared?.code ?? ''],
        [/Your e-mail address/, 'boss@example.com'],
        [/Your name/, 'The Boss'],
        [/Password/, 'The Boss 1815'],
        [/with little else; try again[^]*Password/, PASSWORD],
        [/Repeat it/, 'something else'],
        [/Password/, PASSWORD],
        [/Repeat it/, PASSWORD],
      ],
    });
    assert.equal(code, 0, err);
    assert.match(err, /The two entries differ; try again/);
    assert.match(err, /as The Boss \(administrator\)/);
    assert.match(
      (await ipo(['account', 'list'])).out,
      /boss@example\.com {2}The Boss {2}administrator {2}enabled {2}password/,
    );
    assert.equal(
      (
        await ipo(['login', url, '--setup', '--email', 'x@example.com', '--password-stdin'], {
          stdin: `${prepared?.code}\n${PASSWORD}`,
        })
      ).code,
      3,
    );
  });

  test('a wrong setup code is said before anything else is asked', async (t) => {
    const { accounts, ipo, kept, url } = await open(t);
    await accounts.setup.prepare();
    const { code, err } = await ipo(['login', url, '--setup'], { answers: [[/Setup code/, 'aaaaa-bbbbb']] });
    assert.equal(code, 3, err);
    assert.match(
      err,
      /the code is wrong, was used already, or has ended[^]*each start of the service logs a new one/,
    );
    assert.doesNotMatch(err, /e-mail address/);
    assert.equal(kept(), null);
  });

  test('a script sets up with code and password on stdin', async (t) => {
    const { accounts, ipo, url } = await open(t);
    const prepared = await accounts.setup.prepare();
    const { code, err } = await ipo(
      ['login', url, '--setup', '--email', 'boss@example.com', '--password-stdin'],
      { stdin: `${prepared?.code}\n${PASSWORD}\n` },
    );
    assert.equal(code, 0, err);
  });

  test('cancelling at a question says that nothing was done', async (t) => {
    const { ipo, kept, url } = await open(t);
    const { code, err } = await ipo(['login', url], { answers: [[/E-mail address/, '\u0003']] });
    assert.equal(code, 2);
    assert.match(err, /cancelled; nothing was done/);
    assert.equal(kept(), null);
  });
});

suite('ipo login --oidc', () => {
  test('prints an address for a browser anywhere, and takes the code that it shows', async (t) => {
    const provider = await openProvider(t);
    const { issuer, clientId, clientSecret } = provider;
    const redirectUri = 'https://ipo.example.com/api/v1/session/oidc/callback';
    const served = await serve(t, {
      https: false,
      oidc: {
        provider: openIdentityProvider({
          issuer,
          clientId,
          clientSecret,
          redirectUri,
          scopes: ['openid', 'email'],
          clock: { now: () => Date.now() },
        }),
        rules: { roles: { claim: null, values: {}, standard: 'viewer' }, trustEmail: false },
      },
    });
    const shell = openShell(t);
    let said = '';
    const keyboard = new (await import('node:stream')).PassThrough();
    const { run } = await import('../../bin/main.ts');
    const browse = async (address: string): Promise<void> => {
      const begun = await fetch(address, { redirect: 'manual' });
      const back = await provider.visit(begun.headers.get('location') ?? '');
      const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
      const page = await served.call('GET', `/session/oidc/callback${back.search}`, { headers: { cookie } });
      keyboard.write(`${/([a-z2-7]{5}-){4}[a-z2-7]{5}/.exec(page.text)?.[0]}\r`);
    };
    const code = await run(['login', served.url, '--oidc'], {
      out: () => {},
      err: (text) => {
        const before = said;
        said += text;
        const [address] = /http:\S+challenge=[\w-]{43}/.exec(said) ?? [];
        if (
          address !== undefined &&
          /Code that the browser shows/.test(said) &&
          !/Code that the browser shows/.test(before)
        )
          void browse(address);
      },
      env: shell.env,
      tty: { in: true, out: true, err: true },
      columns: 100,
      stdin: keyboard,
    });
    assert.equal(code, 0, said);
    assert.match(said, /signed in to \S+ as Ada Lovelace \(viewer\)/);
    assert.match((await shell.ipo(['whoami'])).out, /^Ada Lovelace <ada@example\.com>, viewer/);
  });

  test('says at once where no provider is configured', async (t) => {
    const { ipo, url } = await open(t);
    const { err } = await ipo(['login', url, '--oidc'], { answers: [] });
    assert.match(err, /no identity provider is configured/);
    assert.equal((await ipo(['login', url, '--oidc'])).code, 2);
  });
});
