import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '../../src/base/index.ts';
import { hashLeaf, recordedRow, type Hash } from '../../src/ledger/index.ts';
import { LeafLines } from '../../src/ledger/leaf-lines.ts';
import { runs } from '../runs.ts';
import { entriesFrom } from './grown.ts';

/** What an auditor does: parse the line, drop `type`, canonicalise; null for what is no row. */
function audited(line: string): Hash | null {
  try {
    const { type, ...row } = JSON.parse(line) as Record<string, unknown>;
    if (type !== 'row' || !Number.isSafeInteger(row['id']) || (row['id'] as number) < 1) return null;
    return hashLeaf(canonicalJson(row));
  } catch {
    return null;
  }
}

/** Hashes a line as the reader of an export does: quickly where one like it was seen. */
function hashed(leaves: LeafLines, line: string): Hash | null {
  const known = leaves.hashKnown(`before\n${line}\nafter`, 7, 7 + line.length);
  if (known !== null) return known;
  try {
    const value = JSON.parse(line) as Record<string, unknown>;
    return value['type'] === 'row' ? leaves.hashParsed(value, line) : null;
  } catch {
    return null;
  }
}

const LINES = entriesFrom(1, 60)
  .flatMap(({ uid, rows }) => rows.map((row) => recordedRow(uid, row, null)))
  .map((row, i) => JSON.stringify({ type: 'row', ...row, id: i + 1 }));

test('rows that differ only in their own fields are put together from what was seen', () => {
  const leaves = new LeafLines();
  let known = 0;
  for (const line of [
    ...LINES,
    ...LINES.map((line) => line.replace(/"id":(\d+)/, '"id":1$1').replace(/"pod":"[^"]*"/, '"pod":null')),
  ]) {
    if (leaves.hashKnown(line, 0, line.length) !== null) known += 1;
    assert.equal(hashed(leaves, line), audited(line));
  }
  assert.ok(known > LINES.length / 2, `${known} lines were known`);
});

test('a row of a later release has the fields that it has', () => {
  const leaves = new LeafLines();
  for (const line of LINES.slice(0, 10)) {
    const later = line.replace('"inputs":', '"clock_suspect":true,"inputs":');
    const twice = later.replace('"id":', '"id":3000');
    assert.equal(hashed(leaves, later), audited(later));
    assert.equal(hashed(leaves, twice), audited(twice));
    assert.notEqual(audited(later), audited(line));
  }
});

test('whatever is done to a line, its hash is that of what JSON reads from it', () => {
  const leaves = new LeafLines();
  for (const line of LINES) hashed(leaves, line);
  const piece = fc.constantFrom(
    '"',
    '\\',
    '\\u0041',
    '\u0001',
    '"id":9,',
    '"pod":"x",',
    ',"pod":',
    '{',
    '}',
    'null',
    '7',
    '0',
    ' ',
    'ü',
    '',
  );
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.nat({ max: 12 }), piece, (which, place, cut, text) => {
      const line = LINES[which % LINES.length] ?? '';
      const at = place % line.length;
      const changed = line.slice(0, at) + text + line.slice(at + cut);
      const hash = hashed(leaves, changed);
      assert.equal(hash, audited(changed), changed);
    }),
    { numRuns: runs(5000) },
  );
});

test('fields of other kinds than ours are hashed as they stand', () => {
  const leaves = new LeafLines();
  let odds = 0;
  for (const line of LINES.slice(0, 5)) {
    for (const odd of ['0', '"root"', '{"a":[1]}', '[1,null]', 'true']) {
      for (const field of ['signals', 'requester', 'allowed', 'namespace', 'reason', 'pod', 'time']) {
        const changed = line.replace(
          new RegExp(`"${field}":(null|true|false|"[^"]*"|\\[[^\\]]*\\])`),
          `"${field}":${odd}`,
        );
        if (changed !== line) odds += 1;
        assert.equal(hashed(leaves, changed), audited(changed), changed);
      }
    }
  }
  assert.ok(odds > 100);
});

test('a row that is longer than any, or has no number, is refused', () => {
  const leaves = new LeafLines();
  const [line = ''] = LINES;
  const long = line.replace(/"reason":"[^"]*"/, `"reason":"${'x'.repeat(300_000)}"`);
  assert.throws(
    () => leaves.hashParsed(JSON.parse(long) as Record<string, unknown>, long),
    /longer than 256 KiB/,
  );
  for (const id of ['0', '-1', '1.5', '1e400', '"7"', 'null']) {
    const bad = line.replace('"id":1,', `"id":${id},`);
    assert.equal(hashed(leaves, bad), null, id);
  }
});
