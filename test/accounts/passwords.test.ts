import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { checkPassword, isTooLong, normalisePassword } from '../../src/accounts/password-rules.ts';
import { KNOWN_WORDS } from '../../src/accounts/password-words.ts';
import { openPasswords } from '../../src/accounts/passwords.service.ts';
import { ARGON2, formatPhc, parsePhc } from '../../src/accounts/phc.ts';
import { openTurns } from '../../src/accounts/turns.ts';
import { runs } from '../runs.ts';
import { CHEAP, code, PASSWORD } from './open.ts';

const ADA = { email: 'ada.lovelace@example.com', name: 'Ada Lovelace' };

suite('Which passwords are taken', () => {
  const refused: readonly (readonly [string, string])[] = [
    ['eleven characters', 'abcdxyzklmn'],
    ['257 characters', 'plum'.repeat(64) + 'x'],
    ['the e-mail address', 'Ada.Lovelace@example.com'],
    ['the e-mail address and a year', 'ada.lovelace@example.com26'],
    ['the name and a little', 'AdaLovelace2026!'],
    ['the name with other spaces', 'ada   lovelace 1'],
    ['a word that guessers try', 'Password1234'],
    ['the same word with signs for letters', 'P4$$w0rd!2026'],
    ['the default that everybody forgets', 'changeme-123456'],
    ['this product', 'ImagePolicyOperator'],
    ['one letter again and again', 'aaaaaaaaaaaaaaaa'],
    ['a few letters again and again', 'abc123abc123abc123'],
    ['counting', '123456789012'],
    ['counting down', '987654321098'],
    ['the keys in their order', 'qwertyuiopasdf'],
    ['the alphabet', 'abcdefghijklmn'],
    ['a control character', 'seven plums\ton a cart'],
    ['half a character', 'seven plums on a cart \ud83d'],
    ['a known word twice', 'passwordpassword'],
    ['a known word three times, with signs between', 'Monkey-monkey-monkey'],
    ['a random piece of eight letters twice', 'xkqzmwvrxkqzmwvr'],
    ['a random piece twice and a half', 'xkqzmwvxkqzmwvxkq'],
    ['two known words', 'passworddragon'],
    ['two known words, a year and a sign', 'SummerDragon2026!'],
    ['a known word backwards and forwards', 'drowssappassword'],
    ['a known word twice with signs for letters', 'p4ssw0rdP@$$word'],
    ['pieces of the keyboard', 'qwertyasdfgh1234'],
    ['columns of the keyboard', '1qaz2wsx3edc4rfv'],
    ['keys by threes', 'qweasdzxc123qwe'],
    ['counting between the name', 'lovelace1234lovelace'],
    ['the domain of the address and a year', 'example2026example'],
    ['this product and a number', 'ipo-operator-2026'],
    ['one character that is written as eighteen', '\ufdfa'],
    [
      'one that NFKC makes longer than 256 characters',
      [...Array(20).keys()].map((i) => `${String.fromCodePoint(0x4e00 + i)}\ufdfa`).join(''),
    ],
  ];
  for (const [what, password] of refused)
    test(`${what} is refused`, () => {
      assert.throws(() => checkPassword(password, ADA), code('invalid_request'));
    });

  for (const [what, password] of [
    ['a sentence', PASSWORD],
    ['twelve random characters', 'x8#mQ2!vLp0z'],
    ['256 characters', [...Array(256).keys()].map((i) => String.fromCodePoint(0x4e00 + i)).join('')],
    [
      '256 characters outside of the basic plane',
      [...Array(256).keys()].map((i) => String.fromCodePoint(0x20000 + i)).join(''),
    ],
    ['a name with enough beside it', 'ada lovelace likes 11 plums'],
    ['spaces at its ends', '  seven plums on a cart  '],
    ['a long random piece twice', 'x8#mQ2!vLp0zx8#mQ2!vLp0z'],
    ['five words of which three are known', 'orange tiger window lamp moss'],
  ] as const)
    test(`${what} is taken`, () => checkPassword(password, ADA));

  test('a known word is refused however often and however it is repeated', () => {
    const words = [...KNOWN_WORDS];
    fc.assert(
      fc.property(
        fc.constantFrom(...words),
        fc.integer({ min: 2, max: 12 }),
        fc.constantFrom('', '-', ' ', '1', '!?'),
        fc.constantFrom('', '1', '2026', '!', '123!'),
        fc.boolean(),
        (word, times, between, behind, upper) => {
          const text = Array.from({ length: times }, () => word).join(between) + behind;
          const password = (upper ? text.toUpperCase() : text).slice(0, 256);
          assert.throws(() => checkPassword(password, ADA), code('invalid_request'), password);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  test('a piece of fewer than twelve characters is refused however often it is repeated', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 11, unit: 'grapheme-ascii' }),
        fc.integer({ min: 2, max: 20 }),
        (piece, times) => {
          assert.throws(() => checkPassword(piece.repeat(times), ADA), code('invalid_request'), piece);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  test('a random password of a manager is taken', () => {
    const sign = fc.constantFrom(...'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_.#%');
    fc.assert(
      fc.property(fc.array(sign, { minLength: 16, maxLength: 256 }), (signs) => {
        fc.pre(new Set(signs.map((each) => each.toLowerCase())).size >= 10);
        checkPassword(signs.join(''), ADA);
      }),
      // A fixed seed: one in some billions is refused by chance.
      { numRuns: runs(300), seed: 1 },
    );
  });

  test('a person without a name or address is compared with nothing', () => {
    checkPassword(PASSWORD, { email: null, name: null });
  });
});

suite('Hashes of passwords', () => {
  test('the real parameters make a PHC string that verifies, and only with this password', async () => {
    const passwords = openPasswords();
    const phc = await passwords.hash(PASSWORD);
    assert.match(phc, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.deepEqual(await passwords.verify(PASSWORD, phc), { ok: true, outdated: false });
    assert.deepEqual(await passwords.verify(`${PASSWORD} `, phc), { ok: false, outdated: false });
  });

  test('a hash made elsewhere with the reference program verifies', async () => {
    // echo -n password | argon2 somesalt -id -t 2 -m 8 -p 1
    const phc = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    assert.deepEqual(await openPasswords(CHEAP).verify('password', phc), { ok: true, outdated: true });
  });

  test('what differs only in how the keyboard composes it is one password; nothing is cut off', async () => {
    const passwords = openPasswords(CHEAP);
    const phc = await passwords.hash('crème brûlée für alle');
    assert.equal((await passwords.verify('crème brûlée für alle'.normalize('NFD'), phc)).ok, true);
    const long = await passwords.hash('é'.repeat(256));
    assert.equal((await passwords.verify('é'.repeat(255), long)).ok, false);
    assert.equal((await passwords.verify(`${'é'.repeat(255)}e`, long)).ok, false);
    assert.equal(isTooLong('é'.repeat(257)), true);
    assert.equal(normalisePassword('  A b  '), '  A b  ');
  });

  test('equal passwords have different hashes', async () => {
    const passwords = openPasswords(CHEAP);
    assert.notEqual(await passwords.hash(PASSWORD), await passwords.hash(PASSWORD));
  });

  test('without a hash, and with a broken one, nothing verifies', async () => {
    const passwords = openPasswords(CHEAP);
    for (const phc of [null, '', '$argon2id$', 'x', '$2b$10$abcdefghijklmnopqrstuv'])
      assert.equal((await passwords.verify(PASSWORD, phc)).ok, false, String(phc));
  });

  test('a stored hash that asks for too much work is none', () => {
    for (const parameters of [
      'm=4194304,t=2,p=1',
      'm=256,t=100,p=1',
      'm=256,t=2,p=100',
      'm=4,t=2,p=1',
      'm=256,t=0,p=1',
    ])
      assert.equal(
        parsePhc(`$argon2id$v=19$${parameters}$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4`),
        null,
      );
  });

  test('a PHC string that was written reads back', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 8, maxLength: 64 }),
        fc.uint8Array({ minLength: 16, maxLength: 64 }),
        (salt, hash) => {
          const written = { ...ARGON2, salt: Buffer.from(salt), hash: Buffer.from(hash) };
          assert.deepEqual(parsePhc(formatPhc(written)), written);
        },
      ),
      { numRuns: runs(200) },
    );
  });
});

suite('Turns', () => {
  const gate = () => Promise.withResolvers<void>();

  test('no more run at once than may, in the order in which they came', async () => {
    const turns = openTurns({ atOnce: 2, waiting: 10 });
    const gates = [gate(), gate(), gate(), gate()];
    const began: number[] = [];
    const all = gates.map(({ promise }, i) =>
      turns.take(`key ${i}`, async () => {
        began.push(i);
        await promise;
        return i;
      }),
    );
    await Promise.resolve();
    assert.deepEqual(began, [0, 1]);
    gates[1]?.resolve();
    await all[1];
    assert.deepEqual(began, [0, 1, 2]);
    for (const { resolve } of gates) resolve();
    assert.deepEqual(await Promise.all(all), [0, 1, 2, 3]);
  });

  test('one key has one turn at a time, and does not keep others waiting', async () => {
    const turns = openTurns({ atOnce: 2, waiting: 10 });
    const first = gate();
    const began: string[] = [];
    const a = turns.take('a', async () => {
      began.push('a1');
      await first.promise;
    });
    const again = turns.take('a', async () => void began.push('a2'));
    const b = turns.take('b', async () => void began.push('b'));
    await b;
    assert.deepEqual(began, ['a1', 'b']);
    first.resolve();
    await Promise.all([a, again]);
    assert.deepEqual(began, ['a1', 'b', 'a2']);
  });

  test('who comes when too many wait is sent away; a fault frees the turn', async () => {
    const turns = openTurns({ atOnce: 1, waiting: 1 });
    const first = gate();
    const a = turns.take('a', async () => {
      await first.promise;
      throw new Error('no');
    });
    const b = turns.take('b', async () => 'b');
    await assert.rejects(
      turns.take('c', async () => 'c'),
      code('unavailable'),
    );
    first.resolve();
    await assert.rejects(a, /no/);
    assert.equal(await b, 'b');
    assert.equal(await turns.take('c', async () => 'c'), 'c');
  });
});
