import { z } from 'zod';
import { moment } from './moment.ts';
import { AUDIT_ACTIONS, AUDIT_DAYS, MAX_EMAIL } from '../../accounts/index.ts';
import { nearest } from '../../base/index.ts';
import { listOf, pageSchema } from './paging.ts';

/** AUDIT_PAGE is how many entries are given where no limit is asked for: the log is always paged. */
export const AUDIT_PAGE = 1000;

const momentAbout = (about: string) => moment.meta({ description: about, format: 'date-time' });

const narrowed = {
  from: momentAbout(
    `Entries from this time on; where it is left out, ${AUDIT_DAYS} days before the end`,
  ).optional(),
  to: momentAbout('Entries until this time, included; now where it is left out').optional(),
  action: z
    .enum(AUDIT_ACTIONS, {
      error: ({ input }) => {
        const close = typeof input === 'string' ? nearest(input, AUDIT_ACTIONS) : null;
        return close === null
          ? `action must be one of ${AUDIT_ACTIONS.join(', ')}`
          : `unknown action ${JSON.stringify(input)}; did you mean ${close}?`;
      },
    })
    .optional()
    .describe('Entries of this kind'),
  actor: z.string().min(1).max(MAX_EMAIL).optional().describe('Id or name of who did it'),
  target: z.string().min(1).max(2000).optional().describe('What it was done to'),
};

/** auditQuery narrows and pages the log; auditCsvQuery narrows the whole of it. */
export const auditQuery = z.strictObject({
  ...narrowed,
  limit: pageSchema.shape.limit.describe(`Entries of the page; ${AUDIT_PAGE} where it is left out`),
  offset: pageSchema.shape.offset,
});
export const auditCsvQuery = z.strictObject(narrowed);

/** auditEntrySchema is an entry of the audit log. */
const auditEntrySchema = z
  .object({
    id: z.int(),
    time: z.iso.datetime().describe('RFC 3339, UTC'),
    actor_id: z.string().nullable().describe('Account; null when nobody was signed in'),
    actor: z.string().nullable().describe('Name then, or `user:<account_id>` once anonymised'),
    action: z.string(),
    target: z.string().nullable(),
    path: z.string().nullable().describe('Method and path of the call, or the command'),
    detail: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'AuditEntry' });

/** AuditEntryBody is an entry as the API answers it. */
export type AuditEntryBody = z.infer<typeof auditEntrySchema>;

/** auditSchema is a page of the log, newest first. */
export const auditSchema = listOf(auditEntrySchema).meta({ id: 'AuditLog' });

/** AuditBody is a page of the log. */
export type AuditBody = z.infer<typeof auditSchema>;
