import { IpoError, type ErrorPlace, type IpoErrorOptions } from '../base/index.ts';

/**
 * BackupError says why a backup cannot be read or restored: `format` (not a backup, or one of a format that this program does not know),
 * `integrity` (it was changed or is not whole, or rows that a checkpoint proves are missing), `conflict` (the database is not empty, or a
 * service works on it), `bad_credentials` (the passphrase), `usage`, `migration` (of a newer release).
 */
export class BackupError extends IpoError {
  override readonly name = 'BackupError';

  constructor(
    code: 'format' | 'integrity' | 'conflict' | 'bad_credentials' | 'usage' | 'migration',
    message: string,
    options: IpoErrorOptions & { readonly place?: ErrorPlace | undefined } = {},
  ) {
    super(code, message, options);
  }
}
