import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { sketchOf, UidFilter, UidFilters } from '../../src/store/uid-filter.ts';

const uid = (n: number): Buffer => createHash('sha256').update(String(n)).digest().subarray(0, 16);
const sketches = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => sketchOf(uid(from + i)));

test('a filter that was filled uid by uid is the one that is made at once, and is asked only when it is full', () => {
  const [filled, pushed] = [new UidFilters(), new UidFilters()];
  // More than one word of filters, of a few uids each.
  for (let segment = 0; segment < 35; segment += 1) {
    const own = sketches(segment * 40, segment * 40 + 40);
    for (const sketch of own.slice(0, 30)) filled.fill(sketch);
    for (const sketch of own.slice(0, 30)) assert.ok(!filled.suspects(sketch).includes(segment));
    const filter = UidFilter.of(own);
    assert.deepEqual(filled.filled(own.slice(30)).bytes, filter.bytes);
    for (const sketch of own.slice(30)) filled.fill(sketch);
    filled.seal();
    pushed.push(filter.bytes);
    for (const sketch of own) assert.ok(filled.suspects(sketch).includes(segment));
  }
  assert.equal(filled.count, 35);
  for (const sketch of sketches(0, 2_000)) assert.deepEqual(filled.suspects(sketch), pushed.suspects(sketch));
});

test('what was filled is forgotten with everything else', () => {
  const filters = new UidFilters();
  for (const sketch of sketches(0, 100)) filters.fill(sketch);
  filters.clear();
  filters.seal();
  for (const sketch of sketches(0, 100)) assert.deepEqual(filters.suspects(sketch), []);
});
