import { IpoError, type ErrorCode } from '../base/index.ts';

/**
 * LEADERSHIP_FAULTS lists why a leader cannot go on, each with the service's code for it: `lost` a later leadership was given out, so that
 * nothing was written; `late` the database did not say in time who may write.
 */
const LEADERSHIP_FAULTS = {
  lost: 'unavailable',
  late: 'network',
} as const satisfies Readonly<Record<string, ErrorCode>>;

/** LeadershipFault is one of them. */
export type LeadershipFault = keyof typeof LEADERSHIP_FAULTS;

/** LeadershipError ends what only a leader may do. */
export class LeadershipError extends IpoError {
  override readonly name = 'LeadershipError';
  readonly fault: LeadershipFault;

  constructor(fault: LeadershipFault, message: string) {
    super(LEADERSHIP_FAULTS[fault], message);
    this.fault = fault;
  }
}

/** hasLostLead tells that an act was refused since another process leads now. */
export function hasLostLead(error: unknown): error is LeadershipError {
  return error instanceof LeadershipError && error.fault === 'lost';
}
