import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toMarkdown } from '../../../src/adapters/markup/index.ts';
import { MARKERS } from '../tracker-parts.ts';

// Readers of tables differ in what an even number of backslashes before a stroke means: for some it ends the cell, and with it the code.
for (const kind of ['code', 'text'] as const)
  test(`a stroke in a cell of ${kind} stays in it, however many backslashes are before it`, () => {
    for (let count = 0; count < 6; count += 1) {
      const cell = { kind, text: `a${'\\'.repeat(count)}|@victim` } as const;
      const text = toMarkdown(
        [{ kind: 'table', header: [[{ kind: 'text', text: 'x' }]], rows: [[[cell]]] }],
        MARKERS[0],
        10_000,
      );
      const [, , row = ''] = text.split('\n');
      const inside = row.slice(2, -2);
      const [, before = ''] = /(\\*)\|/.exec(inside) ?? [];
      assert.equal(before.length % 2, 1, row);
    }
  });
