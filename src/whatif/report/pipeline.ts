import {
  counted,
  formatCount,
  toAnnotations as writeAnnotations,
  toJUnit as writeJUnit,
  toSarif as writeSarif,
  type Finding,
  type JUnitCase,
} from '../../render/index.ts';
import type { WhatIfResult } from '../result.ts';
import {
  brokenText,
  countOfCheck,
  flagOf,
  isEditCheck,
  type FailedCheck,
  type ReportContext,
} from './context.ts';
import { brokenBy, reasonFindings, reasonText, toFindings } from './findings.ts';
import { coverText, headlineText } from './headline.ts';
import { editText } from './origin.ts';
import { reasonsOf, type Reason } from './reasons.ts';

/** toSarif writes an answer as a SARIF 2.1.0 log: a result for each reason, on the line of the field behind it. */
export function toSarif(result: WhatIfResult, context: ReportContext): string {
  const {
    as_of,
    days,
    limit,
    evaluated,
    unchanged,
    would_deny,
    would_allow,
    not_evaluated,
    truncated,
    baseline,
    inputs_digest,
  } = result;
  const properties = {
    policy: result.policy,
    as_of,
    days,
    limit,
    evaluated,
    unchanged,
    would_deny,
    would_allow,
    break_glass_skipped: result.break_glass_skipped,
    not_evaluated: not_evaluated.count,
    truncated,
    baseline,
    inputs_digest,
    checks: context.checks,
  };
  return writeSarif(toFindings(result, context), {
    version: context.version,
    category: `ipo-whatif/${result.policy.name}`,
    properties,
  });
}

/**
 * toAnnotations writes an answer as workflow commands of GitHub Actions: an error for each reason that breaks a
 * check, a warning for what would be denied, a notice for what would be allowed, and the headline: an error where
 * what the edit itself does breaks a check, else a notice.
 */
export function toAnnotations(result: WhatIfResult, context: ReportContext): string {
  const edits = context.checks.filter((check) => check.broken && isEditCheck(check));
  const headline: Finding = {
    ruleId: 'whatif',
    ruleTitle: 'ipo what-if',
    level: edits.length > 0 ? 'error' : 'note',
    message: [
      headlineText(result),
      editText(result),
      ...edits.map(brokenText),
      `Period: ${coverText(result)}.`,
    ]
      .filter((text) => text !== null)
      .join('\n'),
    file: context.file,
    ...context.placeOf('metadata.name'),
  };
  const findings = reasonFindings(result, context).map((finding): Finding => ({
    ...finding,
    ruleTitle: `${String(finding.properties?.['change'])} ${finding.ruleId}: ${counted(Number(finding.properties?.['rows'] ?? 0), 'row')}`,
  }));
  return writeAnnotations([headline, ...findings]);
}

/**
 * toJUnit writes an answer as one test suite: a case for each `--fail-on`, and one for each reason, which fails when
 * it breaks a check and else says what it counts.
 */
export function toJUnit(result: WhatIfResult, context: ReportContext): string {
  const reasons = (['would_deny', 'would_allow'] as const).flatMap((change) => reasonsOf(result, change));
  const cases = [
    ...context.checks.map((check) => checkCase(check)),
    ...reasons.map((reason) => reasonCase(reason, result, context)),
  ];
  return writeJUnit({
    name: `ipo what-if ${result.policy.name}`,
    cases:
      cases.length > 0 ? cases : [{ name: 'no difference', classname: CLASS, output: headlineText(result) }],
    properties: {
      headline: headlineText(result),
      period: coverText(result),
      policy: context.file,
      evaluated: result.evaluated,
      unchanged: result.unchanged,
      would_deny: result.would_deny,
      would_allow: result.would_allow,
      not_evaluated: result.not_evaluated.count,
      inputs_digest: result.inputs_digest,
    },
  });
}

const CLASS = 'ipo.whatif';

function checkCase(check: FailedCheck): JUnitCase {
  const text = `${check.check}: ${countOfCheck(check)}, ${formatCount(check.tolerated)} tolerated`;
  const about = { name: flagOf(check), classname: `${CLASS}.checks` };
  return check.broken
    ? { ...about, failure: { type: 'fail-on', message: text, text } }
    : { ...about, output: text };
}

function reasonCase(reason: Reason, result: WhatIfResult, context: ReportContext): JUnitCase {
  const about = { name: `${reason.change} ${reason.label}`, classname: `${CLASS}.${reason.change}` };
  const text = reasonText(reason, result, context);
  return brokenBy(reason, context.checks).length > 0
    ? { ...about, failure: { type: reason.label, message: counted(reason.count, 'row'), text } }
    : { ...about, output: text };
}
