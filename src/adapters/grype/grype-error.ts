import { IpoError } from '../../base/index.ts';

/** GrypeError says why a report of Grype cannot be read; exit code 2. */
export class GrypeError extends IpoError {
  override readonly name = 'GrypeError';
  constructor(file: string, message: string, hint?: string, cause?: unknown) {
    super('invalid_report', message, { place: { file }, hint, cause });
  }
}
