import { IpoError } from '../../base/index.ts';

/** SigstoreError says why there is no trust root to verify with: what was given cannot be used, or none could be had. */
export class SigstoreError extends IpoError {
  override readonly name = 'SigstoreError';
  constructor(
    code: 'invalid_config' | 'unreadable' | 'network' | 'too_large',
    message: string,
    options: { readonly file?: string; readonly hint?: string; readonly cause?: unknown } = {},
  ) {
    const { file, hint, cause } = options;
    super(code, message, { place: file === undefined ? undefined : { file }, hint, cause });
  }
}
