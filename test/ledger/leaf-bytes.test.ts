import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hashLeaf, LeafBytes } from '../../src/ledger/index.ts';
import { runs } from '../runs.ts';

const piece = fc.oneof(
  fc.record({
    kind: fc.constant('number' as const),
    value: fc.oneof(
      fc.maxSafeNat(),
      fc.constantFrom(0, 9, 10, 999_999_999, 1_000_000_000, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER),
    ),
  }),
  fc.record({
    kind: fc.constant('text' as const),
    value: fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', '"', '\\', '\u007f', '\ud800', 'a\udfff', 'x'.repeat(4094), 'é'.repeat(3000)),
    ),
  }),
  fc.record({ kind: fc.constant('uuid' as const), value: fc.uuid() }),
  fc.record({ kind: fc.constant('part' as const), value: fc.string({ maxLength: 5000 }) }),
);

test('a leaf put together byte by byte is that of the joined texts, one after another in the same memory', () => {
  const leaf = new LeafBytes();
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (pieces, upper) => {
      leaf.part(Buffer.of(0));
      let whole = '';
      for (const { kind, value } of pieces) {
        if (kind === 'number') leaf.number(value);
        else if (kind === 'text') leaf.text(value);
        else if (kind === 'part') leaf.part(Buffer.from(value));
        else {
          const hex = value.replaceAll('-', '');
          leaf.uuid(upper ? hex.toUpperCase() : hex);
        }
        whole += kind === 'part' ? value : JSON.stringify(value);
      }
      assert.equal(leaf.hash(), hashLeaf(whole));
    }),
    { numRuns: runs(500) },
  );
});
