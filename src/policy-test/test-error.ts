import { IpoError, type ErrorPlace } from '../base/index.ts';

/** PolicyTestError says what is wrong with a file of test cases, and where. */
export class PolicyTestError extends IpoError {
  override readonly name = 'PolicyTestError';
  constructor(message: string, place: ErrorPlace, hint?: string) {
    super('invalid_manifest', message, { place, hint });
  }
}
