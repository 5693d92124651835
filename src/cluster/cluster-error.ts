import { IpoError, type ErrorCode, type IpoErrorOptions } from '../base/index.ts';

/**
 * CLUSTER_FAULTS lists what can go wrong with a call to the API server, each with the service's code for it: `network` no answer,
 * `timeout` none in time, `unauthorized` 401, `forbidden` 403, `not_found` 404 (the kind may not be installed), `conflict` 409, `gone`
 * 410 (the version that was asked for is no longer kept), `invalid` 400 and 422, `rate_limited` 429, `server` 5xx, `unreadable` an
 * answer that is none of the API server's, `setup` an installation under which nothing can be called at all.
 */
const CLUSTER_FAULTS = {
  network: 'network',
  timeout: 'network',
  unauthorized: 'bad_credentials',
  forbidden: 'forbidden',
  not_found: 'not_found',
  conflict: 'conflict',
  gone: 'unavailable',
  invalid: 'invalid_request',
  rate_limited: 'rate_limited',
  server: 'server_fault',
  unreadable: 'server_fault',
  setup: 'invalid_config',
} as const satisfies Readonly<Record<string, ErrorCode>>;

/** ClusterFault is one of them. */
export type ClusterFault = keyof typeof CLUSTER_FAULTS;

/** ClusterError is a call to the API server that failed; the sentence says which, and carries no credential. */
export class ClusterError extends IpoError {
  override readonly name = 'ClusterError';
  readonly fault: ClusterFault;

  constructor(fault: ClusterFault, message: string, options: IpoErrorOptions = {}) {
    super(CLUSTER_FAULTS[fault], message, options);
    this.fault = fault;
  }
}

/** isFault tells whether an error is this fault of the API server. */
export function isFault(error: unknown, fault: ClusterFault): error is ClusterError {
  return error instanceof ClusterError && error.fault === fault;
}
