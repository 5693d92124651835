import { counted } from '../../render/index.ts';

/** ReportContext is what a report needs beside the answer. */
export interface ReportContext {
  /** The policy file as it was given. */
  readonly file: string;
  /** Nearest written place (line and column from 1) of a path of the draft, such as `spec.severityThreshold`. */
  readonly placeOf: (path: string) => { readonly line: number; readonly column: number };
  /** Version of the program. */
  readonly version: string;
  /** Every `--fail-on`, held and broken. */
  readonly checks: readonly FailedCheck[];
}

/** FailedCheck is one `--fail-on` held against the answer. */
export interface FailedCheck {
  /** `would_deny`, `would_allow`, `edit_would_deny`, `edit_would_allow` (what the edit itself does) or a denial label. */
  readonly check: string;
  readonly count: number;
  /** The most that is tolerated. */
  readonly tolerated: number;
  /** Whether the count is above what is tolerated. */
  readonly broken: boolean;
}

/** flagOf writes a check as it is given on the command line. */
export function flagOf({ check, tolerated }: Pick<FailedCheck, 'check' | 'tolerated'>): string {
  return `--fail-on ${check}${tolerated > 0 ? `=${tolerated}` : ''}`;
}

/** isEditCheck tells a check of what the edit itself does from one of all differences. */
export function isEditCheck({ check }: Pick<FailedCheck, 'check'>): boolean {
  return check === 'edit_would_deny' || check === 'edit_would_allow';
}

/** changeOfCheck gives the count that a check belongs to: an edit's count is a part of it, a label one of its reasons. */
export function changeOfCheck({ check }: Pick<FailedCheck, 'check'>): 'would_deny' | 'would_allow' {
  return check.endsWith('would_allow') ? 'would_allow' : 'would_deny';
}

/** countOfCheck writes what a check has counted: `12 rows`, or `12 rows by the edit itself`. */
export function countOfCheck(check: Pick<FailedCheck, 'check' | 'count'>): string {
  return `${counted(check.count, 'row')}${isEditCheck(check) ? ' by the edit itself' : ''}`;
}

/** brokenText says that a check does not hold, with the count where the reasons do not tell it. */
export function brokenText(check: FailedCheck): string {
  return `${flagOf(check)} failed${isEditCheck(check) ? `: ${countOfCheck(check)}` : ''}.`;
}
