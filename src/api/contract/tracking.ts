import { z } from 'zod';
import { TRACKER_KINDS } from '../../channels/index.ts';
import { END_REASONS, REMEDIATION_STATES } from '../../trackers/index.ts';
import { pageSchema } from './paging.ts';

const time = z.iso.datetime().describe('RFC 3339, UTC');

/** trackingSchema is a row of the tracking history: one per image digest and CVE, or per alert of a detector's rule on an image. */
export const trackingSchema = z
  .object({
    id: z.int(),
    digest: z.string(),
    image: z.string().nullable().describe('Newest name of the image when it was filed'),
    kind: z
      .enum(['finding', 'runtime'])
      .describe('A critical finding, or alerts of a rule of the runtime detector'),
    cve: z.string().nullable().describe('Null for a runtime alert'),
    rule: z.string().nullable().describe('The rule of the detector; null for a finding'),
    severity: z.string().nullable().describe('Of a runtime alert the priority'),
    generation: z.int().describe('How often it was filed again: after an expired triage, or by a person'),
    state: z.enum(['open', 'closed']),
    reason: z.enum(END_REASONS).nullable().describe('Only `fixed` counts as remediation'),
    channel_id: z.string().describe('The channel that filed it; stays when the channel is deleted'),
    channel_kind: z.enum(TRACKER_KINDS),
    closed_via: z.string().nullable().describe('The channel that adopted it'),
    clusters: z.array(z.string()),
    issue: z
      .object({ key: z.string(), url: z.string() })
      .nullable()
      .describe('Null while the row is claimed and no issue is known'),
    summary: z.boolean().describe('Whether the issue is the summary of a first run'),
    claimed_at: time,
    opened_at: time.nullable(),
    closed_at: time.nullable(),
    issue_left_open: z.boolean().describe('The comment was posted; the channel has no doneTransitionId'),
    returned_at: time.nullable().describe('When the finding was seen again after it had been closed'),
    superseded_by: z.string().nullable().describe('The digest that the same workload runs now'),
    successor_has_cve: z.boolean().nullable(),
    withheld: z.string().nullable().describe('Why it is not closed although it seems to have ended'),
    last_event_at: time.nullable().describe('When the last event of the rule came from the image'),
    attempts: z.int(),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'Tracking' });

/** TrackingBody is a row as the API answers it. */
export type TrackingBody = z.infer<typeof trackingSchema>;

const exact = (name: string) =>
  z
    .string()
    .min(1, { error: `${name} must not be empty` })
    .max(255, { error: `${name} is too long` })
    .optional();
const yes = (name: string) =>
  z
    .enum(['true', 'false'], { error: `${name} must be true or false` })
    .transform((value) => value === 'true')
    .optional();

/** trackingQuery narrows and pages the history. */
export const trackingQuery = z.strictObject({
  state: z.enum(['open', 'closed'], { error: 'state must be open or closed' }).optional(),
  reason: z.enum(END_REASONS, { error: `reason must be one of ${END_REASONS.join(', ')}` }).optional(),
  channel: exact('channel').describe('Id of the channel that closes the row'),
  digest: exact('digest'),
  kind: z.enum(['finding', 'runtime'], { error: 'kind must be finding or runtime' }).optional(),
  cve: exact('cve'),
  rule: exact('rule').describe('The rule of the detector'),
  image: exact('image').describe('A part of the name of the image, whatever the case'),
  returned: yes('returned').describe('Closed rows whose finding came back'),
  failed: yes('failed').describe('Rows whose last call to the tracker failed'),
  ...pageSchema.shape,
});

/** summaryQuery is the period, both ends in it; the last 90 days unless said. */
export const summaryQuery = z.strictObject({
  from: z.iso.datetime({ error: 'from must be a time such as 2026-10-01T00:00:00Z' }).optional(),
  to: z.iso.datetime({ error: 'to must be a time such as 2026-10-31T23:59:59Z' }).optional(),
});

