import type { Digest } from '../base/index.ts';
import type { Subject } from '../facts/index.ts';
import type { PolicySpec } from '../policy/index.ts';
import type { Rules } from './rules.ts';

/** UnknownFact names what was never recorded and could change the answer of the gate that was reached. */
export type UnknownFact =
  | 'findings'
  | 'known_exploited'
  | 'signatures'
  | 'attestations'
  | 'provenance'
  | 'vex';

/** Undecided is the answer of a gate that lacks a fact. */
export interface Undecided {
  readonly kind: 'unknown';
  readonly fact: UnknownFact;
}

/** Answer is what a gate says of an image: the sentence of a refusal, what it lacks, or null to let the image pass on. */
export type Answer = string | Undecided | null;

/** Gate is one step of the decision, with all that people are told of it. `order.ts` lists the gates. */
export interface Gate<out L extends string = string> {
  /** The label of its refusals, in the ledger, the metrics and the answers. */
  readonly label: L;
  /** The fixed words with which its sentences begin, so that the label can be recovered from a recorded one. */
  readonly begins: readonly string[];
  /** What a refusal means, in a few words. */
  readonly title: string;
  /** What a refusal means and what to do about it. */
  readonly help: string;
  /** The policy fields that decide it, the one that names the gate first; empty where it is not a policy's. */
  readonly fields: readonly string[];
  /** Whether the gate is asked again under the stricter policy of a pod that escalates. */
  readonly escalates?: boolean;
  /** The spec under which it refuses what this spec only warns of; null where this one does not warn. */
  readonly warned?: (spec: PolicySpec) => PolicySpec | null;
  /** Judges an image; `at` is in milliseconds. Pure. */
  readonly judge: (rules: Rules, subject: Subject, at: number) => Answer;
  /** Says in a clause what would let a refused image pass. Foreign text in it is as it came. */
  readonly remedy: (refused: Refused) => string;
}

/** Refused is a refusal that a remedy is asked for. */
export interface Refused {
  readonly sentence: string;
  /** The spec that refused; null where it is not at hand. */
  readonly spec: PolicySpec | null;
  readonly subject: Subject;
  /** How the facts on the image were looked for; null where nobody says. */
  readonly search: Search | null;
}

/** Search is how the facts on an image were looked for. */
export interface Search {
  readonly facts: { readonly digest: Digest | null };
  /** Whether its registry was asked, and told everything; null where nobody asked it. */
  readonly registry: 'answered' | 'failed' | null;
  /** Whether the report that speaks for it found no packages. */
  readonly emptyReport: boolean;
  /** Why the service could not scan it, as a clause; null where that is not known, or nothing keeps it from it. */
  readonly obstacle: string | null;
}

/** gate keeps the label of a gate as a type, so that the list of gates gives the list of labels. */
export const gate = <const L extends string>(made: Gate<L>): Gate<L> => made;

/** unknown makes the answer of a gate that lacks a fact. */
export function unknown(fact: UnknownFact): Undecided {
  return { kind: 'unknown', fact };
}
