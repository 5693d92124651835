import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { readEmail, readName } from '../../src/accounts/account.ts';
import { withoutPerson, withoutPersonIn } from '../../src/accounts/copies.ts';
import { holdOrigin } from '../../src/accounts/cross-site.ts';
import { ACCESS, mayAct, ROLES, rolesTable, type Access } from '../../src/accounts/index.ts';
import {
  addressKey,
  afterFailure,
  afterSuccess,
  NO_FAILURES,
  secondsBlocked,
} from '../../src/accounts/lock-out.ts';
import { pictureOf, roleOf } from '../../src/accounts/oidc.ts';
import { cookieOf, sessionCookieName, setCookie } from '../../src/accounts/session-cookie.ts';
import { runs } from '../runs.ts';
import { code } from './open.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MINUTE = 60_000;

suite('The table of roles', () => {
  test('docs/roles.md is what the table says (node scripts/roles.ts)', () => {
    assert.equal(readFileSync(join(ROOT, 'docs/roles.md'), 'utf8'), rolesTable());
  });

  test('a role may what those before it may', () => {
    for (const [i, role] of ROLES.entries())
      for (const [j, needed] of ROLES.entries()) assert.equal(mayAct(role, needed), i >= j);
  });

  test('only signing in, setting up, the document of the API and the keys of evidence are open to everybody', () => {
    const open = Object.entries<Access>(ACCESS).flatMap(([key, access]) =>
      access === 'anonymous' ? [key] : [],
    );
    assert.deepEqual(open, [
      'GET /openapi.json',
      'POST /setup',
      'POST /setup/check',
      'POST /session',
      'POST /session/password',
      'GET /session/oidc',
      'GET /session/oidc/callback',
      'GET /evidence/public-key',
    ]);
  });

  test('what changes something for others is not for viewers', () => {
    const own = [
      'DELETE /session',
      'PUT /session/password',
      'POST /tokens',
      'DELETE /tokens/{id}',
      'POST /policies/whatif', // keeps nothing for a viewer
      'POST /runtime/whatif', // writes nothing
    ];
    for (const [key, access] of Object.entries<Access>(ACCESS))
      if (!key.startsWith('GET ') && access === 'viewer') assert.ok(own.includes(key), key);
  });
});

