import { choice, flag } from '../schema-parts.ts';
import { specField } from './spec-field.ts';
import { itself, ladder } from './strictness.ts';

/** THRESHOLDS are the severities that a policy can refuse from, strictest last but `NONE`, which never refuses. */
export const THRESHOLDS = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'NONE'] as const;

/** findings says which findings deny, and what happens before there is a scan. */
export const findings = {
  severityThreshold: specField({
    schema: choice(
      THRESHOLDS,
      'CRITICAL',
      'Findings at or above this severity are refused. `NONE` never refuses. Findings of `UNKNOWN` severity never count.',
    ),
    starter: () => `

# Findings at or above: CRITICAL, HIGH, MEDIUM, LOW, or NONE to refuse none.
severityThreshold: CRITICAL`,
    directions: { '': ladder(itself, ['NONE', 'CRITICAL', 'HIGH', 'MEDIUM', 'LOW']) },
    denies: (threshold) => threshold !== 'NONE',
    // LOW and NONE have no step: what is left below LOW is not judged by severity.
    stricter: (threshold) => {
      const next = THRESHOLDS[THRESHOLDS.indexOf(threshold) + 1];
      return next === undefined || next === 'NONE' ? null : next;
    },
  }),
  ignoreUnfixed: specField({
    schema: flag('Findings that no version repairs do not count for the threshold.'),
    starter: () => `
# true: what no version repairs does not count.
ignoreUnfixed: false`,
    directions: { '': ladder(itself, [true, false]) },
  }),
  admissionTiming: specField({
    schema: choice(
      ['AllowAndScan', 'DenyUntilScanned', ''],
      '',
      'What happens to an image without a scan record. Empty takes the installation value `webhook.coldImagePolicy`.',
    ),
    starter: () => `
# An image without a scan: AllowAndScan, DenyUntilScanned, or "" for what the installation says.
admissionTiming: ""`,
    directions: { '': ladder(itself, ['AllowAndScan', '', 'DenyUntilScanned']) },
    denies: (timing) => timing === 'DenyUntilScanned',
  }),
};
