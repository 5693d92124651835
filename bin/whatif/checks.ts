import { DAY_MS, nearest, parseTime } from '../../src/base/index.ts';
import { DENIAL_LABELS } from '../../src/decision/index.ts';
import type { FailedCheck } from '../../src/whatif/report/index.ts';
import { counted, formatCount } from '../../src/render/index.ts';
import { MAX_DAYS, type WhatIfResult } from '../../src/whatif/index.ts';
import { UsageError } from '../terminal/usage.ts';

/** Check is one `--fail-on`: a count, and the most that is tolerated. */
export interface Check {
  readonly check: string;
  readonly tolerated: number;
}

/** What `--fail-on` can hold: the two totals, what of them the edit itself did (`baseline.policy_effect`), the labels. */
const COUNTS = [
  'would_deny',
  'would_allow',
  'edit_would_deny',
  'edit_would_allow',
  ...DENIAL_LABELS,
] as const;

/** parseChecks reads the values of `--fail-on`. Throws UsageError. */
export function parseChecks(values: readonly string[]): readonly Check[] {
  return values.map((value) => {
    const [, check = '', tolerated = '0'] = /^([^=]*)(?:=(.*))?$/s.exec(value) ?? [];
    if (!(COUNTS as readonly string[]).includes(check)) {
      const close = nearest(check, COUNTS);
      throw new UsageError(
        `--fail-on ${value}: not a valid count; valid are ${COUNTS.join(', ')}`,
        close === null ? 'Write for example --fail-on would_deny=10' : `Did you mean "${close}"?`,
      );
    }
    if (!/^[0-9]{1,15}$/.test(tolerated)) {
      throw new UsageError(
        `--fail-on ${value}: the maximum must be a whole number`,
        `Write --fail-on ${check}=10 to accept up to ten`,
      );
    }
    return { check, tolerated: Number(tolerated) };
  });
}

/** runChecks holds the counts of an answer against the checks. */
export function runChecks(checks: readonly Check[], result: WhatIfResult): readonly FailedCheck[] {
  const { would_deny, would_allow, baseline } = result;
  const counts: Readonly<Record<string, number>> = {
    ...result.would_deny_by_reason,
    would_deny,
    would_allow,
    edit_would_deny: baseline.policy_effect.would_deny,
    edit_would_allow: baseline.policy_effect.would_allow,
  };
  return checks.map(({ check, tolerated }) => {
    const count = counts[check] ?? 0;
    return { check, tolerated, count, broken: count > tolerated };
  });
}

/** Held is the period of an export, as its header has it. */
export interface Held {
  readonly from: string;
  readonly to: string;
}

/** whatIsOpen says in one sentence what makes an answer inconclusive, or gives null. */
export function whatIsOpen(result: WhatIfResult, held: Held | null = null): string | null {
  if (result.evaluated === 0 && result.not_evaluated.count === 0 && result.break_glass_skipped === 0) {
    const has = isOutside(result, held) ? `; the export covers ${held.from} to ${held.to}` : '';
    return `the ledger has no row of the ${counted(result.days, 'day')} before ${result.as_of} in a namespace that the policy governs${has}`;
  }
  if (result.truncated)
    return `rows were left out: only the newest ${formatCount(result.limit)} were decided`;
  if (result.not_evaluated.count > 0)
    return `${counted(result.not_evaluated.count, 'row')} could not be decided`;
  return null;
}

/** isOutside tells whether an export ends or begins outside the longest period that can be asked for: to look further back is in vain. */
export function isOutside({ as_of }: WhatIfResult, held: Held | null): held is Held {
  if (held === null) return false;
  const to = parseTime(as_of);
  return parseTime(held.from) > to || parseTime(held.to) < to - MAX_DAYS * DAY_MS;
}
