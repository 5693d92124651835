import { printable } from '../../base/index.ts';
import { counted, formatCount } from '../../render/index.ts';
import type { WhatIfResult } from '../result.ts';
import { changesNothing } from './headline.ts';

/** Point is a short title with the sentence that belongs to it. */
export interface Point {
  readonly title: string;
  readonly text: string;
}

/**
 * editText says in one sentence what the edit itself does, which the counts by themselves do not tell: a draft that means the same as the
 * policy in effect still differs from answers given before the last scans. Null where it has nothing to add.
 */
export function editText(result: WhatIfResult): string | null {
  const { baseline, evaluated } = result;
  if (evaluated - baseline.missing <= 0) return null;
  const does = effectOf(result);
  if (does !== null) return `The edit itself ${does} than ${inForce(result)} does today.`;
  return changesNothing(result)
    ? null
    : `None of this comes from the edit: ${inForce(result)} decides the same today.`;
}

/** originOf tells what the edit does apart from what has changed since the admissions (scans, triage, statements). */
export function originOf(result: WhatIfResult): readonly Point[] {
  const { baseline, evaluated } = result;
  if (evaluated === 0) return [];
  const { missing, input_drift: drift, drift_unknown: unknown } = baseline;
  const compared = evaluated - missing;
  const does = effectOf(result);
  let edit =
    does === null
      ? `On the same scans the draft decides ${rowsOf(compared)} exactly as ${inForce(result)} does.`
      : `On the same scans the draft ${does} than ${inForce(result)}.`;
  if (compared <= 0)
    edit =
      'No row has a policy in effect that can decide it, so the effect of the edit cannot be told apart.';
  const without =
    missing > 0 && compared > 0
      ? ` ${counted(missing, 'row has', 'rows have')} no policy in effect to compare with.`
      : '';
  let since =
    unknown >= evaluated
      ? 'The revisions that decided these rows are not at hand, so what new scans changed cannot be told.'
      : 'No row gets another verdict today, under the same revision.';
  if (drift > 0)
    since = `${counted(drift, 'row gets', 'rows get')} another verdict today, under the same revision, because scans, triage or statements have changed.`;
  const open =
    unknown > 0 && unknown < evaluated
      ? ` For ${counted(unknown, 'row')} this cannot be told: the revision or a fact is not at hand.`
      : '';
  return [
    { title: 'The edit itself', text: edit + without },
    { title: 'What has changed since', text: since + open },
  ];
}

function effectOf({ baseline }: WhatIfResult): string | null {
  const { would_deny: deny, would_allow: allow } = baseline.policy_effect;
  const parts = [
    ...(deny > 0 ? [`denies ${counted(deny, 'row')} more`] : []),
    ...(allow > 0 ? [`allows ${counted(allow, 'row')} more`] : []),
  ];
  return parts.length === 0 ? null : parts.join(' and ');
}

function inForce({ source }: WhatIfResult): string {
  return source === null ? 'the policy in effect' : `${printable(source)} as it is in effect`;
}

/** contextText says what the deployment context did. */
export function contextText({ context }: WhatIfResult): string {
  const { mode, escalated_denials: denials } = context;
  if (mode === 'Ignore')
    return 'The draft ignores the deployment context; the signals are shown for information.';
  return denials === 0
    ? 'The draft escalates by deployment context, and no denial comes only from it.'
    : `The draft escalates by deployment context, and ${counted(denials, 'denial comes', 'denials come')} only from it.`;
}

/** NOT_EVALUATED says in words why a row could not be decided. */
const NOT_EVALUATED: Readonly<Record<string, string>> = {
  reference_invalid: 'the image reference does not parse',
  findings_unknown: 'the findings of the scan were never recorded',
  known_exploited_unknown: 'it was never recorded whether a finding is known to be exploited',
  signatures_unknown: 'the signatures were never recorded',
  attestations_unknown: 'the attestations were never recorded',
  provenance_unknown: 'the provenance was never recorded',
  vex_unknown: 'the statements of producers (VEX) were never recorded',
};

/** notEvaluatedText says why rows could not be decided, from a key of `not_evaluated.by_reason`. */
export function notEvaluatedText(reason: string): string {
  return (Object.hasOwn(NOT_EVALUATED, reason) ? NOT_EVALUATED[reason] : undefined) ?? printable(reason, 80);
}

function rowsOf(count: number): string {
  return count === 1 ? 'the one row' : `all ${formatCount(count)} rows`;
}
