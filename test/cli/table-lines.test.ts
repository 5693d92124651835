import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Chalk } from 'chalk';
import Table from 'cli-table3';
import fc from 'fast-check';
import { drawAny, drawSimple, type DrawnCell } from '../../bin/terminal/table-lines.ts';
import { runs } from '../runs.ts';

const chalk = new Chalk({ level: 1 });
const PAINTS = [String, chalk.dim, chalk.red.bold] as const;
const cell = fc
  .tuple(
    fc.string({
      unit: fc.constantFrom(...'abcXYZ019 ./:@-_[](){}<>|"\'\\$%·…—▏█✓✗'),
      maxLength: 12,
    }),
    fc.constantFrom(...PAINTS),
  )
  .map(([shown, paint]): DrawnCell => ({ shown, painted: paint(shown) }));

describe('tables', () => {
  it('of simple texts are drawn as cli-table3 draws them', () => {
    const table = fc.integer({ min: 1, max: 4 }).chain((count) => {
      const each = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
        fc.array(one, { minLength: count, maxLength: count });
      return fc.record({
        columns: each(fc.record({ align: fc.constantFrom('left' as const, 'right' as const) })),
        room: each(fc.nat(5)),
        rows: fc.array(each(cell), { maxLength: 4 }),
      });
    });
    fc.assert(
      fc.property(table, ({ columns, room, rows }) => {
        const widths = room.map(
          (more, i) => Math.max(1, ...rows.map((row) => row[i]?.shown.length ?? 0)) + more,
        );
        const trimmed = (lines: readonly string[] | null) => lines?.map((line) => line.trimEnd());
        assert.deepEqual(
          trimmed(drawSimple(rows, columns, widths)),
          trimmed(drawAny(Table, rows, columns, widths)),
        );
      }),
      { numRuns: runs(300) },
    );
  });

  for (const shown of ['漢', '©', '👍', 'e\u0301', 'a\nb', 'a\tb', 'too long'])
    it(`of ${JSON.stringify(shown)} are left to cli-table3`, () => {
      assert.equal(drawSimple([[{ shown, painted: shown }]], [{}], [3]), null);
    });
});
