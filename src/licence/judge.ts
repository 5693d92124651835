import { formatTime } from '../base/index.ts';
import type { Certificate } from './certificate.ts';
import { LicenceError } from './error.ts';

/** Expected is whom a certificate must be for. */
export interface Expected {
  readonly clusterId: string;
  /** Id of the licence key that the service is set up with; null where it has none. */
  readonly keyId: string | null;
  /** Id of the last activation request; null where none was made. */
  readonly requestId: string | null;
  /** The time, at least: milliseconds. */
  readonly at: number;
}

/**
 * refusalsOf gives every reason for which a certificate is refused at its activation, in a stated order. One that names no request answers
 * any. A part of what is expected that is left out is not asked for.
 */
export function refusalsOf(
  { body, notAfter }: Certificate,
  expected: Partial<Expected>,
): readonly LicenceError[] {
  const { clusterId, keyId, requestId, at } = expected;
  const found: LicenceError[] = [];
  if (clusterId !== undefined && body.cluster_id !== clusterId)
    found.push(
      new LicenceError(
        'other_cluster',
        `certificate is for cluster ${body.cluster_id}, this is ${clusterId}`,
      ),
    );
  if (keyId !== undefined && keyId !== null && body.key_id !== keyId)
    found.push(new LicenceError('other_key', 'certificate is for another licence key'));
  if (requestId !== undefined && body.request_id !== undefined && body.request_id !== requestId)
    found.push(new LicenceError('other_request', 'certificate answers another activation request'));
  if (at !== undefined && notAfter !== null && notAfter <= at)
    found.push(new LicenceError('expired', `certificate expired at ${formatTime(notAfter)}`));
  if (body.ceiling.nodes === undefined)
    found.push(
      new LicenceError('no_node_ceiling', 're-activate with a key issued by licence service 1.3.0 or later'),
    );
  return found;
}
