import { z } from 'zod';

/** problemSchema is the body of every error: RFC 9457, with the code, what to do, and each fault by its path. */
export const problemSchema = z
  .object({
    type: z.string().describe('Names the kind of error; an identifier, nothing to fetch'),
    title: z.string().describe('Name of the HTTP status'),
    status: z.int().min(400).max(599),
    detail: z.string().describe('What is wrong, in one sentence'),
    code: z.string().describe('Stable code of the error, such as `not_found`'),
    hint: z.string().optional().describe('What to do next'),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('Each fault of the request by its path, such as `policy.spec.sla.high`'),
    request_id: z.string().describe('Under which the log of the service has the request'),
  })
  .meta({ id: 'Problem', description: 'Error (RFC 9457)' });

/** Problem is the body of an error. */
export type Problem = z.infer<typeof problemSchema>;
