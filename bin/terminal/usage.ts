import { IpoError } from '../../src/base/index.ts';

/** UsageError says that a command was called in a way it cannot serve; exit code 2. */
export class UsageError extends IpoError {
  override readonly name = 'UsageError';
  constructor(message: string, hint?: string) {
    super('usage', message, { hint });
  }
}