suite('Lock-out', () => {
  /** Fails as often as it may and tells at which minutes. */
  function guess(minutes: number): number[] {
    let kept = NO_FAILURES;
    const at: number[] = [];
    for (let now = 1e12; now < 1e12 + minutes * MINUTE; now += 1000) {
      if (secondsBlocked(kept, now) > 0) continue;
      kept = afterFailure(kept, now);
      at.push((now - 1e12) / MINUTE);
    }
    return at;
  }

  test('five failures are free, then 1, 2, 4, 8 and 15 minutes pass between them', () => {
    assert.deepEqual(
      guess(46).map((minute) => Math.round(minute)),
      [0, 0, 0, 0, 0, 1, 3, 7, 15, 30, 45],
    );
  });

  test('a day of guessing costs less than twelve hashes an hour', () => {
    const at = guess(24 * 60);
    assert.ok(at.length < 110, String(at.length));
    for (let hour = 0; hour < 24; hour += 0.5)
      assert.ok(at.filter((minute) => minute >= hour * 60 && minute < hour * 60 + 60).length <= 12);
  });

  test('after an hour without failure they are forgotten', () => {
    let kept = NO_FAILURES;
    for (let i = 0; i < 4; i += 1) kept = afterFailure(kept, 1e12);
    assert.equal(afterFailure(kept, 1e12 + 60 * MINUTE).failures, 5);
    assert.equal(afterFailure(kept, 1e12 + 60 * MINUTE + 1).failures, 1);
  });

  test('no clock that was wrong locks anybody out for longer than the longest wait', () => {
    const ahead = { failures: 9, lastAt: 9e15 - 15 * MINUTE, blockedUntil: 9e15 };
    assert.equal(secondsBlocked(ahead, 1e12), 0, 'else it would be 15 minutes for ever');
    assert.equal(afterFailure(ahead, 1e12).failures, 1);
    const near = { failures: 9, lastAt: 1e12 + MINUTE, blockedUntil: 1e12 + 16 * MINUTE };
    assert.equal(secondsBlocked(near, 1e12), 15 * 60, 'clocks of two replicas differ');
    assert.equal(afterFailure(near, 1e12).failures, 10);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 45 }), { maxLength: 30 }), (times) => {
        let kept = NO_FAILURES;
        for (const at of times) {
          kept = afterFailure(kept, at);
          const seconds = secondsBlocked(kept, at);
          assert.ok(seconds >= 0 && seconds <= 900);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  test('a success forgives an address one failure', () => {
    const four = { failures: 4, lastAt: 5, blockedUntil: 0 };
    assert.deepEqual(afterSuccess(four), { ...four, failures: 3 });
    assert.equal(afterSuccess(NO_FAILURES), NO_FAILURES);
  });

  test('addresses are counted by host for IPv4 and by /64 for IPv6', () => {
    const keys = (addresses: string[]): Set<string> => new Set(addresses.map(addressKey));
    assert.deepEqual([...keys(['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:192.0.2.1'])], ['address:192.0.2.1']);
    assert.equal(keys(['192.0.2.1', '192.0.2.2']).size, 2);
    assert.deepEqual([...keys(['192.0.2.1:1025', '192.0.2.1:65535'])], ['address:192.0.2.1']);
    assert.deepEqual([...keys(['[2001:db8::1]:1025', '[2001:db8::2]:9'])], ['address:2001:db8:0:0::/64']);
    assert.deepEqual(
      [
        ...keys([
          '2001:db8::1',
          '2001:0db8:0:0:ffff::2',
          '2001:DB8::3:4',
          '2001:db8::1%eth0',
          '2001:db8:0:0:1:2:3:4',
        ]),
      ],
      ['address:2001:db8:0:0::/64'],
    );
    assert.equal(keys(['2001:db8::1', '2001:db8:0:1::1', '2001:db8:1::', '::1', 'fe80::1']).size, 5);
    for (const odd of ['', 'unknown', 'x'.repeat(500)]) assert.ok(addressKey(odd).length <= 108);
  });
});

suite('Requests of browsers', () => {
  const rule = { origins: ['https://ipo.example.com'], cookie: true };
  const shapes: readonly (readonly [string, Record<string, string>, boolean])[] = [
    ['our own page', { 'sec-fetch-site': 'same-origin', origin: 'https://ipo.example.com' }, true],
    ['the address bar', { 'sec-fetch-site': 'none' }, true],
    ['our own page in a browser without Sec-Fetch-Site', { origin: 'https://ipo.example.com' }, true],
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, false],
    [
      'another site that claims our origin',
      { 'sec-fetch-site': 'cross-site', origin: 'https://ipo.example.com' },
      false,
    ],
    [
      'another host of the same site',
      { 'sec-fetch-site': 'same-site', origin: 'https://www.example.com' },
      false,
    ],
    ['another site in a browser without Sec-Fetch-Site', { origin: 'https://evil.example' }, false],
    ['a sandboxed frame', { origin: 'null' }, false],
    ['our host by plain HTTP', { origin: 'http://ipo.example.com' }, false],
    ['our host on another port', { origin: 'https://ipo.example.com:8443' }, false],
    ['a host that begins like ours', { origin: 'https://ipo.example.com.evil.example' }, false],
    ['an odd value', { 'sec-fetch-site': 'same-origin, cross-site' }, false],
    ['no page at all', {}, false],
  ];
  for (const [what, headers, taken] of shapes)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      test(`${method} with a cookie from ${what} is ${taken ? 'taken' : 'refused'}`, () => {
        const act = (): void => holdOrigin({ method, headers }, rule);
        if (taken) act();
        else assert.throws(act, code('forbidden'));
      });

  test('what changes nothing is taken from anywhere, and a sign-in from a program', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      holdOrigin({ method, headers: { 'sec-fetch-site': 'cross-site' } }, rule);
    holdOrigin({ method: 'POST', headers: {} }, { ...rule, cookie: false });
    assert.throws(
      () =>
        holdOrigin(
          { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } },
          { ...rule, cookie: false },
        ),
      code('forbidden'),
    );
  });

  test('the cookie is bound to the host over HTTPS, and plain on loopback', () => {
    const https = { https: true };
    assert.equal(
      setCookie(sessionCookieName(https), 'ipos_x', 43_200.9, https),
      '__Host-ipo_session=ipos_x; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure',
    );
    const http = { https: false };
    assert.equal(
      setCookie(sessionCookieName(http), '', 0, http),
      'ipo_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    );
  });

  test('the first cookie of a name counts, and a name inside of another does not', () => {
    assert.equal(cookieOf('a=1; ipo_oidc=first; ipo_oidc=second', 'ipo_oidc'), 'first');
    for (const header of [undefined, '', 'xipo_oidc=1', 'ipo_oidc', 'ipo_oidcx=1', ['ipo_oidc=1']])
      assert.equal(cookieOf(header, 'ipo_oidc'), null);
  });
});

