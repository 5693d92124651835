import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { makeCode, makeId, makeSecret } from '../../src/accounts/make-secret.service.ts';
import {
  readCode,
  sameDigest,
  secretHash,
  secretKind,
  toBase32,
  toCode,
  toSecret,
} from '../../src/accounts/secret.ts';
import { runs } from '../runs.ts';

suite('Secrets', () => {
  test('a token and a session are told apart, and have one form', () => {
    assert.match(makeSecret('token'), /^ipo_[0-9A-Za-z]{49}$/);
    assert.match(makeSecret('session'), /^ipos_[0-9A-Za-z]{49}$/);
    assert.equal(secretKind(makeSecret('token')), 'token');
    assert.equal(secretKind(makeSecret('session')), 'session');
  });

  test('the form of a secret never changes, since scanners know it', () => {
    assert.equal(
      toSecret('token', new Uint8Array(32)),
      'ipo_000000000000000000000000000000000000000000014uvwp',
    );
    assert.equal(
      toSecret('token', new Uint8Array(32).fill(255)),
      'ipo_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp12fCHDP',
    );
  });

  test('different bytes give different secrets', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        assert.equal(toSecret('token', one) === toSecret('token', other), Buffer.compare(one, other) === 0);
      }),
      { numRuns: runs(300) },
    );
  });

  test('a secret with one character changed, missing or added is none', () => {
    fc.assert(
      fc.property(fc.nat(52), fc.constantFrom(...'0Az9Zx-_ '), (at, letter) => {
        const secret = makeSecret('token');
        const changed = secret.slice(0, at) + letter + secret.slice(at + 1);
        if (changed !== secret) assert.equal(secretKind(changed), null);
        assert.equal(secretKind(secret.slice(0, at)), null);
        assert.equal(secretKind(secret.slice(0, at) + letter + secret.slice(at)), null);
      }),
      { numRuns: runs(300) },
    );
    const token = makeSecret('token');
    assert.equal(secretKind(token.replace('ipo_', 'ipos_')), null);
  });

  test('digests are compared whole', () => {
    assert.equal(sameDigest(secretHash('a'), secretHash('a')), true);
    assert.equal(sameDigest(secretHash('a'), secretHash('b')), false);
    assert.equal(sameDigest(secretHash('a'), secretHash('a').subarray(0, 31)), false);
  });
});

suite('One-time codes and ids', () => {
  test('a code reads back however it was typed', () => {
    const code = makeCode();
    assert.match(code, /^([a-z2-7]{5}-){4}[a-z2-7]{5}$/);
    const plain = code.replaceAll('-', '');
    for (const typed of [code, plain, code.toUpperCase(), ` ${code.replaceAll('-', ' ')}\n`])
      assert.equal(readCode(typed), plain);
    assert.equal(readCode('AAAAA-BBBBB-CCCCC-DDDDD-0L18B'), 'aaaaabbbbbcccccdddddollbb');
  });

  test('what is not a code is refused', () => {
    for (const text of [
      '',
      'abc',
      makeCode().slice(1),
      `${makeCode()}a`,
      'ä'.repeat(25),
      '-'.repeat(101),
      '!'.repeat(25),
    ])
      assert.equal(readCode(text), null, text);
  });

  test('every bit of the bytes counts', () => {
    const codes = new Set<string>();
    for (let bit = 0; bit < 125; bit += 1) {
      const bytes = new Uint8Array(16);
      bytes[bit >> 3] = 128 >> (bit & 7);
      codes.add(toCode(bytes));
    }
    assert.equal(codes.size, 125);
    assert.equal(toBase32(Buffer.from('hello'), 8), 'nbswy3dp'); // RFC 4648
  });

  test('ids are sixteen letters and digits', () => {
    assert.match(makeId(), /^[a-z2-7]{16}$/);
    assert.notEqual(makeId(), makeId());
  });
});
