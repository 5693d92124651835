import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseLocation } from '../../src/store/engine/location.ts';
import { storableText } from '../../src/store/sql/storable.ts';
import { packUid, unpackUid } from '../../src/store/cells/uid.ts';

const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
const uuid = fc.tuple(hex(8), hex(4), hex(4), hex(4), hex(12)).map((parts) => parts.join('-'));
const text = fc
  .oneof(uuid, fc.string({ unit: 'grapheme', maxLength: 20 }), fc.string({ maxLength: 16, minLength: 14 }))
  .map(storableText);

/** Any code units, whole characters or not. */
const anything = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
  .map((units) => String.fromCharCode(...units));

test('every uid comes back as it was, and no two share their bytes', () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      assert.equal(unpackUid(packUid(one)), one);
      assert.equal(packUid(one).equals(packUid(other)), one === other);
    }),
  );
});

test('a lower-case UUID takes 16 bytes, and nothing else does', () => {
  const name = '6f1a2b3c-0000-4000-8000-00000000000a';
  assert.equal(packUid(name).length, 16);
  for (const other of [
    name.toUpperCase(),
    name.slice(1),
    `${name} `,
    '',
    'a'.repeat(15),
    'a'.repeat(16),
    'ü'.repeat(8),
  ]) {
    assert.notEqual(packUid(other).length, 16, other);
    assert.equal(unpackUid(packUid(other)), other);
  }
});

test('a storable text is whole UTF-8 without NUL, and stays as it is once it is', () => {
  fc.assert(
    fc.property(anything, fc.constantFrom('', '\0', '\ud800', '\udc00'), (before, odd) => {
      const stored = storableText(`${before}${odd}${before}`);
      assert.equal(Buffer.from(stored, 'utf8').toString('utf8'), stored);
      assert.ok(!stored.includes('\0'));
      assert.equal(storableText(stored), stored);
    }),
  );
});

test('a name of a database holds neither user nor password', () => {
  for (const [url, name] of [
    ['postgres://u:p%40ss@db.example.com:5433/ipo?sslmode=require', 'db.example.com:5433/ipo'],
    ['postgresql:///ipo', 'localhost/ipo'],
    ['postgres:///ipo?host=/var/run/postgresql&user=u&password=secret', '/var/run/postgresql/ipo'],
  ] as const) {
    const location = parseLocation(url);
    assert.deepEqual([location.engine, location.name], ['postgres', name]);
  }
  assert.deepEqual(parseLocation('sqlite:///var/lib/ipo.db').name, '/var/lib/ipo.db');
  assert.deepEqual(parseLocation('sqlite:/var/lib/ipo.db').name, '/var/lib/ipo.db');
});
