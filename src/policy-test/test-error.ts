import { IpoError, type ErrorPlace } from '../base/index.ts';

/** PolicyTestError says what is wrong with a file of test cases, and where. */
export class PolicyTestError extends IpoError {
  override readonly name = 'PolicyTestError';
  /** Everything that was found wrong, itself first. */
  readonly problems: readonly PolicyTestError[];
  constructor(message: string, place: ErrorPlace, hint?: string, also: readonly PolicyTestError[] = []) {
    super('invalid_manifest', message, { place, hint });
    this.problems = [this, ...also];
  }
}
