import { z } from 'zod';
import { policyJsonSchema } from '../../policy/index.ts';

const { $schema: _dialect, $id: _id, title: _title, ...document } = policyJsonSchema();

/**
 * policySchema is a policy document inside a body. It is described by the schema of a policy; the policy's own reader checks
 * it, so that its problems read as `ipo policy lint` prints them.
 */
export const policySchema = z
  .unknown()
  .refine((value) => value !== undefined, { error: 'is missing; a policy document is needed' })
  .meta({ ...document, id: 'PolicyDocument' });

const time = z.iso.datetime().describe('RFC 3339, UTC');
const revision = z
  .string()
  .describe('SHA-256 of the canonical spec with its defaults; one meaning has one revision');
const by = z.string().nullable().describe('`user:<account_id>`');

/** storedPolicySchema is a policy in effect. */
export const storedPolicySchema = z
  .object({
    name: z.string(),
    revision,
    enforcement: z.enum(['Audit', 'Enforce']),
    target_namespaces: z.array(z.string()).describe('Empty for the whole cluster'),
    created_at: time,
    updated_at: time,
    updated_by: by,
    document: policySchema,
    invalid: z
      .object({
        fault: z.string().describe('What is wrong with the document'),
        in_effect: z.boolean().describe('Whether its last valid revision, `revision`, decides meanwhile'),
      })
      .nullable()
      .describe(
        'Null for a valid policy. An ImagePolicy object can be made invalid beside this API: `document` is then that object’s, ' +
          '`revision` (empty where there is none), `enforcement` and `target_namespaces` are those in effect; a PUT or a DELETE fixes it',
      ),
  })
  .meta({ id: 'Policy' });

/** StoredPolicyBody is a policy in effect as the API answers it. */
export type StoredPolicyBody = z.infer<typeof storedPolicySchema>;

/** writtenPolicySchema is the answer of a write. */
export const writtenPolicySchema = storedPolicySchema
  .extend({
    changed: z
      .boolean()
      .describe(
        'False when the policy stood so already: nothing was written. Another document of the same meaning keeps the revision',
      ),
  })
  .meta({ id: 'WrittenPolicy' });

/** WrittenPolicyBody is the answer of a write. */
export type WrittenPolicyBody = z.infer<typeof writtenPolicySchema>;

/** revisionSummarySchema is one line of a policy's history. */
export const revisionSummarySchema = z
  .object({
    revision,
    recorded_at: time.describe('When it was first in effect'),
    recorded_by: by,
    recorded_by_name: z
      .string()
      .nullable()
      .describe('Name or address of the account; null where there is none'),
    current: z.boolean().describe('Whether it is in effect now'),
  })
  .meta({ id: 'PolicyRevisionSummary' });

/** RevisionSummaryBody is one line of a policy's history. */
export type RevisionSummaryBody = z.infer<typeof revisionSummarySchema>;

/** revisionSchema is a revision with its document. */
export const revisionSchema = revisionSummarySchema
  .extend({ name: z.string(), document: policySchema })
  .meta({ id: 'PolicyRevision' });

/** RevisionBody is a revision with its document. */
export type RevisionBody = z.infer<typeof revisionSchema>;

/** policyName is the name of a policy in a path. */
export const policyName = z
  .string()
  .min(1)
  .max(253, { error: 'is not a valid policy name: it has more than 253 characters' })
  .describe('Name of the policy');

/** policyPath and revisionPath are the parameters of the paths. */
export const policyPath = z.strictObject({ name: policyName });
export const revisionPath = z.strictObject({
  name: policyName,
  revision: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: 'is not a revision: 64 lowercase hexadecimal digits' })
    .describe('SHA-256 of the revision, in hex'),
});
