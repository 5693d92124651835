import { IpoError } from '../../base/index.ts';

/** ReportError says why a report of a scanner cannot be read; exit code 2. */
export class ReportError extends IpoError {
  override readonly name = 'ReportError';
  constructor(file: string, message: string, hint?: string, cause?: unknown) {
    super('invalid_report', message, { place: { file }, hint, cause });
  }
}
