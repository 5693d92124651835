import { z } from 'zod';

const time = z.string().describe('RFC 3339, UTC');
const count = z.int().min(0);
const byReason = z.record(z.string(), count);
const change = z.enum(['would_deny', 'would_allow']);
const text = z.string().nullable();

const sample = z
  .object({
    id: z.int().describe('Number of the ledger row'),
    time,
    cluster: text,
    namespace: text,
    pod: text,
    container: text,
    image: z.string(),
    digest: text,
    change,
    recorded: z.object({ allowed: z.boolean(), label: text, reason: z.string(), policy: text }),
    draft: z.object({ allowed: z.boolean(), label: text, reason: z.string() }),
  })
  .meta({ id: 'WhatIfSample', description: 'One changed row' });

const group = z
  .object({
    change,
    namespace: text,
    workload: text,
    image: z.string(),
    label: z.string(),
    reason: z.string(),
    rows: count,
    newest: time,
  })
  .meta({ id: 'WhatIfGroup', description: 'Changed rows of one workload, image and reason' });

const baseline = z.object({
  policy_effect: z
    .object({ would_deny: count, would_allow: count })
    .describe('The draft against the policy in effect now, on the same inputs'),
  missing: count.describe('Rows without a policy to compare with'),
  input_drift: count.describe('Rows whose own revision no longer gives the recorded verdict'),
  drift_unknown: count,
});

/** whatIfResultSchema is the answer of a what-if: the same bytes as offline, but for `kept` and `run_id`. */
export const whatIfResultSchema = z
  .object({
    as_of: time.describe('End of the period, and the time at which triage is judged'),
    days: z.int().min(1).max(90),
    limit: count.describe('The most rows that are decided; 0 for all'),
    policy: z.object({ name: z.string(), revision: z.string() }),
    source: text.describe('Name of the policy that the draft was edited from'),
    evaluated: count.describe('Ledger rows decided'),
    distinct_images: count,
    break_glass_skipped: count,
    truncated: z.boolean().describe('Whether a covered row was left out by the limit'),
    unchanged: count,
    would_deny: count,
    would_allow: count,
    would_deny_by_reason: byReason.describe('By denial label'),
    would_allow_by_reason: byReason.describe('By the recorded label; `other` where it cannot be recovered'),
    samples: z.array(sample).max(200).describe('Changed rows, newest first'),
    context: z.object({
      mode: z.enum(['Ignore', 'Escalate']),
      signals: byReason.describe('Rows by signal; every one of the six'),
      escalated_denials: count,
      rows_without_context: count,
      note: z.string().optional(),
    }),
    not_evaluated: z.object({ count, by_reason: byReason }).describe('Rows that could not be decided'),
    unscanned: z.array(z.object({ digest: z.string(), image: z.string(), rows: count })).max(500),
    unscanned_total: count,
    baseline: baseline.describe('The effect of the edit, apart from what new scans changed'),
    groups: z.array(group).max(100),
    groups_total: count,
    by_day: z.array(z.object({ date: z.string(), evaluated: count, would_deny: count, would_allow: count })),
    policy_changes: z
      .array(z.object({ path: z.string(), before: z.unknown(), after: z.unknown() }))
      .nullable()
      .describe('What the draft changes in the policy in effect; null when there is none to compare with'),
    notes: z.array(z.string()),
    inputs_digest: z.string().describe('SHA-256 over everything that the answer is made from'),
    kept: z.boolean().describe('Whether the run was stored'),
    run_id: text,
  })
  .meta({ id: 'WhatIfResult' });
