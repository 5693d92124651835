import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StateKeeper, StateTeller, type StatePiece } from '../../src/app/processes/kept-state.ts';
import { runs } from '../runs.ts';

const entriesOf = (names: readonly number[], value: number) =>
  new Map(names.map((name) => [`n${name}`, value]));

test('what is kept is what was told last, whatever changes, whichever process starts again, however long it is', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.record({
            kind: fc.constant('set' as const),
            names: fc.uniqueArray(fc.nat(900), { maxLength: 700 }),
            value: fc.nat(2),
          }),
          fc.record({ kind: fc.constant('teller' as const) }),
          fc.record({ kind: fc.constant('keeper' as const) }),
        ),
        { maxLength: 12 },
      ),
      (acts) => {
        let kept: ReadonlyMap<string, unknown> | null = null;
        let keeper: StateKeeper;
        const newKeeper = (): StateKeeper => {
          kept = null;
          return new StateKeeper((_, entries) => (kept = entries));
        };
        keeper = newKeeper();
        const pieces: number[] = [];
        const tell = (piece: StatePiece): void => {
          pieces.push(piece.put.length + piece.gone.length);
          keeper.take(structuredClone(piece));
        };
        let teller = new StateTeller(tell);
        let told: ReadonlyMap<string, number> | null = null;
        for (const act of acts) {
          if (act.kind === 'set') {
            told = entriesOf(act.names, act.value);
            teller.set('topic', told);
            assert.deepEqual(kept, told);
            continue;
          }
          // Either is another one now: everything is told anew.
          if (act.kind === 'keeper') {
            keeper = newKeeper();
            teller.forget();
          } else {
            teller = new StateTeller(tell);
            keeper.begin();
          }
          if (told !== null) teller.set('topic', told);
          assert.deepEqual(kept, told);
        }
        assert.ok(pieces.every((size) => size <= 400));
      },
    ),
    { numRuns: runs(60) },
  );
});

test('a topic takes effect as a whole, and what stood before holds until then', () => {
  const pieces: StatePiece[] = [];
  const teller = new StateTeller((piece) => pieces.push(structuredClone(piece)));
  const seen: number[] = [];
  const keeper = new StateKeeper((_, entries) => void seen.push(entries.size));
  teller.set('topic', entriesOf([1, 2, 3], 0));
  for (const piece of pieces.splice(0)) keeper.take(piece);
  // The teller is started again and dies before it has told everything; the next one has other things to tell.
  const many = Array.from({ length: 450 }, (_, n) => n);
  new StateTeller((piece) => pieces.push(piece)).set('topic', entriesOf(many, 1));
  keeper.begin();
  assert.equal(pieces.length, 3);
  for (const piece of pieces.splice(0, 2)) keeper.take(piece);
  assert.deepEqual(seen, [3]);
  pieces.length = 0;
  keeper.begin();
  new StateTeller((piece) => pieces.push(piece)).set('topic', entriesOf([7], 2));
  for (const piece of pieces) keeper.take(piece);
  assert.deepEqual(seen, [3, 1]);
});

test('what is the same is not told again', () => {
  const pieces: StatePiece[] = [];
  const teller = new StateTeller((piece) => pieces.push(piece));
  const policy = { name: 'shop' };
  teller.set('policies', new Map([['shop', policy]]));
  teller.set('policies', new Map([['shop', policy]]));
  teller.set('policies', new Map([['shop', { ...policy }]]));
  teller.set('empty', new Map());
  assert.deepEqual(
    pieces.map(({ topic, put, whole }) => [topic, put.length, whole]),
    [
      ['policies', 1, true],
      ['policies', 1, true],
      ['empty', 0, true],
    ],
  );
});
