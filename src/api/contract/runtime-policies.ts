import { z } from 'zod';
import { runtimePolicyJsonSchema } from '../../runtime/index.ts';
import { policyName, storedPolicySchema } from './policies.ts';

const { $schema: _dialect, ...document } = runtimePolicyJsonSchema();

/** runtimePolicySchema is a RuntimePolicy document inside a body; the reader of runtime policies checks it. */
export const runtimePolicySchema = z
  .unknown()
  .refine((value) => value !== undefined, { error: 'is missing; a RuntimePolicy document is needed' })
  .meta({ ...document, id: 'RuntimePolicyDocument' });

/** storedRuntimePolicySchema is a runtime policy of the service. */
export const storedRuntimePolicySchema = storedPolicySchema
  .omit({ document: true, invalid: true })
  .extend({
    revision: z
      .string()
      .describe('SHA-256 of the canonical spec with its defaults; empty where none is in effect'),
    stop_mode: z.enum(['immediate', 'graceful']),
    document: runtimePolicySchema,
    invalid: z
      .object({
        fault: z.string().describe('Why the document is not in effect'),
        in_effect: z.boolean().describe('Whether its last valid revision is meanwhile'),
      })
      .nullable()
      .describe('Null for a policy that is in effect; a PUT or a DELETE fixes it'),
  })
  .meta({ id: 'RuntimePolicy' });

/** StoredRuntimePolicyBody is a runtime policy as the API answers it. */
export type StoredRuntimePolicyBody = z.infer<typeof storedRuntimePolicySchema>;

/** writtenRuntimePolicySchema is the answer of a write. */
export const writtenRuntimePolicySchema = storedRuntimePolicySchema
  .extend({ changed: z.boolean().describe('False when the policy stood so already: nothing was written') })
  .meta({ id: 'WrittenRuntimePolicy' });

/** runtimePolicyPath is the parameter of its path. */
export const runtimePolicyPath = z.strictObject({ name: policyName.describe('Name of the runtime policy') });
