import { IpoError } from '../base/index.ts';
import type { RuleId } from './rules/catalogue.ts';

/** LEVELS are how bad a problem is, worst first: wrong; works, but not as it reads; worth knowing. */
export const LEVELS = ['error', 'warning', 'notice'] as const;

/** Level is one of them. */
export type Level = (typeof LEVELS)[number];

/** Problem is one thing wrong with a policy file, or with what it would do. */
export interface Problem {
  readonly level: Level;
  /** Stable name of the rule, as `unknown-field` or `builder-below-level`. */
  readonly rule: RuleId;
  /** Path of the field in the document (`spec.provenance.minLevel`), or empty for the whole. */
  readonly path: string;
  /** What was found, and what is allowed. One sentence without a period. */
  readonly message: string;
  /** What to do, where that can be said. */
  readonly hint: string | null;
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** inOrder sorts the problems of one file from its top to its bottom. */
export function inOrder(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** PolicyError is thrown where a valid policy is needed; it carries every problem found, the first in its message. */
export class PolicyError extends IpoError {
  override readonly name = 'PolicyError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly [Problem, ...Problem[]]) {
    const [first] = problems;
    super('invalid_policy', first.message, {
      place: { file: first.file, line: first.line, column: first.column },
      hint: first.hint ?? undefined,
    });
    this.problems = problems;
  }
}
