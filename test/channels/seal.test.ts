import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { Secret } from '../../src/base/index.ts';
import { CREDENTIAL_FIELDS, DataKey, isBox, seal, unseal, type Place } from '../../src/channels/index.ts';
import { decrypt, encrypt } from '../../src/channels/seal.ts';
import { runs } from '../runs.ts';

const KEY = DataKey.parse('q83vEjRWeJCrze8SNFZ4kKvN7xI0Vnis1u+p0YHC0/w=');
const OTHER = DataKey.parse(randomBytes(32).toString('base64'));
const PLACE: Place = { channelId: 'aaaaaaaaaaaaaaaa', field: 'token' };
const bytesOf = (box: string): Buffer => Buffer.from(box.slice('enc:v1:'.length), 'base64');
const boxOf = (bytes: Uint8Array): string => `enc:v1:${Buffer.from(bytes).toString('base64')}`;

test('a box opens where it belongs, and gives back exactly what was sealed', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
      fc.string({ maxLength: 20 }),
      fc.constantFrom(...CREDENTIAL_FIELDS),
      (text, channelId, field) => {
        const box = seal(KEY, { channelId, field }, new Secret(text));
        assert.match(box, /^enc:v1:[A-Za-z0-9+/]+=*$/);
        assert.equal(bytesOf(box).length, 12 + 16 + Buffer.byteLength(text));
        assert.equal(unseal(KEY, { channelId, field }, box)?.reveal(), text);
      },
    ),
    { numRuns: runs(200) },
  );
});

test('the format is fixed: this box was made by other means and must open for ever', () => {
  const box = 'enc:v1:AAECAwQFBgcICQoLZ/v7OCnBlVcRRHlniLklzlviDOlX';
  assert.equal(unseal(KEY, PLACE, box)?.reveal(), 'hello');
});

test('two boxes of one secret have nothing in common', () => {
  const boxes = new Set(Array.from({ length: 1000 }, () => seal(KEY, PLACE, new Secret('same'))));
  assert.equal(boxes.size, 1000);
  assert.equal(new Set([...boxes].map((box) => bytesOf(box).subarray(0, 12).toString('hex'))).size, 1000);
});

test('each of the 264 bits of a box counts', () => {
  const bytes = bytesOf(seal(KEY, PLACE, new Secret('12345')));
  assert.equal(bytes.length * 8, 264);
  for (let bit = 0; bit < 264; bit += 1) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.equal(unseal(KEY, PLACE, boxOf(changed)), null, `bit ${bit}`);
  }
});

test('no box opens for another channel, field or key', () => {
  const ids = [
    ...Array.from({ length: 32 }, (_, n) => `channel${n}`),
    'a|field:token',
    'a',
    'a|field:apiToken',
    '',
  ];
  const places = ids.flatMap((channelId) => CREDENTIAL_FIELDS.map((field): Place => ({ channelId, field })));
  let refused = 0;
  for (const [at, place] of places.entries()) {
    const box = seal(KEY, place, new Secret(`secret ${at}`));
    assert.equal(unseal(OTHER, place, box), null);
    for (const [other, elsewhere] of places.entries()) {
      const opened = unseal(KEY, elsewhere, box);
      if (other === at) assert.equal(opened?.reveal(), `secret ${at}`);
      else {
        assert.equal(opened, null);
        refused += 1;
      }
    }
  }
  assert.ok(refused >= 10_000, String(refused));
});

test('a box with a short tag, cut off, made longer or put together is refused', () => {
  const bytes = bytesOf(seal(KEY, PLACE, new Secret('a secret')));
  for (let length = 0; length < bytes.length; length += 1)
    assert.equal(unseal(KEY, PLACE, boxOf(bytes.subarray(0, length))), null, `first ${length}`);
  for (let missing = 1; missing <= 15; missing += 1) {
    const short = bytes.subarray(0, bytes.length - missing);
    assert.equal(unseal(KEY, PLACE, boxOf(short)), null, `tag of ${16 - missing}`);
  }
  for (let extra = 1; extra <= 64; extra += 1) {
    for (const grown of [
      Buffer.concat([bytes, Buffer.alloc(extra)]),
      Buffer.concat([Buffer.alloc(extra), bytes]),
      Buffer.concat([bytes.subarray(0, 12), Buffer.alloc(extra), bytes.subarray(12)]),
    ])
      assert.equal(unseal(KEY, PLACE, boxOf(grown)), null, `${extra} more`);
  }
  const other = bytesOf(seal(KEY, PLACE, new Secret('b secret')));
  for (const at of [12, 20]) {
    const mixed = Buffer.concat([bytes.subarray(0, at), other.subarray(at)]);
    assert.equal(unseal(KEY, PLACE, boxOf(mixed)), null);
  }
});

test('only the canonical base64 of a box is one', () => {
  const box = seal(KEY, PLACE, new Secret('four')); // 32 bytes: one = at the end
  const text = box.slice('enc:v1:'.length);
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const last = text.at(-2) ?? '';
  const spelled = letters[letters.indexOf(last) ^ 1] ?? '';
  const same = `${text.slice(0, -2)}${spelled}=`;
  assert.deepEqual(Buffer.from(same, 'base64'), bytesOf(box), 'another spelling of the same bytes');
  for (const wrong of [
    `enc:v1:${same}`,
    `enc:v1:${text.replace(/=+$/, '')}`,
    `enc:v1:${text}=`,
    `enc:v1: ${text}`,
    `enc:v1:${text}\n`,
    `enc:v1:${text.slice(0, 8)}\n${text.slice(8)}`,
    `enc:v1:${bytesOf(box).toString('base64url')}`,
    `ENC:V1:${text}`,
    `enc:v2:${text}`,
    `enc:v1:enc:v1:${text}`,
    ` ${box}`,
    'enc:v1:',
    'enc:v1:=',
    '',
    'ghp_plain',
    `enc:v1:${'A'.repeat(4_000_000)}`,
  ]) {
    // The URL's alphabet differs from the other one only where its two letters stand.
    if (wrong === box) continue;
    assert.equal(unseal(KEY, PLACE, wrong), null, wrong.slice(0, 60));
  }
  assert.deepEqual([isBox(box), isBox('ghp_plain')], [true, false]);
});

