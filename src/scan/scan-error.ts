import { IpoError, type FieldFault } from '../base/index.ts';

/** ScanError says why a report cannot be recorded, or a scan cannot be asked for. */
export class ScanError extends IpoError {
  override readonly name = 'ScanError';
  constructor(
    code: 'invalid_report' | 'invalid_request',
    message: string,
    options: { readonly hint?: string; readonly file?: string; readonly fields?: readonly FieldFault[] } = {},
  ) {
    const { hint, file, fields } = options;
    super(code, message, { hint, fields, place: file === undefined ? undefined : { file } });
  }
}
