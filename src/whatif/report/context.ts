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
  /** `would_deny`, `would_allow` or a denial label. */
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
