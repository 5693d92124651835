import type { PolicyRule, Remark } from '../rule.ts';
import type { RuleId } from './catalogue.ts';
import { oneStepStricter, SPEC_FIELDS, type PolicySpec } from '../schema.ts';

/** gateRules look at settings that cannot make a difference beside the others. */
export const gateRules: PolicyRule = ({ policy: { spec } }) => [
  ...scanRemarks(spec),
  ...contextRemarks(spec),
  ...otherRemarks(spec),
];

/** Whether the scan of an image can ever refuse it under this policy. */
function judgesScans(spec: PolicySpec): boolean {
  return (
    denies(
      spec,
      SPEC_FIELDS.filter(([, { stricter }]) => stricter !== undefined),
    ) ||
    (spec.deploymentContext.mode === 'Escalate' && oneStepStricter(spec) !== null)
  );
}

function denies(spec: PolicySpec, fields: typeof SPEC_FIELDS): boolean {
  return fields.some(([name, field]) => field.denies?.(spec[name]) === true);
}

const warn = (rule: RuleId, field: string, message: string, hint: string): Remark => ({
  rule,
  level: 'warning',
  path: ['spec', ...field.split('.')],
  message,
  hint,
});

function scanRemarks(spec: PolicySpec): Remark[] {
  const remarks: Remark[] = [];
  if (spec.severityThreshold === 'NONE' && spec.ignoreUnfixed) {
    remarks.push(
      warn(
        'unfixed-unused',
        'ignoreUnfixed',
        'ignoreUnfixed limits severityThreshold, and severityThreshold NONE never denies',
        'Set a severityThreshold, or take ignoreUnfixed out',
      ),
    );
  }
  if (spec.admissionTiming === 'DenyUntilScanned' && !judgesScans(spec)) {
    remarks.push({
      ...warn(
        'scan-unused',
        'admissionTiming',
        'images wait for a scan whose result can deny none of them: no threshold is set, and neither knownExploited nor endOfLifeOS blocks',
        'Set a severityThreshold, unless all you want is that every image was scanned once',
      ),
      level: 'notice',
    });
  }
  return remarks;
}

function contextRemarks(spec: PolicySpec): Remark[] {
  const { mode, signals } = spec.deploymentContext;
  const remarks: Remark[] = [];
  if (mode === 'Ignore' && signals.length > 0) {
    remarks.push(
      warn(
        'signals-unused',
        'deploymentContext.signals',
        'signals are selected, but deploymentContext.mode is Ignore, so they escalate nothing',
        'Set the mode to Escalate, or take the signals out',
      ),
    );
  }
  if (mode === 'Escalate' && oneStepStricter(spec) === null) {
    remarks.push(
      warn(
        'escalate-nothing',
        'deploymentContext.mode',
        `nothing is left to escalate: severityThreshold ${spec.severityThreshold} has no stricter step, and neither knownExploited nor endOfLifeOS warns`,
        'Set the mode to Ignore, or one of the three to a value with a step',
      ),
    );
  }
  return remarks;
}

function otherRemarks(spec: PolicySpec): Remark[] {
  const remarks: Remark[] = [];
  if (spec.denyLatestTag && spec.digestEnforcement === 'require') {
    remarks.push({
      ...warn(
        'tag-covered',
        'denyLatestTag',
        'digestEnforcement require denies all that denyLatestTag denies; denyLatestTag changes only the label and the message of such a denial',
        'Keep denyLatestTag if you want its label and message in denials, or remove it',
      ),
      level: 'notice',
    });
  }
  if (spec.enforcement === 'Audit' && spec.runtimeReconciliation === 'enforce') {
    remarks.push(
      warn(
        'reconcile-audit',
        'runtimeReconciliation',
        'runtimeReconciliation is enforce, but a policy with enforcement Audit stops no running pod',
        'Set enforcement to Enforce, or runtimeReconciliation to audit',
      ),
    );
  }
  if (!judgesScans(spec) && !denies(spec, SPEC_FIELDS)) {
    remarks.push({
      ...warn(
        'no-gate',
        '',
        'no gate of this policy can deny an image',
        'Set a severityThreshold, allowedRegistries, signature or another gate',
      ),
      path: ['spec'],
    });
  }
  return remarks;
}
