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
  if (does !== null)
    return `Compared with ${inForce(result)} on the same facts, the draft ${does}.${onlyOne(result)}`;
  if (changesNothing(result)) return null;
  return isAsInEffect(result)
    ? `The draft is ${inForce(result)}, so none of this comes from an edit.`
    : `None of this comes from the edit: ${inForce(result)} ${result.source === null ? 'give' : 'gives'} the same verdicts.`;
}

/** sourceText says what a draft was edited from: `edited from prod-baseline`; null where that was not given. */
export function sourceText(
  result: Pick<WhatIfResult, 'source' | 'policy_changes'>,
  written: (name: string) => string = printable,
): string | null {
  if (result.source === null) return null;
  return isAsInEffect(result)
    ? `the ${written(result.source)} in effect`
    : `edited from ${written(result.source)}`;
}

/** A policy in effect that is replayed as it is (`ipo policy whatif`) was not edited. */
function isAsInEffect({
  source,
  policy_changes: changes,
}: Pick<WhatIfResult, 'source' | 'policy_changes'>): boolean {
  return source !== null && changes !== null && changes.length === 0;
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
      ? `On the same scans, the draft gives ${rowsOf(compared)} the same verdict as ${inForce(result)}.`
      : `On the same scans, the draft ${does} than ${inForce(result)}.${onlyOne(result)}`;
  if (compared <= 0)
    edit = 'No row has a policy in effect that can decide it, so the effect of the edit is unknown.';
  const without =
    missing > 0 && compared > 0
      ? ` ${counted(missing, 'row has', 'rows have')} no policy in effect to compare with.`
      : '';
  let since =
    unknown >= evaluated
      ? 'The ledger lacks the policy revisions that decided these rows, so what new scans changed is unknown.'
      : 'No row would get another verdict today from the policy revision that decided it.';
  if (drift > 0)
    since = `${counted(drift, 'row')} would get another verdict today from the policy revision that decided ${drift === 1 ? 'it' : 'them'}, because scans, triage or VEX statements have changed.`;
  const open =
    unknown > 0 && unknown < evaluated
      ? ` ${counted(unknown, 'row')} could not be compared: the ledger lacks ${unknown === 1 ? 'its' : 'their'} policy revision or a fact.`
      : '';
  return [
    { title: 'The edit itself', text: edit + without },
    { title: 'What has changed since', text: since + open },
    ...(compared > 0 && unknown < evaluated ? whyNoSum(result) : []),
  ];
}

/** The rows that differ are counted against the record, the two effects against policies: said where a reader would add them up in vain. */
function whyNoSum({ baseline, would_deny, would_allow, would_allow_by_reason }: WhatIfResult): Point[] {
  const { policy_effect: effect, input_drift: drift } = baseline;
  const changed = would_deny + would_allow;
  if (changed === 0 || effect.would_deny + effect.would_allow + drift === changed) return [];
  const quota = (would_allow_by_reason['quota'] ?? 0) > 0 ? ', or because of a licence limit' : '';
  return [
    {
      title: 'Why the sum differs',
      text: `These two effects do not add up to the ${counted(changed, 'changed row')}. A row can be counted in both effects. A row is in neither if its verdict changed only because its policy was revised after the admission${quota}.`,
    },
  ];
}

function effectOf({ baseline }: WhatIfResult): string | null {
  const { would_deny: deny, would_allow: allow } = baseline.policy_effect;
  const parts = [
    ...(deny > 0 ? [`denies ${counted(deny, 'more row')}`] : []),
    ...(allow > 0
      ? [deny > 0 ? `allows ${formatCount(allow)} more` : `allows ${counted(allow, 'more row')}`]
      : []),
  ];
  return parts.length === 0 ? null : parts.join(' and ');
}

function inForce({ source }: WhatIfResult): string {
  return source === null ? 'the policies in effect' : `the ${printable(source)} in effect`;
}

/** With a source, each row is compared with that policy, also one that another policy decided. */
function onlyOne({ source, baseline }: WhatIfResult): string {
  return source === null || baseline.policy_effect.would_deny === 0
    ? ''
    : ' Other policies are not counted; they may deny some of these rows already.';
}

/** contextText says what the deployment context did. */
export function contextText({ context, would_deny_by_reason: reasons }: WhatIfResult): string {
  const { mode, escalated_denials: denials } = context;
  const wereAllowed = Math.min(denials, reasons['context'] ?? 0);
  const wereDenied = denials - wereAllowed;
  if (mode === 'Ignore')
    return 'The draft ignores the deployment context; the signals are shown for information.';
  if (denials === 0)
    return 'The draft escalates by deployment context. Without that, it would deny the same rows.';
  const recorded = [
    ...(wereAllowed > 0 ? [`${formatCount(wereAllowed)} ${wereAllowed === 1 ? 'was' : 'were'} allowed`] : []),
    ...(wereDenied > 0 ? [`${formatCount(wereDenied)} ${wereDenied === 1 ? 'was' : 'were'} denied`] : []),
  ];
  return `The draft denies ${counted(denials, 'row')} only because it escalates by deployment context. When recorded, ${recorded.join(' and ')}.`;
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
