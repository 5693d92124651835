import { IpoError } from '../base/index.ts';

/** LICENCE_FAULTS are why a certificate is refused. */
export const LICENCE_FAULTS = [
  'malformed',
  'not_signed',
  'other_cluster',
  'other_key',
  'other_request',
  'expired',
  'no_node_ceiling',
] as const;
export type LicenceFault = (typeof LICENCE_FAULTS)[number];

const HINTS: Partial<Record<LicenceFault, string>> = {
  malformed: 'Give the whole file, exactly as it was issued',
  not_signed:
    'Compare the name and the id of the keys. Put the key that ipo licence keygen printed into licence.publicKeys; for ipo licence check, give it with --public-key',
  other_cluster: 'Issue one for this cluster: ipo licence request makes the file that names it',
  other_request: 'Issue it for the newest file of ipo licence request',
  expired: 'Issue a new one',
};

/** LicenceError says why a certificate is refused. */
export class LicenceError extends IpoError {
  override readonly name = 'LicenceError';
  readonly fault: LicenceFault;

  constructor(fault: LicenceFault, message: string, cause?: unknown) {
    super('invalid_request', message, { hint: HINTS[fault], cause });
    this.fault = fault;
  }
}
