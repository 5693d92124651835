import { printable } from '../../base/index.ts';
import { counted, cutMiddle, formatCount, type Finding } from '../../render/index.ts';
import type { WhatIfResult } from '../result.ts';
import { changeLines, fieldText } from './change-lines.ts';
import { flagOf, type FailedCheck, type ReportContext } from './context.ts';
import { fieldBehind, type FieldBehind } from './label-to-field.ts';
import { labelHelp, labelTitle } from './label-help.ts';
import { imageText, reasonsOf, workloadText, type Change, type Reason } from './reasons.ts';

const SHOWN_GROUPS = 3;

/**
 * toFindings makes a finding of every reason of the answer, on the line of the policy field that is behind it:
 * `error` where rows that were let in would be refused, `note` where refused ones would be let in.
 */
export function toFindings(result: WhatIfResult, context: ReportContext): readonly Finding[] {
  return (['would_deny', 'would_allow'] as const).flatMap((change) =>
    reasonsOf(result, change).map((reason) => toFinding(reason, result, context)),
  );
}

/** brokenBy gives the checks of a `--fail-on` that a reason breaks. */
export function brokenBy(
  { change, label }: Pick<Reason, 'change' | 'label'>,
  checks: readonly FailedCheck[],
): readonly FailedCheck[] {
  return checks.filter(
    ({ broken, check }) => broken && (check === change || (change === 'would_deny' && check === label)),
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
      ? `${counted(count, 'admission')} that ${were} let in would be refused`
      : `${counted(count, 'admission')} that ${were} refused would be let in`;
  const shown = groups.slice(0, SHOWN_GROUPS);
  const rest = count - shown.reduce((sum, { rows }) => sum + rows, 0);
  const most = shown.map(
    (group) =>
      `${cutMiddle(workloadText(group), 80)} with ${imageText(group.image, 90)} (${counted(group.rows, 'row')})`,
  );
  const sentence = groups[0]?.reason ?? '';
  return [
    `${what}: ${title === '' ? label : title}.`,
    ...brokenBy(reason, context.checks).map((check) => `${flagOf(check)} does not hold.`),
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
    level: change === 'would_deny' ? 'error' : 'note',
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
