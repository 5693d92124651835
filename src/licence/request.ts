import { z } from 'zod';
import { LicenceError } from './error.ts';

const requestSchema = z.strictObject({
  format: z.literal('ipo-licence-request-1'),
  request_id: z.string().regex(/^[a-z0-9]{8,64}$/),
  cluster_id: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  installation_id: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  cluster: z.string().max(253),
});

/** ActivationRequest is the file that a certificate is issued for; `request_id` is its nonce. */
export type ActivationRequest = z.infer<typeof requestSchema>;

/** parseRequest reads one. Throws LicenceError `malformed`. */
export function parseRequest(text: string): ActivationRequest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new LicenceError('malformed', 'this is not an activation request: it is not JSON', cause);
  }
  const parsed = requestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const format = value !== null && typeof value === 'object' && 'format' in value ? value.format : undefined;
  if (format !== 'ipo-licence-request-1')
    throw new LicenceError('malformed', 'this is not an activation request, which ipo licence request makes');
  const [issue] = parsed.error.issues;
  throw new LicenceError(
    'malformed',
    `this is not an activation request: ${issue?.path.join('.') || 'its content'} is missing or not valid`,
  );
}
