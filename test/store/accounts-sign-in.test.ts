import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeDevice, openPasswords, type Account, type Passwords } from '../../src/accounts/index.ts';
import { CHEAP, code, openFresh, openOn, PASSWORD } from '../accounts/open.ts';
import { forEachEngine } from './engines.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

forEachEngine('Signing in', (engine) => {
  test('the right password gives a session that proves the account, in any case of the address', async (t) => {
    const { accounts, add, signIn } = await openFresh(t, engine);
    const id = await add('ada@example.com', 'deployer', 'Ada Lovelace');
    const { secret, account } = await signIn(' ADA@example.com ');
    assert.equal(account.id, id);
    assert.deepEqual(await accounts.principalOf(secret, 'bearer'), {
      accountId: id,
      name: 'Ada Lovelace',
      role: 'deployer',
      via: 'session',
      tokenId: null,
    });
    assert.equal((await accounts.principalOf(secret, 'cookie'))?.accountId, id);
  });

  test('only hashes of secrets are in the database', async (t) => {
    const opened = await openFresh(t, engine);
    await opened.add('ada@example.com');
    const { secret } = await opened.signIn('ada@example.com');
    const sessions = await opened.store.read.selectFrom('sessions').selectAll().execute();
    const accounts = await opened.store.read.selectFrom('accounts').selectAll().execute();
    const kept = JSON.stringify([sessions, accounts]);
    assert.equal(sessions[0]?.id_hash.length, 32);
    for (const part of [secret, secret.slice(5, 30), PASSWORD, Buffer.from(secret).toString('hex')])
      assert.ok(!kept.includes(part));
  });

  test('a wrong password, an unknown, a disabled and a passwordless account get one answer, for the same work', async (t) => {
    const { accounts, add, hashes, signIn, store } = await openFresh(t, engine);
    await add('boss@example.com', 'administrator');
    await add('ada@example.com');
    const off = await add('off@example.com');
    await accounts.life.update({ by: null, path: null }, off, { enabled: false });
    await accounts.life.create(
      { by: null, path: null },
      { email: 'new@example.com', name: null, role: 'viewer', password: null },
    );
    const before = hashes.runs;
    const answers = new Set<string>();
    const tries = [
      'ada@example.com',
      'nobody@example.com',
      'off@example.com',
      'new@example.com',
      'no address',
    ] as const;
    for (const [i, email] of tries.entries())
      await assert.rejects(
        signIn(email, email === 'off@example.com' ? PASSWORD : 'another password', `192.0.2.${i}`),
        (error: Error) => {
          answers.add(JSON.stringify({ ...error, message: error.message }));
          return true;
        },
      );
    assert.equal(answers.size, 1);
    assert.equal(hashes.runs - before, tries.length);
    const failed = await store.read
      .selectFrom('audit')
      .select(['target', 'actor_id', 'detail'])
      .where('action', '=', 'sign_in_failed')
      .orderBy('id')
      .execute();
    assert.deepEqual(
      failed.map(({ target, detail }) => [target, (JSON.parse(detail ?? '{}') as { reason: string }).reason]),
      [
        ['ada@example.com', 'password'],
        [null, 'unknown_account'],
        ['off@example.com', 'disabled'],
        ['new@example.com', 'password'],
        [null, 'unknown_account'],
      ],
    );
  });

  test('a session ends half an hour after its last use, and twelve hours after its start', async (t) => {
    const { accounts, add, clock, signIn } = await openFresh(t, engine);
    await add('ada@example.com');
    const idle = await signIn('ada@example.com');
    const used = await signIn('ada@example.com');
    const start = clock.at;
    for (let at = start; at < start + 12 * HOUR; at += 29 * MINUTE) {
      clock.at = at;
      assert.ok(await accounts.principalOf(used.secret, 'cookie'), `after ${(at - start) / MINUTE} minutes`);
    }
    assert.equal(await accounts.principalOf(idle.secret, 'cookie'), null);
    assert.equal(used.expiresAt, start + 12 * HOUR);
    clock.at = used.expiresAt - 1;
    assert.ok(await accounts.principalOf(used.secret, 'cookie'));
    clock.at = used.expiresAt;
    assert.equal(await accounts.principalOf(used.secret, 'cookie'), null);
  });

  test('use is recorded once a minute, and a database that takes no writes keeps nobody from reading', async (t) => {
    const { accounts, add, clock, parts, signIn, store, warnings } = await openFresh(t, engine);
    await add('ada@example.com');
    const { secret } = await signIn('ada@example.com');
    const usedAt = async () =>
      (await store.read.selectFrom('sessions').select('used_at').executeTakeFirstOrThrow()).used_at;
    const start = clock.at;
    clock.at = start + 59_000;
    await accounts.principalOf(secret, 'cookie');
    assert.equal(await usedAt(), start);
    clock.at = start + 60_000;
    await accounts.principalOf(secret, 'cookie');
    assert.equal(await usedAt(), start + 60_000);
    Object.assign(parts.sessions, { used: () => Promise.reject(new Error('read-only')) });
    clock.at = start + 3 * MINUTE;
    assert.ok(await accounts.principalOf(secret, 'cookie'));
    assert.deepEqual(warnings, ['use of a session not recorded']);
  });

  test('a secret that is not ours proves nobody, nor does a session in place of a token', async (t) => {
    const { accounts, add, signIn } = await openFresh(t, engine);
    await add('ada@example.com');
    const { secret } = await signIn('ada@example.com');
    for (const text of [
      '',
      'x',
      secret.slice(0, -1),
      `${secret}a`,
      secret.replace('ipos_', 'ipo_'),
      '\u0000',
      "' or 1=1",
    ])
      assert.equal(await accounts.principalOf(text, 'bearer'), null);
  });

  test('signing out ends this session and no other', async (t) => {
    const { accounts, add, signIn } = await openFresh(t, engine);
    await add('ada@example.com');
    const one = await signIn('ada@example.com');
    const other = await signIn('ada@example.com');
    const principal = await accounts.principalOf(one.secret, 'cookie');
    assert.ok(principal);
    await accounts.signIn.out(principal, one.secret, 'DELETE /api/v1/session');
    assert.equal(await accounts.principalOf(one.secret, 'cookie'), null);
    assert.ok(await accounts.principalOf(other.secret, 'cookie'));
  });

  test('an account has at most fifty sessions; the oldest ends', async (t) => {
    const { accounts, add, clock, signIn, store } = await openFresh(t, engine);
    await add('ada@example.com');
    const secrets: string[] = [];
    for (let i = 0; i < 52; i += 1) {
      clock.at += 1;
      secrets.push((await signIn('ada@example.com')).secret);
    }
    assert.equal((await store.read.selectFrom('sessions').selectAll().execute()).length, 50);
    const alive = await Promise.all(secrets.map((secret) => accounts.principalOf(secret, 'cookie')));
    assert.deepEqual([alive[0], alive[1]], [null, null]);
    assert.ok(alive[2] && alive[51]);
  });

  test('a hash with older parameters is renewed at the next sign-in', async (t) => {
    const { add, store, signIn } = await openFresh(t, engine);
    await add('ada@example.com');
    const stronger = openOn(store, { passwords: openPasswords({ ...CHEAP, passes: 2 }) });
    const hash = async () =>
      (await store.read.selectFrom('accounts').select('password_hash').executeTakeFirstOrThrow())
        .password_hash;
    await stronger.signIn('ada@example.com');
    const renewed = await hash();
    assert.match(renewed ?? '', /t=2/);
    await stronger.signIn('ada@example.com');
    assert.equal(await hash(), renewed);
    await signIn('ada@example.com');
    assert.match((await hash()) ?? '', /t=1/);
  });

  test('a session of a disabled account proves nobody on another replica either, at once', async (t) => {
    const one = await openFresh(t, engine);
    const other = openOn(one.store, { clock: one.clock });
    await one.add('boss@example.com', 'administrator');
    const id = await one.add('ada@example.com', 'deployer');
    const { secret } = await other.signIn('ada@example.com');
    assert.ok(await other.accounts.principalOf(secret, 'cookie'));
    await one.accounts.life.update({ by: null, path: null }, id, { enabled: false });
    assert.equal(await other.accounts.principalOf(secret, 'cookie'), null);
  });

  test('a sign-in that was under way when the account was disabled or its password changed gives nothing', async (t) => {
    const { accounts, add, store, clock } = await openFresh(t, engine);
    await add('boss@example.com', 'administrator');
    for (const meanwhile of ['disabled', 'password'] as const) {
      const id = await add(`${meanwhile}@example.com`);
      const reached = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const inner = openPasswords(CHEAP);
      const slow: Passwords = {
        ...inner,
        verify: async (password, phc) => {
          const verdict = await inner.verify(password, phc);
          reached.resolve();
          await goOn.promise;
          return verdict;
        },
      };
      const attempt = openOn(store, { clock, passwords: slow }).signIn(`${meanwhile}@example.com`);
      await reached.promise;
      if (meanwhile === 'disabled')
        await accounts.life.update({ by: null, path: null }, id, { enabled: false });
      else {
        const { code: secret } = await accounts.life.issueCode({ by: null, path: null }, id);
        await accounts.ownPassword.withCode({
          code: secret,
          password: 'eight pears in a bowl',
          address: '192.0.2.7',
          path: 'test',
        });
      }
      goOn.resolve();
      await assert.rejects(attempt, code('bad_credentials'));
    }
  });
});

