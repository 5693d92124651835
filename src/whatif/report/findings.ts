import { printable } from '../../base/index.ts';
import { counted, cutMiddle, formatCount, type Finding } from '../../render/index.ts';
import type { WhatIfResult } from '../result.ts';
import { changeLines, fieldText } from './change-lines.ts';
import { brokenText, changeOfCheck, isEditCheck, type FailedCheck, type ReportContext } from './context.ts';
import { fieldBehind, type FieldBehind } from './label-to-field.ts';
import { labelHelp, labelTitle } from './label-help.ts';
import { imageText, reasonsOf, workloadText, type Change, type Reason } from './reasons.ts';
import { othersText } from './single-pods.ts';

const SHOWN_GROUPS = 3;

/**
 * toFindings makes a finding of every reason of the answer, on the line of the policy field that is behind it, and one of every broken
 * check that no reason reports. `error` is what breaks a check, and nothing else: platforms fail a pull request for it. Else `warning`
 * where rows that were allowed would be denied, `note` where denied ones would be allowed.
 */
export function toFindings(result: WhatIfResult, context: ReportContext): readonly Finding[] {
  const reasons = reasonFindings(result, context);
  const told = new Set(reasons.map(({ properties }) => properties?.['change']));
  // Rows that were denied and that new scans would allow can be denied by the edit again: no difference, a broken check.
  const untold = context.checks.filter((check) => check.broken && !told.has(changeOfCheck(check)));
  return [...reasons, ...untold.map((check) => checkFinding(check, result, context))];
}

/** reasonFindings are the findings of only the reasons. */
export function reasonFindings(result: WhatIfResult, context: ReportContext): readonly Finding[] {
  return (['would_deny', 'would_allow'] as const).flatMap((change) =>
    reasonsOf(result, change).map((reason) => toFinding(reason, result, context)),
  );
}

/** brokenBy gives the broken checks of a `--fail-on` that a reason counts for. What the edit did is not known by reason: its check is on all of them. */
export function brokenBy(
  { change, label }: Pick<Reason, 'change' | 'label'>,
  checks: readonly FailedCheck[],
): readonly FailedCheck[] {
  return checks.filter(
    (check) =>
      check.broken &&
      changeOfCheck(check) === change &&
      (check.check === change || check.check === label || isEditCheck(check)),
  );
}

/** reasonText says on a few lines what a reason stands for: rows, the changed field, workloads, a sentence. */
export function reasonText(reason: Reason, result: WhatIfResult, context: ReportContext): string {
  const { change, label, count, groups } = reason;
  const { change: changed } = fieldBehind(label, result.policy_changes);
  const title = labelTitle(label);
  const were = count === 1 ? 'was' : 'were';
  const what =
    change === 'would_deny'
      ? `${counted(count, 'admission')} that ${were} allowed would be denied`
      : `${counted(count, 'admission')} that ${were} denied would be allowed`;
  const shown = groups.slice(0, SHOWN_GROUPS);
  const rest = count - shown.reduce((sum, { rows }) => sum + rows, 0);
  const most = shown.map((group) => {
    const others = group.others === 0 ? '' : ` ${othersText(group)}`;
    return `${cutMiddle(workloadText(group), 80)}${others} with ${imageText(group.image, 90)} (${counted(group.rows, 'row')})`;
  });
  const sentence = groups[0]?.reason ?? '';
  return [
    `${what}: ${title === '' ? label : title}.`,
    ...brokenBy(reason, context.checks).map(brokenText),
    ...(changed === null ? [] : [`${fieldText(changed)}: ${inOneLine(changed)}`]),
    ...most.map((line) => `- ${line}`),
    ...(rest > 0 && most.length > 0 ? [`- ${formatCount(rest)} more`] : []),
    ...(sentence === '' ? [] : [`Such as: ${printable(sentence, 240)}`]),
  ].join('\n');
}

function toFinding(reason: Reason, result: WhatIfResult, context: ReportContext): Finding {
  const { change, label, count } = reason;
  const field = fieldBehind(label, result.policy_changes);
  return {
    ruleId: label,
    ruleTitle: labelTitle(label) || `recorded reason: ${label}`,
    ruleHelp: labelHelp(label),
    level: levelOf(reason, context),
    message: reasonText(reason, result, context),
    file: context.file,
    ...placeOf(field, context),
    identity: `${change} ${printable(result.policy.name)}`,
    properties: {
      change: change satisfies Change,
      rows: count,
      evaluated: result.evaluated,
      field: fieldText(field),
      field_changed: field.change !== null,
    },
  };
}

function levelOf(reason: Reason, { checks }: ReportContext): Finding['level'] {
  if (brokenBy(reason, checks).length > 0) return 'error';
  return reason.change === 'would_deny' ? 'warning' : 'note';
}

function checkFinding(check: FailedCheck, result: WhatIfResult, context: ReportContext): Finding {
  const ruleId = printable(check.check, 60);
  return {
    ruleId,
    ruleTitle: `broken check: ${ruleId}`,
    ruleHelp:
      'A count of the what-if is above what --fail-on tolerates, and no difference from the recorded answers shows it. Compare the draft with the policy in effect, or tolerate more.',
    level: 'error',
    message: brokenText(check),
    file: context.file,
    ...context.placeOf('metadata.name'),
    identity: `check ${printable(result.policy.name)}`,
    properties: { check: ruleId, rows: check.count, tolerated: check.tolerated },
  };
}

function placeOf({ path }: FieldBehind, context: ReportContext): { line: number; column: number } {
  const { line, column } = context.placeOf(path);
  return { line, column };
}

function inOneLine(change: Parameters<typeof changeLines>[0]): string {
  const lines = changeLines(change, 3);
  const [first, second] = lines;
  if (!Array.isArray(change.after) && first?.sign === '-' && second?.sign === '+')
    return `${first.text} → ${second.text}`;
  return lines.map(({ sign, text }) => (sign === '…' ? text : `${sign} ${text}`)).join(', ');
}
