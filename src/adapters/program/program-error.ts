/**
 * ProgramFault is why a program gave no result: `missing`, it could not be started; `late`, its time was over; `too_large`, it wrote
 * more than is taken; `failed`, it ended with another status than 0, or by a signal; `cut_off`, it ended and something that it started
 * held its output open; `stopped`, its caller ended it.
 */
export type ProgramFault = 'missing' | 'late' | 'too_large' | 'failed' | 'cut_off' | 'stopped';

/** ProgramError says why a program gave no result. The caller turns it into an error of its own. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
  readonly fault: ProgramFault;
  /** What it wrote last on stderr, as it came: it is not to be trusted, and may hold a secret. */
  readonly said: string;
  /** What it wrote on stdout where it `failed`; as little to be trusted. */
  readonly output: string;

  constructor(fault: ProgramFault, message: string, said = '', cause?: unknown, output = '') {
    super(message, cause === undefined ? undefined : { cause });
    this.fault = fault;
    this.said = said;
    this.output = output;
  }
}