test('whatever else is given as a box is refused and never throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 80 })), (made) => {
      const box = typeof made === 'string' ? `enc:v1:${made}` : boxOf(made);
      assert.equal(unseal(KEY, PLACE, box), null);
    }),
    { numRuns: runs(2000) },
  );
});

test('DATA_KEY is the base64 of 32 random bytes, and what is none is refused with a reason', () => {
  const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /is not valid base64/],
    ['change me', /is not valid base64/],
    [`${encode(randomBytes(32))}\n`, /is not valid base64/],
    [randomBytes(32).toString('hex').slice(0, 63), /is not valid base64/],
    [encode(randomBytes(16)), /holds 16 bytes where 32 are needed/],
    [encode(randomBytes(31)), /holds 31 bytes/],
    [encode(randomBytes(33)), /holds 33 bytes/],
    [encode(Buffer.from(encode(randomBytes(32)))), /holds 44 bytes/],
    [encode(Buffer.alloc(32)), /is not a random key/],
    [encode(Buffer.alloc(32, 0xab)), /is not a random key/],
    [encode(Buffer.from('0123456789abcdef0123456789abcdef')), /is not a random key/],
    [encode(Buffer.from('this-is-a-placeholder-change-me!')), /is not a random key/],
    [encode(Buffer.from(Array.from({ length: 32 }, (_, n) => n))), /is not a random key/],
    [encode(Buffer.from(Array.from({ length: 32 }, (_, n) => 255 - 3 * n))), /is not a random key/],
    [encode(Buffer.concat([randomBytes(8), Buffer.alloc(24)])), /is not a random key/],
    [
      encode(Buffer.concat(Array.from({ length: 4 }, () => Buffer.from('c0ffee00deadbeef', 'hex')))),
      /is not a random/,
    ],
  ];
  for (const [text, why] of refused)
    assert.throws(() => DataKey.parse(text), { code: 'invalid_config', message: why }, text);
  for (let n = 0; n < 2000; n += 1) DataKey.parse(encode(randomBytes(32)));
});

test('a key prints as nothing, and a key for one purpose is not that for another', () => {
  const text = randomBytes(32).toString('base64');
  const key = DataKey.parse(text);
  for (const shown of [
    String(key),
    JSON.stringify({ key }),
    inspect(key),
    inspect({ key }, { showHidden: true }),
  ]) {
    assert.match(shown, /\[redacted\]/);
    assert.doesNotMatch(shown, new RegExp(Buffer.from(text, 'base64').toString('hex')));
    assert.ok(!shown.includes(text));
  }
  const credentials = key.derive('tracker-credentials');
  assert.equal(credentials.length, 32);
  assert.deepEqual(credentials, DataKey.parse(text).derive('tracker-credentials'));
  assert.notDeepEqual(credentials, key.derive('issue-markers'));
  assert.notDeepEqual(credentials, Buffer.from(text, 'base64'));
});

interface Vectors {
  readonly testGroups: readonly {
    readonly keySize: number;
    readonly ivSize: number;
    readonly tagSize: number;
    readonly tests: readonly {
      readonly tcId: number;
      readonly comment: string;
      readonly key: string;
      readonly iv: string;
      readonly aad: string;
      readonly msg: string;
      readonly ct: string;
      readonly tag: string;
      readonly result: 'valid' | 'invalid' | 'acceptable';
    }[];
  }[];
}

const url = new URL('../../../shared/data/wycheproof/aes_gcm_test.json', import.meta.url);
const skip = existsSync(url) ? false : 'aes_gcm_test.json of Wycheproof is not at hand';

suite('Wycheproof aes_gcm_test.json', { skip }, () => {
  if (skip !== false) return;
  const { testGroups } = JSON.parse(readFileSync(url, 'utf8')) as Vectors;
  const hex = (text: string): Buffer => Buffer.from(text, 'hex');

  test('vectors of our key, nonce and tag sizes open or are refused as they say; all others are refused', () => {
    let ours = 0;
    let invalid = 0;
    let others = 0;
    for (const { keySize, ivSize, tagSize, tests } of testGroups) {
      for (const { tcId, comment, result, ...vector } of tests) {
        const [key, nonce, aad, message] = [
          hex(vector.key),
          hex(vector.iv),
          hex(vector.aad),
          hex(vector.msg),
        ];
        const box = Buffer.concat([hex(vector.ct), hex(vector.tag)]);
        const opened = decrypt(key, nonce, aad, box);
        if (keySize !== 256 || ivSize !== 96 || tagSize !== 128) {
          assert.equal(opened, null, `${tcId} ${comment}`);
          others += 1;
        } else if (result === 'valid') {
          assert.deepEqual(opened, message, `${tcId} ${comment}`);
          assert.deepEqual(encrypt(key, nonce, aad, message), box, `${tcId} ${comment}`);
          ours += 1;
        } else {
          assert.equal(opened, null, `${tcId} ${comment}`);
          invalid += 1;
        }
      }
    }
    assert.ok(ours > 30 && invalid > 20 && others > 100, `${ours} ${invalid} ${others}`);
  });
});