forEachEngine('Lock-out of sign-ins', (engine) => {
  test('after five failures an account is blocked, on every replica and after a restart, even for the right password', async (t) => {
    const one = await openFresh(t, engine);
    await one.add('ada@example.com');
    const other = openOn(one.store, { clock: one.clock });
    for (let i = 0; i < 5; i += 1)
      await assert.rejects(
        (i % 2 === 0 ? one : other).signIn('ada@example.com', 'wrong password', `192.0.2.${i}`),
        code('bad_credentials'),
      );
    const restarted = openOn(one.store, { clock: one.clock });
    for (const replica of [one, other, restarted])
      await assert.rejects(replica.signIn('ada@example.com'), (error: Error & { retryAfter?: number }) => {
        assert.equal(error.retryAfter, 60);
        return code('locked_out')(error);
      });
    one.clock.at += MINUTE;
    await one.signIn('ada@example.com');
    await assert.rejects(one.signIn('ada@example.com', 'wrong password'), code('bad_credentials'));
    await one.signIn('ada@example.com');
  });

  test('an unknown account is blocked just the same', async (t) => {
    const { signIn } = await openFresh(t, engine);
    for (let i = 0; i < 5; i += 1)
      await assert.rejects(signIn('nobody@example.com', 'x', `192.0.2.${i}`), code('bad_credentials'));
    await assert.rejects(signIn('nobody@example.com', 'x', '192.0.2.9'), code('locked_out'));
  });

  test('five failures of one address block it for every account, and other addresses not', async (t) => {
    const { add, signIn } = await openFresh(t, engine);
    await add('ada@example.com');
    for (let i = 0; i < 5; i += 1)
      await assert.rejects(signIn(`nobody${i}@example.com`, 'x', '2001:db8::1'), code('bad_credentials'));
    await assert.rejects(signIn('ada@example.com', PASSWORD, '2001:db8::2'), code('locked_out'));
    await signIn('ada@example.com', PASSWORD, '2001:db8:0:1::2');
  });

  test('an account that signs in from a known device is not locked by strangers, whatever address they have', async (t) => {
    const { accounts, add, clock, parts, signIn } = await openFresh(t, engine);
    const id = await add('ada@example.com');
    await add('bob@example.com');
    const device = async (of: string) => makeDevice((await parts.accounts.find(of)) as Account, clock.at);
    const mark = await device(id);
    const from = (address: string, known: string | null, password = PASSWORD, email = 'ada@example.com') =>
      accounts.signIn.withPassword({ email, password, address, device: known, path: 'test' });
    for (let i = 0; i < 5; i += 1)
      await assert.rejects(signIn('ada@example.com', 'wrong password', '192.0.2.7'), code('bad_credentials'));
    await assert.rejects(from('192.0.2.8', null), code('locked_out'));
    await assert.rejects(from('192.0.2.7', null, PASSWORD, 'bob@example.com'), code('locked_out'));
    await from('192.0.2.7', mark); // the very address that is blocked
    // The owner's success gives strangers no further guesses.
    await assert.rejects(from('192.0.2.9', null), code('locked_out'));
    // A mark is for one account, one password and a time, and every bit of it counts.
    for (const wrong of [`${mark}x`, mark?.replace(/^./, (at) => (at === 'a' ? 'b' : 'a')) ?? '', 'x', ''])
      await assert.rejects(from('192.0.2.9', wrong), code('locked_out'), wrong);
    const bob = (await parts.accounts.findByEmail('bob@example.com')) as Account;
    await assert.rejects(from('192.0.2.9', await device(bob.id)), code('locked_out'));
    // Guesses from the device itself are bounded as any other.
    for (let i = 0; i < 5; i += 1)
      await assert.rejects(from('192.0.2.1', mark, 'wrong password'), code('bad_credentials'));
    await assert.rejects(from('192.0.2.1', mark), code('locked_out'));
    clock.at += 91 * 24 * 60 * MINUTE;
    for (let i = 0; i < 5; i += 1)
      await assert.rejects(signIn('ada@example.com', 'wrong password', '192.0.2.7'), code('bad_credentials'));
    await assert.rejects(from('192.0.2.8', mark), code('locked_out'));
  });

  test('an address that is a proxy for everybody locks no account that had no failure itself', async (t) => {
    const { add, audit, hashes, signIn, clock } = await openFresh(t, engine);
    await add('ada@example.com');
    await add('bob@example.com');
    const proxy = 'via 10.0.0.1';
    for (let i = 0; i < 5; i += 1)
      await assert.rejects(signIn('bob@example.com', 'wrong password', proxy), code('bad_credentials'));
    await assert.rejects(signIn('bob@example.com', PASSWORD, proxy), code('locked_out'));
    await signIn('ada@example.com', PASSWORD, proxy);
    // Spraying: beyond its bound an account has one guess an hour instead of five.
    for (let i = 0; i < 100; i += 1)
      await assert.rejects(signIn(`nobody${i}@example.com`, 'x', proxy), code('bad_credentials'));
    const before = hashes.runs;
    await assert.rejects(signIn('carol@example.com', 'x', proxy), code('bad_credentials'));
    for (let i = 0; i < 4; i += 1)
      await assert.rejects(signIn('carol@example.com', 'x', proxy), code('locked_out'));
    assert.equal(hashes.runs - before, 1);
    await signIn('ada@example.com', PASSWORD, proxy);
    // Made-up addresses do not fill the audit log; a failure of an account is there.
    const failed = async () =>
      (
        await audit.list(
          { from: 0, to: clock.at + 1, action: 'sign_in_failed', actor: null, target: null },
          { limit: 1, offset: 0 },
        )
      ).total;
    const written = await failed();
    for (let i = 0; i < 50; i += 1)
      await assert.rejects(signIn(`more${i}@example.com`, 'x', proxy), code('bad_credentials'));
    assert.equal((await failed()) - written, 1, 'the first after the success of another');
    await assert.rejects(signIn('ada@example.com', 'wrong password', proxy), code('bad_credentials'));
    assert.equal((await failed()) - written, 2);
    clock.at += 61 * MINUTE;
    await signIn('bob@example.com', PASSWORD, proxy);
  });

  test('a million guesses cost at most 500 hashes an hour and account, from strangers and from a known device', async (t) => {
    const { accounts, add, clock, parts, hashes } = await openFresh(t, engine);
    const id = await add('ada@example.com');
    const mark = makeDevice((await parts.accounts.find(id)) as Account, clock.at);
    const before = hashes.runs;
    // Each guess waits until the next is possible, as no guess in between is hashed.
    for (const device of [null, mark]) {
      for (const end = clock.at + 60 * MINUTE; clock.at < end;) {
        const guess = {
          email: 'ada@example.com',
          password: 'x',
          address: 'via 10.0.0.1',
          device,
          path: 'test',
        };
        const wait = await accounts.signIn
          .withPassword(guess)
          .catch((error: { retryAfter?: number }) => error.retryAfter ?? 0);
        clock.at += typeof wait === 'number' ? wait * 1000 : 0;
      }
    }
    assert.ok(hashes.runs - before <= 24, String(hashes.runs - before));
  });

  test('guesses at once cost no more hashes than guesses in a row', async (t) => {
    const { add, hashes, signIn, store, clock } = await openFresh(t, engine);
    await add('ada@example.com');
    const other = openOn(store, { clock });
    const before = hashes.runs;
    const guesses = Array.from({ length: 100 }, (_, i) =>
      (i % 2 === 0 ? signIn : other.signIn)('ada@example.com', `guess ${i}`, `10.0.${i}.1`),
    );
    const codes = (await Promise.allSettled(guesses)).map((result) =>
      result.status === 'rejected' ? (result.reason as { code: string }).code : result.status,
    );
    assert.equal(codes.filter((each) => each === 'bad_credentials').length, 5);
    assert.equal(codes.filter((each) => each === 'locked_out').length, 95);
    assert.equal(hashes.runs - before + other.hashes.runs, 5);
  });

  test('sixty sign-ins at once with the right password all succeed, two hashes at a time', async (t) => {
    // The first one waits for a second, so that it does not depend on the database whether two meet.
    const pair = Promise.withResolvers<void>();
    let begun = 0;
    const cheap = openPasswords(CHEAP);
    const passwords = {
      ...cheap,
      verify: async (password: string, phc: string) => {
        begun += 1;
        if (begun === 2) pair.resolve();
        await pair.promise;
        return cheap.verify(password, phc);
      },
    };
    const { add, hashes, signIn } = openOn(await engine.open(t), { passwords });
    for (let i = 0; i < 3; i += 1) await add(`ada${i}@example.com`);
    const signedIn = await Promise.all(
      Array.from({ length: 60 }, (_, i) => signIn(`ada${i % 3}@example.com`)),
    );
    assert.equal(new Set(signedIn.map(({ secret }) => secret)).size, 60);
    assert.equal(hashes.mostAtOnce, 2);
  });

  test('what is over is swept away', async (t) => {
    const { accounts, add, clock, signIn, store } = await openFresh(t, engine);
    await add('ada@example.com');
    await signIn('ada@example.com');
    await assert.rejects(signIn('nobody@example.com', 'x'), code('bad_credentials'));
    await accounts.life.issueCode({ by: null, path: null }, await add('new@example.com'));
    const rows = async () => [
      (await store.read.selectFrom('sessions').selectAll().execute()).length,
      (await store.read.selectFrom('sign_in_failures').selectAll().execute()).length,
      (await store.read.selectFrom('one_time_codes').selectAll().execute()).length,
    ];
    await accounts.sweep(clock.now());
    assert.deepEqual(await rows(), [1, 2, 1]);
    clock.at += 31 * MINUTE;
    await accounts.sweep(clock.now());
    assert.deepEqual(await rows(), [0, 2, 1]);
    clock.at += 31 * MINUTE;
    await accounts.sweep(clock.now());
    assert.deepEqual(await rows(), [0, 0, 1]);
    clock.at += 3 * 24 * HOUR;
    await accounts.sweep(clock.now());
    assert.deepEqual(await rows(), [0, 0, 0]);
  });
});
