import type { ParsedPolicy } from './parse.ts';
import type { Path } from './paths.ts';
import type { Level } from './problems.ts';
import type { RuleId } from './rules/catalogue.ts';

/** Remark is one thing that a rule found in a policy. */
export interface Remark {
  readonly rule: RuleId;
  readonly level: Exclude<Level, 'error'>;
  readonly path: Path;
  /** What was found, and what follows from it. One sentence without a period. */
  readonly message: string;
  readonly hint: string;
}

/** PolicyRule looks at one policy. */
export type PolicyRule = (policy: ParsedPolicy) => readonly Remark[];
