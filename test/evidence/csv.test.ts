import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvHead, csvLine, readCsv } from '../../src/evidence/csv.ts';

const COLUMNS = { name: 'text', at: 'time', yes: 'flag', many: 'count', all: 'list' } as const;

const record = fc.record(
  {
    name: fc.option(fc.string({ minLength: 1, unit: 'grapheme' }), { nil: null }),
    at: fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: null }),
    yes: fc.option(fc.boolean(), { nil: null }),
    many: fc.option(fc.nat(), { nil: null }),
    all: fc.array(fc.stringMatching(/^[=a-z'-]{1,5}$/), { maxLength: 3 }),
  },
  { noNullPrototype: true },
);

async function read(chunks: readonly Uint8Array[]) {
  const found = [];
  for await (const batch of readCsv(COLUMNS, 'x.csv', chunks)) found.push(...batch);
  return found;
}

test('a table comes back as it was written, however it is cut, and no cell is a formula', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { maxLength: 5 }),
      fc.integer({ min: 1, max: 9 }),
      async (records, cut) => {
        const text = csvHead(COLUMNS) + records.map((one) => csvLine(COLUMNS, one)).join('');
        const bytes = Buffer.from(text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / cut) }, (_, i) =>
          bytes.subarray(i * cut, (i + 1) * cut),
        );
        assert.deepEqual(await read(chunks), records);
        const begins = text.replaceAll(/"((?:[^"]|"")*)"/g, (_, cell: string) =>
          /^[=+@\t]/.test(cell) ? cell : 'x',
        );
        assert.doesNotMatch(begins, /(^|,|\n)[=+@\t]/);
      },
    ),
    // A comma inside of quotes begins no cell.
    { examples: [[[{ name: ',+ ', at: null, yes: null, many: null, all: [] }], 1]] },
  );
});

test('a damaged table is refused with its line', async () => {
  const head = csvHead(COLUMNS);
  for (const [text, line] of [
    ['a,b\r\n', 1],
    [`${head}x,,,\r\n`, 2],
    [`${head}x,yesterday,,,\r\n`, 2],
    [`${head}x,,maybe,,\r\n`, 2],
    [`${head}x,,,,\r\n"y`, 3],
    ['', 1],
  ] as const)
    await assert.rejects(
      read([Buffer.from(text)]),
      (error: { code: string; place: { line: number } }) =>
        error.code === 'damaged' && error.place.line === line,
    );
});
