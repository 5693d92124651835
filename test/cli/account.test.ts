import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { readServiceConfig } from '../../bin/service/config.ts';
import { serve } from '../accounts/api.ts';
import { openShell } from '../accounts/cli.ts';
import { PASSWORD } from '../accounts/open.ts';

/** A service with an administrator, who is signed in at the command line. */
async function open(t: TestContext) {
  const served = await serve(t, { https: false });
  const shell = openShell(t);
  const boss = await served.add('boss@example.com', 'administrator', 'The Boss');
  const login = await shell.ipo(['login', served.url, '--email', 'boss@example.com', '--password-stdin'], {
    stdin: PASSWORD,
  });
  assert.equal(login.code, 0, login.err);
  return { ...served, ...shell, boss };
}

suite('ipo account', () => {
  test('an invitation is one code on stdout; the person sets a password with it', async (t) => {
    const { accounts, ipo, url, signIn } = await open(t);
    const created = await ipo([
      'account',
      'create',
      'Ada@example.com',
      '--name',
      'Ada Lovelace',
      '--role',
      'deployer',
    ]);
    assert.equal(created.code, 0, created.err);
    assert.match(created.out, /^([a-z2-7]{5}-){4}[a-z2-7]{5}\n$/);
    assert.match(
      created.err,
      /ada@example.com is deployer now \([a-z2-7]{16}\)\n.*works once, until 2026-10-04 12:00 UTC: ipo login http:\S+ --code/,
    );
    const ada = openShell(t);
    const login = await ada.ipo(['login', url, '--code'], {
      answers: [
        [/Code from the administrator/, created.out.trim()],
        [/New password/, PASSWORD],
        [/Repeat it/, PASSWORD],
      ],
    });
    assert.equal(login.code, 0, login.err);
    assert.match((await ada.ipo(['whoami'])).out, /^Ada Lovelace <ada@example.com>, deployer/);
    await signIn('ada@example.com');
    assert.equal(
      (await accounts.life.list({ role: 'deployer', state: null, limit: null, offset: 0 })).total,
      1,
    );
  });

  test('a first password comes from a prompt or from stdin', async (t) => {
    const { ipo, signIn } = await open(t);
    const one = await ipo(['account', 'create', 'one@example.com', '--password-stdin'], { stdin: PASSWORD });
    assert.deepEqual([one.code, one.out], [0, '']);
    const two = await ipo(['account', 'create', 'two@example.com', '--ask-password'], {
      answers: [
        [/First password/, PASSWORD],
        [/Repeat it/, PASSWORD],
      ],
    });
    assert.deepEqual([two.code, two.out], [0, ''], two.err);
    for (const email of ['one@example.com', 'two@example.com']) await signIn(email);
    const short = await ipo(['account', 'create', 'three@example.com', '--password-stdin'], {
      stdin: 'short',
    });
    assert.equal(short.code, 2);
    assert.match(short.err, /password: it has fewer than 12 characters/);
  });

  test('a list shows who may sign in and how', async (t) => {
    const { add, accounts, ipo } = await open(t);
    const id = await add('ada@example.com', 'viewer');
    await accounts.life.create(
      { by: null, path: null },
      { email: 'new@example.com', name: 'A\u0301da', role: 'deployer', password: null },
    );
    const { out } = await ipo(['account', 'list']);
    assert.match(out, new RegExp(`${id} {2}ada@example.com {3}– {9}viewer {9}enabled {2}password`));
    assert.match(out, /new@example.com .*nothing yet/);
    assert.match((await ipo(['account', 'list', '--limit', '1'])).out, /… 2 further accounts\n$/);
    assert.equal(JSON.parse((await ipo(['account', 'list', '--role', 'viewer', '-o', 'json'])).out).total, 1);
    const wrong = await ipo(['account', 'list', '--state', 'gone']);
    assert.deepEqual(
      [wrong.code, wrong.err.split('\n')[0]],
      [2, 'ipo: --state gone: choose one of enabled, disabled, anonymised'],
    );
  });

  test('name and role are changed by address or id', async (t) => {
    const { add, accounts, ipo } = await open(t);
    const id = await add('ada@example.com');
    const byMail = await ipo(['account', 'update', 'ADA@example.com', '--name', 'Ada', '--role', 'deployer']);
    assert.deepEqual([byMail.code, byMail.err], [0, 'ipo: ada@example.com is deployer, enabled\n']);
    assert.equal((await ipo(['account', 'update', id, '--name', ''])).code, 0);
    assert.equal((await accounts.life.get(id)).name, null);
    assert.equal((await ipo(['account', 'update', id])).code, 2);
    const nobody = await ipo(['account', 'update', 'nobody@example.com', '--role', 'viewer']);
    assert.deepEqual(
      [nobody.code, nobody.err],
      [
        1,
        'ipo: no account has the e-mail address or ID nobody@example.com\n  `ipo account list` shows them.\n',
      ],
    );
    const last = await ipo(['account', 'update', 'boss@example.com', '--role', 'viewer']);
    assert.equal(last.code, 3);
    assert.match(last.err, /last enabled administrator .*\n.*Make somebody else an administrator first/);
  });

  test('somebody is disabled, enabled again, and anonymised after a question', async (t) => {
    const { add, accounts, ipo, signIn } = await open(t);
    const id = await add('ada@example.com', 'viewer', 'Ada');
    assert.match(
      (await ipo(['account', 'disable', 'ada@example.com'])).err,
      /ada@example.com is disabled; sessions have ended/,
    );
    const enabled = await ipo(['account', 'update', id, '--enable']);
    assert.match(enabled.out, /^(?:[a-z2-7]{5}-){4}[a-z2-7]{5}\n$/);
    assert.match(
      enabled.err,
      /^ipo: give this code to the person; it works once, until .* UTC: ipo login http.* --code\nipo: ada@example.com is viewer, enabled\n$/,
    );
    await ipo(['account', 'disable', id]);
    const given = await ipo(['account', 'update', id, '--enable', '--password-stdin'], {
      stdin: 'eight pears in a bowl',
    });
    assert.deepEqual([given.code, given.out], [0, ''], given.err);
    await signIn('ada@example.com', 'eight pears in a bowl');
    const needless = await ipo(['account', 'update', id, '--name', 'Ada', '--password-stdin'], {
      stdin: 'eight pears in a bowl',
    });
    assert.deepEqual(
      [needless.code, needless.err.split('\n')[0]],
      [2, 'ipo: a password can be set only with --enable'],
    );
    assert.equal((await ipo(['account', 'anonymise', id, '--yes'])).code, 3); // not disabled
    await ipo(['account', 'disable', id]);
    assert.equal((await ipo(['account', 'anonymise', id])).code, 2); // nobody to ask
    const no = await ipo(['account', 'anonymise', id], { answers: [[/This cannot be undone/, 'n\n']] });
    assert.deepEqual([no.code, (await accounts.life.get(id)).name], [1, 'Ada'], no.err);
    const yes = await ipo(['account', 'anonymise', id], { answers: [[/This cannot be undone/, 'y\n']] });
    assert.equal(yes.code, 0, yes.err);
    assert.match(yes.err, new RegExp(`appears in all records as user:${id} from now on`));
    assert.equal((await accounts.life.get(id)).email, null);
  });

  test("one's own password is changed, and the command line stays signed in", async (t) => {
    const { env, ipo, signIn, url } = await open(t);
    const before = readServiceConfig(env).servers[url]?.token;
    const asked = await ipo(['account', 'password'], {
      answers: [
        [/Current password/, PASSWORD],
        [/New password/, 'eight pears in a bowl'],
        [/Repeat it/, 'eight pears in a bowl'],
      ],
    });
    assert.equal(asked.code, 0, asked.err);
    assert.match(asked.err, /this sign-in stays valid/);
    assert.notEqual(readServiceConfig(env).servers[url]?.token, before);
    assert.equal((await ipo(['whoami'])).code, 0);
    await signIn('boss@example.com', 'eight pears in a bowl');
    const script = await ipo(['account', 'password', '--password-stdin'], {
      stdin: `eight pears in a bowl\n${PASSWORD}\n`,
    });
    assert.equal(script.code, 0, script.err);
    assert.equal((await ipo(['account', 'password', '--password-stdin'], { stdin: PASSWORD })).code, 2);
  });

  test('an administrator gives a code that sets a new password', async (t) => {
    const { add, accounts, ipo } = await open(t);
    await add('ada@example.com');
    const { code, out, err } = await ipo(['account', 'password', 'ada@example.com']);
    assert.equal(code, 0, err);
    await accounts.ownPassword.withCode({
      code: out,
      password: 'eight pears in a bowl',
      address: '192.0.2.1',
      path: 'test',
    });
  });

  test('the operator of the service gets a code straight from the database, when nobody can sign in', async (t) => {
    const { audit, ipo, url, databaseUrl, clock } = await open(t);
    const nobody = openShell(t);
    const args = ['account', 'password', 'boss@example.com', '--database', databaseUrl];
    const { code, out, err } = await nobody.ipo(args);
    assert.equal(code, 0, err);
    clock.at = Date.now(); // the command asks the clock of this machine
    const login = await nobody.ipo(['login', url, '--code'], {
      answers: [
        [/Code from the administrator/, out.trim()],
        [/New password/, 'eight pears in a bowl'],
        [/Repeat it/, 'eight pears in a bowl'],
      ],
    });
    assert.equal(login.code, 0, login.err);
    assert.equal((await ipo(['whoami'])).code, 3); // earlier sessions have ended
    const filter = { from: 0, to: Date.now(), action: 'account_update', actor: null, target: null } as const;
    const { items } = await audit.list(filter, { limit: 1, offset: 0 });
    assert.deepEqual([items[0]?.actor, items[0]?.path], [null, 'ipo account password --database']);
    assert.equal(
      (await nobody.ipo(['account', 'password', 'x@example.com', '--database', databaseUrl])).code,
      1,
    );
    assert.equal((await nobody.ipo(['account', 'password', 'x@example.com', '--database'])).code, 2);
    assert.equal(
      (await nobody.ipo(['account', 'password', 'x@example.com', '--database', 'sqlite:/nowhere/x.db'])).code,
      3,
    );
    assert.equal((await nobody.ipo(['account', 'password', '--database', databaseUrl])).code, 2);
  });

  test('an account that is not an administrator is told so', async (t) => {
    const { add, ipo, url } = await open(t);
    await add('ada@example.com', 'deployer');
    await ipo(['login', url, '--email', 'ada@example.com', '--password-stdin'], { stdin: PASSWORD });
    const { code, err } = await ipo(['account', 'list']);
    assert.equal(code, 3);
    assert.match(err, /needs the role administrator; this is a deployer/);
  });
});
