import { labelOfSentence, type Decision } from '../decision/index.ts';
import type { Subject } from '../facts/index.ts';
import type { LedgerRow } from '../ledger/index.ts';
import type { ReplaySource } from './ports.ts';
import { subjectOf } from './subject.ts';

/**
 * RowClass stands for all rows that differ in nothing that a verdict depends on. A cluster admits the same images
 * over and over, so each class is decided once and its rows are only counted.
 */
export interface RowClass {
  /** Position among the classes, in the order of their first rows. */
  readonly index: number;
  /** A row of the class; its id, time, pod and uids belong to only one row. */
  readonly row: LedgerRow;
  /** Everything that the rows share and a verdict or the answer depends on, as JSON. */
  readonly content: string;
  /** Null when the reference does not parse, or for a break-glass row, which is not decided. */
  readonly subject: Subject | null;
  /** The draft's decision; null where there is no subject. */
  draft: Decision | null;
  outcome: Outcome;
  /** The draft against the policy in effect. */
  effect: 'none' | 'would_deny' | 'would_allow' | 'missing';
  /** The row's own revision on current inputs. */
  drift: 'none' | 'drifted' | 'unknown' | 'not_asked';
  /** Rows of the class that were walked. */
  rows: number;
  /** The groups of its changed rows by workload, kept here so that a row costs one look-up. */
  readonly groups: Map<string | null, { rows: number }>;
}

/** Outcome is what the draft makes of a row. */
export type Outcome = 'unchanged' | 'would_deny' | 'would_allow' | 'not_evaluated' | 'break_glass';

/** Beyond this many bytes, about, the classes are settled and begun again; the answers stay the same. */
const MAX_HELD = 64 * 1024 * 1024;
/** What a finding of a held image weighs, about. */
const FINDING = 150;
/** This many objects that stand for rows are remembered; one that is met again is found by its content. */
const MAX_SHAPES = 200_000;

/** RowClasses finds the class of a row by its shape, making a new one when there is none. */
export class RowClasses {
  /** By the object that stands for many rows: what makes a replay fast. */
  readonly #byShape = new Map<LedgerRow, RowClass>();
  /** By content, since a source may give two objects for one shape. */
  readonly #byContent = new Map<string, RowClass>();
  readonly #subjects = new Map<string, Subject | null>();
  readonly #source: ReplaySource;
  readonly #settle: (rows: RowClass) => void;
  #count = 0;
  #held = 0;

  /** `settle` is told each class, in order, when no more rows are counted on it. */
  constructor(source: ReplaySource, settle: (rows: RowClass) => void) {
    this.#source = source;
    this.#settle = settle;
  }

  /** The known class of a shape, or undefined. */
  find(shape: LedgerRow): RowClass | undefined {
    return this.#byShape.get(shape);
  }

  /** The class of a shape not met before: a known one of the same content, else `made` with verdicts to fill in. */
  add(shape: LedgerRow, made: (rows: RowClass) => void): RowClass {
    if (this.#byShape.size >= MAX_SHAPES) this.#byShape.clear();
    const content = contentOf(shape);
    let rows = this.#byContent.get(content);
    if (rows === undefined) {
      // Only by content: what a source shares between rows must make no difference to the digest.
      if (this.#held > MAX_HELD) this.settle();
      this.#held += content.length + 500;
      rows = {
        index: this.#count,
        row: shape,
        content,
        subject: shape.break_glass === true ? null : this.#subject(shape),
        draft: null,
        outcome: shape.break_glass === true ? 'break_glass' : 'not_evaluated',
        effect: 'none',
        drift: 'not_asked',
        rows: 0,
        groups: new Map(),
      };
      this.#count += 1;
      this.#byContent.set(content, rows);
      made(rows);
    }
    this.#byShape.set(shape, rows);
    return rows;
  }

  /** Classes of one image in one context share the subject, so that it is decided once. */
  #subject(shape: LedgerRow): Subject | null {
    const key = JSON.stringify([
      shape.image,
      shape.digest ?? null,
      shape.signals ?? null,
      shape.exposed_by ?? null,
      shape.platform ?? null,
    ]);
    let subject = this.#subjects.get(key);
    if (subject === undefined) {
      subject = subjectOf(shape, this.#source, null); // "The licence meter is not re-run."
      this.#subjects.set(key, subject);
      this.#held += (subject?.facts.scan?.findings?.length ?? 0) * FINDING;
    }
    return subject;
  }

  /** Settles every class that is held. */
  settle(): void {
    for (const rows of this.#byContent.values()) this.#settle(rows);
    this.#byContent.clear();
    this.#byShape.clear();
    this.#subjects.clear();
    this.#held = 0;
  }
}

/** isQuotaRefusal tells a row that the meter refused, by its label or its sentence. */
export function isQuotaRefusal(row: LedgerRow): boolean {
  return row.label === 'quota' || labelOfSentence(row.reason) === 'quota';
}

function contentOf(row: LedgerRow): string {
  return JSON.stringify([
    row.cluster ?? null,
    row.namespace ?? null,
    row.container ?? null,
    row.image ?? null,
    row.digest ?? null,
    row.allowed,
    row.reason,
    row.label ?? null,
    row.policy ?? null,
    row.policy_revision ?? '',
    row.break_glass === true,
    row.signals ?? null,
    row.exposed_by ?? null,
    row.platform ?? null,
  ]);
}
