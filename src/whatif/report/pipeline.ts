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
import { flagOf, type FailedCheck, type ReportContext } from './context.ts';
import { brokenBy, reasonText, toFindings } from './findings.ts';
import { headlineText, periodText } from './headline.ts';
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
 * check, a warning for what would be refused, a notice for what would be let in, and the headline as a notice.
 */
export function toAnnotations(result: WhatIfResult, context: ReportContext): string {
  const headline: Finding = {
    ruleId: 'whatif',
    ruleTitle: 'ipo what-if',
    level: 'note',
    message: [headlineText(result), editText(result), `Period: ${periodText(result)}.`]
      .filter((text) => text !== null)
      .join('\n'),
    file: context.file,
    ...context.placeOf('metadata.name'),
  };
  const findings = toFindings(result, context).map((finding): Finding => {
    const change = finding.level === 'error' ? 'would_deny' : 'would_allow';
    const broken = brokenBy({ change, label: finding.ruleId }, context.checks).length > 0;
    const title = `${change} ${finding.ruleId}: ${counted(Number(finding.properties?.['rows'] ?? 0), 'row')}`;
    return {
      ...finding,
      ruleTitle: title,
      level: broken ? 'error' : change === 'would_deny' ? 'warning' : 'note',
    };
  });
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
      period: periodText(result),
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
  const text = `${check.check}: ${counted(check.count, 'row')}, ${formatCount(check.tolerated)} tolerated`;
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