suite('E-mail addresses and names', () => {
  test('an address is kept in lower case', () => {
    assert.equal(readEmail('  Ada@Example.COM '), 'ada@example.com');
    assert.equal(readEmail('ünï@exämple.de'.normalize('NFD')), 'ünï@exämple.de');
  });
  for (const text of [
    '',
    'ada',
    'ada@',
    '@example.com',
    'a@b@c',
    'a b@c',
    'a\n@c',
    'a@c\u200b',
    'a@c\u202e',
    '<a@c>',
    `${'a'.repeat(250)}@c.de`,
  ])
    test(`${JSON.stringify(text).slice(0, 30)} is not an address`, () => {
      assert.throws(() => readEmail(text), code('invalid_request'));
    });
  test('a name is kept without needless spaces', () => {
    assert.equal(readName('  Ada   Lovelace '), 'Ada Lovelace');
    assert.equal(readName('王小明'), '王小明');
  });
  for (const text of [
    '',
    '   ',
    'a'.repeat(101),
    'a\u0000b',
    'a\nb',
    'a\u202eb',
    '\ud800',
    'user:abc',
    'USER:abc',
  ])
    test(`${JSON.stringify(text).slice(0, 30)} is not a name`, () => {
      assert.throws(() => readName(text), code('invalid_request'));
    });
});

suite('Roles by the identity provider', () => {
  const values = { ops: 'administrator', dev: 'deployer', all: 'viewer' } as const;
  test('the highest role of the values counts', () => {
    const mapping = { claim: 'groups', values, standard: null };
    assert.equal(roleOf(mapping, { groups: ['all', 'ops', 'dev'] }), 'administrator');
    assert.equal(roleOf(mapping, { groups: 'dev' }), 'deployer');
    assert.equal(roleOf(mapping, { groups: ['none', 7, null, {}] }), null);
    assert.equal(roleOf({ ...mapping, standard: 'viewer' }, {}), 'viewer');
    assert.equal(roleOf({ ...mapping, claim: null, standard: 'viewer' }, { groups: ['ops'] }), 'viewer');
  });
  test('a claim may stand inside of others, and its whole name goes first', () => {
    const claims = { realm_access: { roles: ['dev'] }, 'https://ipo.dev/roles': ['ops'] };
    assert.equal(roleOf({ claim: 'realm_access.roles', values, standard: null }, claims), 'deployer');
    assert.equal(roleOf({ claim: 'https://ipo.dev/roles', values, standard: null }, claims), 'administrator');
  });
  test('names that every object has give no role', () => {
    for (const claim of ['__proto__', 'constructor', 'constructor.name', 'groups.__proto__', 'groups.length'])
      assert.equal(roleOf({ claim, values, standard: null }, { groups: ['ops'] }), null);
    assert.equal(
      roleOf({ claim: 'groups', values, standard: null }, { groups: ['constructor', '__proto__'] }),
      null,
    );
  });
  test('a picture is kept when it is an HTTPS address', () => {
    assert.equal(pictureOf({ picture: 'https://example.com/a.png' }), 'https://example.com/a.png');
    for (const picture of [
      null,
      'http://example.com/a.png',
      'javascript:alert(1)',
      'data:text/html,x',
      'x',
      `https://e.com/${'a'.repeat(2000)}`,
    ])
      assert.equal(pictureOf({ picture }), null);
  });
});

suite('Copies of a name', () => {
  const ada = { name: 'Ada Lovelace', email: 'ada@example.com' };
  const gone = (text: string): string => withoutPerson(text, ada, 'user:x');
  for (const [text, rewritten] of [
    ['ada@example.com', 'user:x'],
    ['Ada Lovelace', 'user:x'],
    ['accepted by Ada Lovelace, for a week', 'accepted by user:x, for a week'],
    ['ask ADA@example.com.', 'ask user:x.'],
    ['mailto:ada@example.com', 'mailto:user:x'],
    ['lada@example.com', 'lada@example.com'],
    ['ada@example.com.au', 'ada@example.com.au'],
    ['Ada Lovelaces', 'Ada Lovelaces'],
    ['Lada Lovelace', 'Lada Lovelace'],
    ['$& Ada Lovelace $1', '$& user:x $1'],
  ] as const)
    test(`${text} becomes ${rewritten}`, () => assert.equal(gone(text), rewritten));

  test('a name of one word is rewritten where it is the whole text', () => {
    assert.equal(withoutPerson('shop', { name: 'shop', email: null }, 'user:x'), 'user:x');
    assert.equal(
      withoutPerson('the shop policy', { name: 'shop', email: null }, 'user:x'),
      'the shop policy',
    );
  });

  test('inside of JSON every text is rewritten, and no key', () => {
    assert.deepEqual(
      withoutPersonIn(
        { 'Ada Lovelace': ['Ada Lovelace', { by: 'ada@example.com', n: 1, no: null }] },
        ada,
        'user:x',
      ),
      {
        'Ada Lovelace': ['user:x', { by: 'user:x', n: 1, no: null }],
      },
    );
  });

  test('signs of regular expressions in a name are letters', () => {
    assert.equal(
      withoutPerson('by A. (B) [C] $x', { name: 'A. (B) [C] $x', email: null }, 'user:x'),
      'by user:x',
    );
    assert.equal(withoutPerson('by Ax (B)', { name: 'A. (B)', email: null }, 'user:x'), 'by Ax (B)');
    assert.equal(withoutPerson('by A. (B)!', { name: 'A. (B)', email: 'a+b@c.de' }, 'user:x'), 'by user:x!');
  });
});
