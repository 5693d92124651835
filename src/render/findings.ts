/** FINDING_LEVELS are the levels of SARIF that we use, most severe first. */
export const FINDING_LEVELS = ['error', 'warning', 'note'] as const;

/** FindingLevel is how bad a finding is. */
export type FindingLevel = (typeof FINDING_LEVELS)[number];

/** Finding is one thing to say about a place in a file, for every format that a pipeline reads. Text is plain. */
export interface Finding {
  /** Stable id of the rule: pipelines filter by it. */
  readonly ruleId: string;
  /** What the rule is about, in a few words. */
  readonly ruleTitle: string;
  /** What the rule means and what to do; the title where it is not given. */
  readonly ruleHelp?: string;
  readonly level: FindingLevel;
  readonly message: string;
  /** The file as it was given. */
  readonly file: string;
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  /** What makes it the same finding in the next run, beside rule and file; the message where it is not given. */
  readonly identity?: string;
  /** Figures for programs. */
  readonly properties?: Readonly<Record<string, unknown>>;
}
