import { z } from 'zod';
import { moment } from './moment.ts';
import { RUN_ID } from '../../whatif/index.ts';
import { pageSchema } from './paging.ts';
import { policyName, policySchema } from './policies.ts';
import { whatIfResultSchema } from './whatif-result.ts';

const momentAbout = (about: string) => moment.meta({ description: about });

/** whatIfBody is what a what-if is asked with. Ranges are the domain's to check, so that its sentences are told. */
export const whatIfBody = z
  .strictObject({
    policy: policySchema,
    days: z
      .int({ error: 'must be a whole number' })
      .optional()
      .describe('How far to look back, 1 to 90; 30 where it is left out'),
    source: policyName.optional().describe('Name of the policy in effect that the draft was edited from'),
    limit: z
      .int({ error: 'must be a whole number' })
      .optional()
      .describe('Replay at most this many of the newest rows; 0 replays all; the default is 5000'),
    as_of: momentAbout('End of the period (RFC 3339); now where it is left out').optional(),
    keep: z
      .boolean()
      .optional()
      .describe(
        "Whether the run is kept. Left out: a viewer's is not, a deployer's and an administrator's is",
      ),
  })
  .meta({ id: 'WhatIfRequest' });

/** runPath is the parameter of a kept run's path. */
export const runPath = z.strictObject({
  id: z.string().regex(RUN_ID, { error: 'is not the ID of a run' }).describe('Id of the run'),
});

/** runsQuery narrows and pages the list of kept runs. */
export const runsQuery = z.strictObject({
  policy: policyName.optional().describe('Runs of drafts of this name'),
  from: momentAbout('Runs from this time on (RFC 3339)').optional(),
  to: momentAbout('Runs until this time (RFC 3339), included').optional(),
  ...pageSchema.shape,
});

/** downloadQuery says in which form a run is downloaded. */
export const downloadQuery = z.strictObject({
  format: z
    .enum(['pdf', 'json'], { error: 'must be pdf or json' })
    .optional()
    .describe('pdf where it is left out'),
});

const count = z.int().min(0);
const time = z.string().describe('RFC 3339, UTC');

/** runSummarySchema is a kept run in a list. */
export const runSummarySchema = z
  .object({
    id: z.string(),
    at: time.describe('When it was run'),
    by: z.string().describe('`user:<account_id>`'),
    by_name: z.string().nullable().describe('Name or address of the account; null once it is anonymised'),
    policy: z.string().describe('Name of the drafted policy'),
    revision: z.string(),
    source: z.string().nullable(),
    days: z.int(),
    from: time.describe('Begin of the period'),
    as_of: time.describe('End of the period'),
    evaluated: count,
    would_deny: count,
    would_allow: count,
    kept_until: time.describe('When it is dropped, unless 500 newer runs come before'),
  })
  .meta({ id: 'WhatIfRunSummary' });

/** RunSummaryBody is a kept run in a list. */
export type RunSummaryBody = z.infer<typeof runSummarySchema>;

/** runSchema is a kept run with its draft and its answer. */
export const runSchema = runSummarySchema
  .extend({ draft: policySchema, result: whatIfResultSchema })
  .meta({ id: 'WhatIfRun' });

/** RunBody is a kept run with its draft and its answer. */
export type RunBody = z.infer<typeof runSchema>;
