/** STATES are how a check ends, best first. */
export const STATES = ['ok', 'warn', 'fail'] as const;

/** State is one of STATES. */
export type State = (typeof STATES)[number];

/** Subject is what is examined. */
export type Subject = 'service' | 'cluster' | 'data' | 'upgrade';

/** Verdict is what a check found. */
export type Verdict =
  | { readonly state: 'ok'; readonly message: string }
  | {
      readonly state: 'warn' | 'fail';
      /** What is wrong, with its value: a sentence without a period. */
      readonly message: string;
      /** What to do: a sentence without a period. */
      readonly hint: string;
    };

/** Check judges one thing by facts that were gathered. */
export interface Check<F> {
  /** Stable: `webhook.certificate`. */
  readonly id: string;
  /** Null where it does not apply; several where several things are wrong. `at`: UTC milliseconds. */
  judge(facts: F, at: number): Verdict | readonly Verdict[] | null;
}

/** CheckResult is one line of a report. */
export interface CheckResult {
  readonly id: string;
  readonly subject: Subject;
  readonly state: State;
  readonly message: string;
  readonly hint: string | null;
}

/** DoctorReport is what `ipo doctor` found. */
export interface DoctorReport {
  readonly state: State;
  readonly counts: Readonly<Record<State, number>>;
  readonly checks: readonly CheckResult[];
}

export const ok = (message: string): Verdict => ({ state: 'ok', message });
export const warn = (message: string, hint: string): Verdict => ({ state: 'warn', message, hint });
export const fail = (message: string, hint: string): Verdict => ({ state: 'fail', message, hint });

/** examine runs checks over facts. A check that several things are wrong for gives a line for each. */
export function examine<F>(
  checks: readonly Check<F>[],
  subject: Subject,
  facts: F,
  at: number,
): readonly CheckResult[] {
  return checks.flatMap(({ id, judge }) => {
    const found = judge(facts, at);
    if (found === null) return [];
    return (Array.isArray(found) ? found : [found as Verdict]).map((verdict: Verdict) => ({
      id,
      subject,
      state: verdict.state,
      message: verdict.message,
      hint: verdict.state === 'ok' ? null : verdict.hint,
    }));
  });
}

/** toReport sums results up. */
export function toReport(checks: readonly CheckResult[]): DoctorReport {
  const count = (state: State): number => checks.filter((one) => one.state === state).length;
  const counts = { ok: count('ok'), warn: count('warn'), fail: count('fail') };
  const right = counts.warn > 0 ? 'warn' : 'ok';
  return { state: counts.fail > 0 ? 'fail' : right, counts, checks };
}
