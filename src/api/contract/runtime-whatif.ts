import { z } from 'zod';
import { MAX_RULES, runtimeRule } from '../../runtime/index.ts';
import { runtimePolicySchema } from './runtime-policies.ts';

const MAX_DAYS = 90;
const MAX_POLICIES = 100;
const days = { error: `days must be a whole number between 1 and ${MAX_DAYS}` };

/** runtimeWhatIfBody is what is tried, and over how many days. */
export const runtimeWhatIfBody = z.strictObject({
  rules: z
    .array(runtimeRule)
    .max(MAX_RULES, { error: `rules must be at most ${MAX_RULES}` })
    .optional()
    .describe('Rules in their order; those of the service where it is left out'),
  policies: z
    .array(runtimePolicySchema)
    .max(MAX_POLICIES, { error: `policies must be at most ${MAX_POLICIES}` })
    .optional()
    .describe('Runtime policies; those in effect where it is left out. Audit is replayed as Enforce'),
  days: z.int(days).min(1, days).max(MAX_DAYS, days).default(7).describe('How many days are replayed'),
});

const maybe = z.string().nullable();
const count = z.int();
const effects = { allow: count, record: count, notify: count };

/** runtimeWhatIfSchema is the answer. */
export const runtimeWhatIfSchema = z
  .object({
    evaluated: count,
    tests_skipped: count.describe('Tests of the connection'),
    joined: count.describe('Events whose image is known'),
    from: count.nullable().describe('UTC milliseconds'),
    to: count.nullable(),
    effects: z.object(effects),
    alerts: count,
    issues: count,
    stops: count.describe('Pods'),
    stops_withheld: count,
    withheld_by_reason: z.record(z.string(), count),
    recorded: z
      .object({ ...effects, alerts: count, stops: count })
      .nullable()
      .describe(
        'What came of the same events when they came. One whose pod was stopped counts as `notify` too where it alerted, else as `record`',
      ),
    by_rule: z.array(z.object({ rule: maybe, action: z.string(), events: count, alerts: count })),
    by_workload: z.array(
      z.object({
        namespace: maybe,
        workload: maybe,
        image: maybe,
        digest: maybe,
        events: count,
        alerts: count,
        issues: count,
        stops: count,
        withheld: count,
      }),
    ),
    by_workload_total: count,
    samples: z
      .array(
        z.object({
          id: count,
          time: count,
          kind: z.enum(['alert', 'stop', 'withheld']),
          by: z.string(),
          rule: z.string(),
          priority: z.string(),
          namespace: maybe,
          workload: maybe,
          pod: maybe,
          image: maybe,
          why: maybe,
        }),
      )
      .describe('The newest'),
    notes: z.array(z.string()),
  })
  .meta({ id: 'RuntimeWhatIf' });
