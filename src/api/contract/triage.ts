import { z } from 'zod';
import { parseTime } from '../../base/index.ts';
import { TRIAGE_STATES } from '../../inventory/index.ts';
import { pageSchema } from './paging.ts';

const time = z.string().describe('RFC 3339, UTC');

/** triageSchema is a decision that a CVE does not count on an image until a time, or that the image holds nothing to scan. */
export const triageSchema = z
  .object({
    id: z.int(),
    digest: z.string(),
    image: z.string().nullable().describe('The name the image was seen under last'),
    cve: z
      .string()
      .nullable()
      .describe('Null: the decision is on the image itself, that it holds no packages to scan'),
    severity: z.string().nullable().describe('The highest of its findings when it was decided'),
    reason: z.string(),
    triaged_by: z.string().describe('Name of the account; `user:<account_id>` once it is anonymised'),
    account_id: z.string().nullable(),
    created_at: time,
    until: time,
    ended_at: time.nullable().describe('When it was taken back before its end'),
    state: z.enum(TRIAGE_STATES).describe('Active, expired, or ended early'),
  })
  .meta({ id: 'Triage' });

/** newTriageSchema decides. */
export const newTriageSchema = z
  .strictObject({
    digest: z
      .string({ error: 'digest must be a text' })
      .describe('`sha256:<64 lowercase hexadecimal digits>`'),
    cve: z
      .string({ error: 'cve must be a text' })
      .min(1, { error: 'cve must not be empty' })
      .max(200, { error: 'cve must have at most 200 characters' })
      .optional()
      .describe('The CVE that does not count'),
    no_packages: z
      .literal(true, { error: 'no_packages must be true, or left out' })
      .optional()
      .describe(
        'In place of `cve`: the image holds no packages to scan, so that no scan of it is waited for',
      ),
    reason: z
      .string({ error: 'reason must be a text' })
      .trim()
      .min(1, { error: 'reason must not be empty' })
      .max(2000, { error: 'reason must have at most 2000 characters' }),
    until: z
      .string({ error: 'until must be a time' })
      .refine((text) => !Number.isNaN(parseTime(text)), { error: 'until is not an RFC 3339 time' })
      .optional()
      .describe(
        'RFC 3339. Left out: as long as `sla.triage` of the policies over the image says, else 2160 hours',
      ),
  })
  .superRefine(({ cve, no_packages }, context) => {
    if ((cve === undefined) !== (no_packages === undefined)) return;
    const message =
      cve === undefined ? 'cve is missing; or say no_packages' : 'cve and no_packages exclude each other';
    context.addIssue({ code: 'custom', path: ['cve'], message });
  })
  .meta({ id: 'NewTriage' });

/** triageQuery narrows and pages the list of decisions. */
export const triageQuery = z.strictObject({
  digest: z.string().max(200).optional().describe('Decisions on this image'),
  cve: z.string().max(200).optional().describe('Decisions on this CVE'),
  state: z
    .enum(TRIAGE_STATES, { error: `state must be one of ${TRIAGE_STATES.join(', ')}` })
    .optional()
    .describe('Decisions that are active, expired, or ended early'),
  ...pageSchema.shape,
});

/** triagePath is the parameter of a decision's path. */
export const triagePath = z.strictObject({
  id: z.coerce
    .number({ error: 'id must be a number' })
    .int({ error: 'id must be a whole number' })
    .min(1, { error: 'id must be positive' }),
});

/** TriageBody is a decision as the API answers it. */
export type TriageBody = z.infer<typeof triageSchema>;
