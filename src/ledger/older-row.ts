import type { Digest } from '../base/index.ts';
import { labelOfSentence } from '../decision/index.ts';
import { namedDigest } from '../facts/index.ts';
import type { LedgerRow } from './entry.ts';

/**
 * digestOfRow gives the digest that a row is about: the recorded one, else the one that its reference names, which rows of older releases
 * and of other sources leave there. Null where there is none.
 */
export function digestOfRow(row: Pick<LedgerRow, 'image' | 'digest'>): Digest | null {
  return row.digest || namedDigest(row.image ?? '');
}

/** labelOfRow gives the label of a refusal: the recorded one, else the one that its sentence shows, else `other`. */
export function labelOfRow(row: Pick<LedgerRow, 'label' | 'reason'>): string {
  return row.label || labelOfSentence(row.reason) || 'other';
}
