import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AUDIT_COLUMNS, auditCsv, type AuditRecord } from '../../src/accounts/index.ts';
import { runs } from '../runs.ts';
import { collect } from './open.ts';

/** Reads CSV as RFC 4180 has it: every cell quoted. Written by hand, so that no library agrees with itself. */
function parse(csv: string): string[][] {
  const lines: string[][] = [];
  for (let at = 0, line: string[] = []; at < csv.length;) {
    assert.equal(csv[at], '"', `a cell that is not quoted at ${at}`);
    let cell = '';
    for (at += 1; ; at += 1) {
      assert.ok(at < csv.length, 'a cell without an end');
      if (csv[at] !== '"') cell += csv[at];
      else if (csv[at + 1] === '"') cell += csv[(at += 1)];
      else break;
    }
    line.push(cell);
    at += 1;
    if (csv[at] === ',') at += 1;
    else {
      assert.equal(csv.slice(at, at + 2), '\r\n');
      at += 2;
      lines.push(line);
      line = [];
    }
  }
  return lines;
}

async function toCsv(pages: readonly (readonly AuditRecord[])[]): Promise<string> {
  return (
    await collect(
      auditCsv(
        (async function* () {
          yield* pages;
        })(),
      ),
    )
  ).join('');
}

const record: AuditRecord = {
  id: 7,
  at: 0,
  actorId: null,
  actor: null,
  action: 'sign_in_failed',
  target: null,
  path: null,
  detail: null,
};
const TRIGGER = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

test('a line of names, then one for each entry, empty cells for what is missing', async () => {
  const full = {
    ...record,
    actorId: 'a',
    actor: 'Ada, "the Countess"',
    target: 'x\ny',
    path: 'POST /api/v1/session',
    detail: { n: 1 },
  };
  assert.deepEqual(parse(await toCsv([[record], [], [full]])), [
    [...AUDIT_COLUMNS],
    ['7', '1970-01-01T00:00:00Z', '', '', 'sign_in_failed', '', '', ''],
    [
      '7',
      '1970-01-01T00:00:00Z',
      'a',
      'Ada, "the Countess"',
      'sign_in_failed',
      'x\ny',
      'POST /api/v1/session',
      '{"n":1}',
    ],
  ]);
  assert.deepEqual(parse(await toCsv([])), [[...AUDIT_COLUMNS]]);
});

for (const text of [
  '=1+1',
  '+1',
  '-1',
  '@SUM(1)',
  '\t=1',
  '\r=1',
  '\n=1',
  ' =1',
  '\u00a0=1',
  '\u200b=1',
  '\ufeff=1',
  '\uFF1D1',
  '\uFF0B1',
  '\uFF0D1',
  '\uFF201',
])
  test(`${JSON.stringify(text)} is disarmed, and nothing else of it changed`, async () => {
    const [, cells] = parse(await toCsv([[{ ...record, target: text }]]));
    assert.equal(cells?.[5], `'${text}`);
  });

for (const text of ['1', 'a=1', "'=1", 'shop', '"=1"', '{"a":"=1"}'])
  test(`${text} stays as it is`, async () => {
    assert.equal(parse(await toCsv([[{ ...record, target: text }]]))[1]?.[5], text);
  });

test('no cell of any log starts a formula, and every cell can be read back', async () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc
      .tuple(
        fc.constantFrom('', ' ', '\t', '\u200b', '\u2028', '"', "'", ',', ';'),
        fc.constantFrom(...'=+-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20'),
        fc.string({ maxLength: 5 }),
      )
      .map((parts) => parts.join('')),
  );
  const arbitrary: fc.Arbitrary<AuditRecord> = fc.record({
    id: fc.nat(),
    at: fc.nat(),
    actorId: fc.option(hostile),
    actor: fc.option(hostile),
    action: hostile,
    target: fc.option(hostile),
    path: fc.option(hostile),
    detail: fc.option(fc.dictionary(hostile, hostile, { maxKeys: 3, noNullPrototype: true })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(arbitrary, { maxLength: 20 }), async (records) => {
      const [, ...lines] = parse(await toCsv([records]));
      assert.equal(lines.length, records.length);
      for (const [i, cells] of lines.entries()) {
        assert.equal(cells.length, AUDIT_COLUMNS.length);
        for (const cell of cells) assert.doesNotMatch(cell, TRIGGER);
        for (const [at, text] of [
          [2, records[i]?.actorId],
          [3, records[i]?.actor],
          [5, records[i]?.target],
        ] as const)
          assert.ok(cells[at] === (text ?? '') || cells[at] === `'${text}`);
      }
    }),
    { numRuns: runs(800) },
  );
});
