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
      'Images with findings at or above this severity are denied. `NONE` denies none. Findings of `UNKNOWN` severity never count.',
    ),
    starter: () => `

# Deny images with findings at or above CRITICAL, HIGH, MEDIUM or LOW; NONE denies none.
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
    schema: flag('Findings that no version fixes do not count for the threshold.'),
    starter: () => `
# true: findings that no version fixes do not count for the threshold.
ignoreUnfixed: false`,
    directions: { '': ladder(itself, [true, false]) },
  }),
  admissionTiming: specField({
    schema: choice(
      ['AllowAndScan', 'DenyUntilScanned', ''],
      '',
      'Decision on an image without a scan record. Empty takes the setting `webhook.coldImagePolicy` of the service.',
    ),
    starter: () => `
# An image without a scan record: AllowAndScan, DenyUntilScanned, or "" for the setting
# webhook.coldImagePolicy of the service.
admissionTiming: ""`,
    directions: { '': ladder(itself, ['AllowAndScan', '', 'DenyUntilScanned']) },
    denies: (timing) => timing === 'DenyUntilScanned',
  }),
};