/** summarySchema is what came of the critical findings that were raised in a period. */
export const summarySchema = z
  .object({
    from: time,
    to: time,
    as_of: time.describe('What was closed after it counts as open'),
    window: z
      .string()
      .nullable()
      .describe('The declared window of critical findings, such as `24h0m0s`; null when none is declared'),
    connected: z.boolean().describe('Whether an enabled channel of a tracker is there'),
    opened: z.int(),
    still_open: z.int(),
    closed: z
      .object({ fixed: z.int(), triaged: z.int(), image_retired: z.int() })
      .describe('The three reasons are never merged; only `fixed` counts as remediation'),
    fixed_inside: z.int().nullable().describe('Fixes inside the window; null when none is declared'),
    fixed_late: z.int().nullable(),
    open_past_window: z.int().nullable(),
    retired_replaced: z
      .int()
      .describe('Retired and replaced by an image without the CVE; part of `image_retired`, and no fix'),
    returned: z.int().describe('Closed findings that were seen again'),
    remediation: z
      .object({ state: z.enum(REMEDIATION_STATES), sentence: z.string() })
      .describe('How the remediation windows stand, and by which rule'),
  })
  .meta({ id: 'TrackingSummary' });

/** SummaryBody is a summary as the API answers it. */
export type SummaryBody = z.infer<typeof summarySchema>;

/** trackingPath is the parameter of a row's path. */
export const trackingPath = z.strictObject({
  id: z.coerce
    .number({ error: 'id must be a number' })
    .int({ error: 'id must be a whole number' })
    .min(1, { error: 'id must be positive' }),
});

/** previewPath is the parameter of the paths below a channel. */
export const previewPath = z.strictObject({ id: z.string().max(64) });

/** previewQuery names the finding; without it the issue that the channel would open next is shown. */
export const previewQuery = z
  .strictObject({ digest: exact('digest'), cve: exact('cve') })
  .refine(({ digest, cve }) => (digest === undefined) === (cve === undefined), {
    error: 'digest and cve name a finding together',
    path: ['cve'],
  });

/** previewSchema is the issue that a channel would open. */
export const previewSchema = z
  .object({
    issue: z
      .object({
        target: z.string().describe('Repository, project, or key of the project'),
        routed_by: z.enum(['label', 'default']).describe('What decided where it goes'),
        refused: z
          .enum(['not_a_repository', 'other_host', 'not_allowed'])
          .nullable()
          .describe('Why the label of the image did not decide'),
        summary: z.boolean(),
        findings: z.int().describe('Findings that it lists'),
        title: z.string(),
        labels: z.array(z.string()),
        text: z.string().describe('The text without markup'),
        comments: z
          .array(z.string())
          .describe('Texts of the comments that continue it, where one text does not hold all'),
      })
      .nullable()
      .describe('Null when nothing waits'),
  })
  .meta({ id: 'IssuePreview' });

/** PreviewBody is a preview as the API answers it. */
export type PreviewBody = z.infer<typeof previewSchema>;

/** planSchema is what a channel would file of what waits. */
export const planSchema = z
  .object({
    candidates: z.int().describe('Critical findings that nothing was filed for, over all channels'),
    alerts: z
      .int()
      .describe(
        'Runtime alerts that nothing was filed for, over all channels; they are filed before findings',
      ),
    alert_issues: z.int().describe('Issues that this channel would open for them in its next run'),
    findings: z.int().describe('Of these, what this channel would claim in its next run'),
    issues: z.int().describe('Issues that it would open for them'),
    summary: z.boolean().describe('Whether that is one summary issue'),
    waiting: z.int().describe('What no channel has room for in that run'),
    days: z.int().describe('Days of 24 hours until nothing waits any more, if nothing new is found'),
    issues_in_all: z.int().describe('Issues that this channel would have opened by then'),
    first_run: z.boolean(),
    opened: z.int().describe('Issues that it opened within 24 hours'),
    daily_cap: z.int(),
    files: z.boolean().describe('False when it is disabled or not subscribed to critical_finding'),
  })
  .meta({ id: 'ChannelPlan' });

/** PlanBody is a plan as the API answers it. */
export type PlanBody = z.infer<typeof planSchema>;
