import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { printOf, readPrints, UID_SEGMENT, UidPrints } from '../../src/store/ledger/uid-prints.ts';

const uid = (n: number): Buffer => createHash('sha256').update(String(n)).digest().subarray(0, 16);

test('every row is found by its fingerprint, in tables of a million rows, and few others are', () => {
  const prints = new UidPrints();
  // In three tables, the second of which holds nothing.
  const ids = Array.from({ length: 3_000 }, (_, i) => (i < 2_000 ? 1 : 2 ** 21) + i * 7);
  for (const id of ids) prints.add(printOf(uid(id)), id);
  for (const id of ids) assert.ok(prints.rows(printOf(uid(id))).includes(id), String(id));
  const others = Array.from({ length: 20_000 }, (_, i) => prints.rows(printOf(uid(-i))).length);
  assert.ok(others.reduce((sum, count) => sum + count, 0) < 20);
});

test('rows with one fingerprint are all found, also where the table begins again', () => {
  for (const print of [1, 0xffffffff, 0xfffff000, 0x1000]) {
    const prints = new UidPrints();
    for (let id = 1; id <= 20; id += 1) prints.add(print, id);
    assert.deepEqual(
      prints.rows(print),
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
  }
});

test('what is stored of a segment is read as it was, and refused as soon as a byte of it is another', () => {
  const prints = new UidPrints();
  const first = UID_SEGMENT * 3 + 1;
  for (let id = first; id < first + UID_SEGMENT; id += 5) prints.add(printOf(uid(id)), id);
  const stored = prints.seal(3);
  const read = readPrints(stored, 3);
  assert.equal(read?.length, UID_SEGMENT);
  assert.deepEqual([read[0], read[1], read[5]], [printOf(uid(first)), 0, printOf(uid(first + 5))]);
  assert.equal(readPrints(stored, 2), null, 'of another segment');
  assert.equal(readPrints(stored.subarray(1), 3), null);
  assert.equal(readPrints(Buffer.alloc(0), 3), null);
  for (const at of [0, 17, stored.length - 40, stored.length - 1]) {
    const damaged = Buffer.from(stored);
    damaged[at] = (damaged[at] as number) ^ 1;
    assert.equal(readPrints(damaged, 3), null, String(at));
  }
});

test('fingerprints stay what they are, since they are stored', () => {
  assert.equal(printOf(Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')), 3_851_142_693);
  assert.equal(printOf(Buffer.from('any other text')), 3_649_742_444);
});
