import { IpoError } from '../base/index.ts';

/** SendFault says what a failed try means: try `later`, the message itself is `refused`, or nothing was sent since this process `stopped`. */
export type SendFault = 'later' | 'refused' | 'stopped';

/** SendError is why a try failed, in a sentence without a secret. */
export class SendError extends IpoError {
  override readonly name = 'SendError';
  readonly fault: SendFault;
  /** The other side asks for this many milliseconds of quiet; null where it does not say. */
  readonly quietMs: number | null;

  constructor(
    fault: SendFault,
    sentence: string,
    options: {
      readonly quietMs?: number | null;
      readonly hint?: string | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    const { quietMs = null, hint, cause } = options;
    super('unavailable', sentence, { hint, cause });
    this.fault = fault;
    this.quietMs = quietMs;
  }
}
