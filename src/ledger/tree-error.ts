import { IpoError, type ErrorPlace, type IpoErrorOptions } from '../base/index.ts';

/**
 * TreeError says what is wrong with a tree or with what proves it: `format` (no note, key, checkpoint or proof), `integrity`
 * (a proof or a signature does not hold, or the ledger is not the one that was signed), `key_missing` (the log's key is not
 * that of its checkpoints), `not_found` (no such row or checkpoint), `out_of_range` (sizes that no tree has).
 */
export class TreeError extends IpoError {
  override readonly name = 'TreeError';

  constructor(
    code: 'format' | 'integrity' | 'key_missing' | 'not_found' | 'out_of_range',
    message: string,
    options: IpoErrorOptions & { readonly place?: ErrorPlace | undefined } = {},
  ) {
    super(code, message, options);
  }
}
