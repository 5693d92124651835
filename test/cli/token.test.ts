import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { serve } from '../accounts/api.ts';
import { openShell } from '../accounts/cli.ts';
import { PASSWORD } from '../accounts/open.ts';

async function open(t: TestContext) {
  const served = await serve(t, { https: false });
  const shell = openShell(t);
  await served.add('ada@example.com', 'deployer', 'Ada');
  const login = await shell.ipo(['login', served.url, '--email', 'ada@example.com', '--password-stdin'], {
    stdin: PASSWORD,
  });
  assert.equal(login.code, 0, login.err);
  return { ...served, ...shell };
}

suite('ipo token', () => {
  test('only the secret goes to stdout, and it works as IPO_TOKEN', async (t) => {
    const { env, ipo, url } = await open(t);
    const { code, out, err } = await ipo([
      'token',
      'create',
      'nightly build',
      '--role',
      'deployer',
      '--days',
      '7',
    ]);
    assert.equal(code, 0, err);
    assert.match(out, /^ipo_[0-9A-Za-z]{49}\n$/);
    assert.match(err, /token [a-z2-7]{16} \(nightly build, deployer\) works until 2026-10-08 12:00 UTC/);
    assert.ok(!err.includes(out.trim()));
    const asJson = await ipo(['token', 'create', 'second', '-o', 'json']);
    const made = JSON.parse(asJson.out) as Record<string, unknown>;
    assert.deepEqual([made['name'], made['role']], ['second', 'viewer']);
    assert.match(String(made['token']), /^ipo_[0-9A-Za-z]{49}$/);
    const revoked = await ipo(['token', 'revoke', String(made['id']), '-o', 'json']);
    assert.deepEqual(JSON.parse(revoked.out), { id: made['id'], state: 'revoked' });
    const pipeline = openShell(t);
    Object.assign(pipeline.env, { IPO_SERVER: url, IPO_TOKEN: out.trim() });
    assert.match((await pipeline.ipo(['whoami'])).out, /Ada <ada@example.com>, deployer at .*by a token/);
    const onStdin = openShell(t);
    assert.equal((await onStdin.ipo(['whoami', '--server', url, '--token-stdin'], { stdin: out })).code, 0);
    assert.equal(env['IPO_TOKEN'], undefined);
  });

  test('tokens are listed without their secrets and revoked by their id', async (t) => {
    const { ipo, url } = await open(t);
    assert.equal((await ipo(['token', 'list'])).out, 'No token.\n');
    const { out: secret } = await ipo(['token', 'create', 'ci', '-q']);
    const [token] = JSON.parse((await ipo(['token', 'list', '-o', 'json'])).out).items;
    assert.deepEqual([token.name, token.role, token.state], ['ci', 'viewer', 'active']);
    const { out } = await ipo(['token', 'list']);
    assert.match(
      out,
      new RegExp(
        `^id +name +role +state +ends \\(UTC\\) +last used \\(UTC\\)\\n${token.id} {2}ci {4}viewer {2}active {2}2026-12-30 12:00 {2}never\\n$`,
      ),
    );
    assert.ok(!out.includes(secret.trim()));
    assert.equal((await ipo(['token', 'revoke', token.id])).err, `ipo: token ${token.id} is revoked\n`);
    const pipeline = openShell(t);
    Object.assign(pipeline.env, { IPO_SERVER: url, IPO_TOKEN: secret.trim() });
    assert.match(
      (await pipeline.ipo(['whoami'])).err,
      /does not know the token from IPO_TOKEN\n.*unset IPO_TOKEN/,
    );
    assert.match((await ipo(['token', 'list', '-o', 'yaml'])).out, /state: revoked/);
  });

  for (const [what, args, code, said] of [
    [
      "a role above one's own",
      ['create', 'x', '--role', 'administrator'],
      3,
      /a deployer cannot make a token with the role administrator/,
    ],
    [
      'a role that is none',
      ['create', 'x', '--role', 'root'],
      2,
      /--role root: choose one of viewer, deployer, administrator/,
    ],
    [
      'too many days',
      ['create', 'x', '--days', '366'],
      2,
      /--days 366: the number of days must be a whole number from 1 to 365/,
    ],
    ['the tokens of everybody', ['list', '--all'], 3, /only administrators can list/],
    ["an id that is nobody's", ['revoke', 'aaaaaaaaaaaaaaaa'], 1, /no token has the ID aaaaaaaaaaaaaaaa/],
  ] as const)
    test(`${what} is refused`, async (t) => {
      const { ipo } = await open(t);
      const ran = await ipo(['token', ...args]);
      assert.equal(ran.code, code, ran.err);
      assert.match(ran.err, said);
      assert.equal(ran.out, '');
    });

  test('a secret in place of an id is not repeated', async (t) => {
    const { ipo } = await open(t);
    const { out } = await ipo(['token', 'create', 'x', '-q']);
    const { code, err } = await ipo(['token', 'revoke', out.trim()]);
    assert.equal(code, 2);
    assert.match(err, /this is not the ID of a token/);
    assert.ok(!err.includes(out.trim()));
  });
});
