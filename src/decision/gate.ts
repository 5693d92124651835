import type { Subject } from '../facts/index.ts';
import type { DenialLabel } from './labels.ts';
import type { Rules } from './rules.ts';

/** UnknownFact names what was never recorded and could change the answer of the gate that was reached. */
export type UnknownFact =
  | 'findings'
  | 'known_exploited'
  | 'signatures'
  | 'attestations'
  | 'provenance'
  | 'vex';

/** Denial is the refusal of one gate. */
export interface Denial {
  readonly kind: 'refuse';
  readonly label: DenialLabel;
  readonly sentence: string;
}

/** Undecided is the answer of a gate that lacks a fact. */
export interface Undecided {
  readonly kind: 'unknown';
  readonly fact: UnknownFact;
}

/** Gate judges one thing. Null lets the image pass on to the next gate. `at` is in milliseconds. */
export type Gate = (rules: Rules, subject: Subject, at: number) => Denial | Undecided | null;

/** refuse makes a denial; the sentence begins as `reasons.ts` lists for the label. */
export function refuse(label: DenialLabel, sentence: string): Denial {
  return { kind: 'refuse', label, sentence };
}

/** unknown makes the answer of a gate that lacks a fact. */
export function unknown(fact: UnknownFact): Undecided {
  return { kind: 'unknown', fact };
}
