import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseVkey, type Verification } from '../../src/ledger/index.ts';
import { TORTURE } from '../runs.ts';
import { makeSigner } from './grown.ts';

/** TIMES is how many more cases there are under torture: 1,200 over twelve classes, on exports and two databases, then 12,000. */
export const TIMES = TORTURE ? 10 : 1;
/** ROWS is how many rows the ledger has. */
export const ROWS = 530;
/** KEPT is how many rows it had when its checkpoint was stored outside the service. */
export const KEPT = 300;
/** SIGNED are the sizes that were signed. */
export const SIGNED = [120, KEPT, 400, ROWS];
/** The key of the log, another one, and what a verifier knows. */
export const signer = makeSigner();
export const other = makeSigner();
export const keys = [parseVkey(signer.vkey)];

/** Found is what a check must find: the first bad row, or null where no row is bad; `exact` when it must name that row alone. */
export interface Found {
  readonly row: number | null;
  readonly exact?: boolean;
}

/** Pick is where and how a case changes something. */
export interface Pick {
  readonly row: number;
  readonly another: number;
  readonly bit: number;
}

/** places gives any place. */
export const places = fc.record({
  row: fc.integer({ min: 2, max: ROWS - 1 }),
  another: fc.integer({ min: 2, max: ROWS - 1 }),
  bit: fc.nat({ max: 255 }),
});

/** mustFind holds what a check found against what it must. */
export function mustFind(result: Verification | string, { row, exact = false }: Found, what: string): void {
  assert.ok(typeof result === 'string' || !result.holds, `${what} was not found`);
  if (typeof result === 'string' || row === null) {
    assert.ok(
      typeof result === 'string' || result.firstBad === null,
      `${what}: no row is bad, and one was named`,
    );
    return;
  }
  const { firstBad } = result;
  const story = `${what}: ${JSON.stringify(firstBad)} of ${JSON.stringify(result.checks)}`;
  assert.ok(firstBad !== null && firstBad.from <= row && row <= firstBad.to, story);
  if (exact) assert.equal(firstBad.from, row, story);
}

/** forged gives a note in which one character says something else. */
export function forged(note: string, { bit }: Pick): string {
  const places = [...note.matchAll(/[0-9A-Za-z+/]/g)].map(({ index }) => index);
  const at = places[(bit * 7) % places.length] ?? 0;
  return note.slice(0, at) + (note[at] === 'A' ? 'B' : 'A') + note.slice(at + 1);
}
