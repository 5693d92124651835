import { IpoError } from '../../base/index.ts';

/**
 * AnchorError says why an anchor could not be told of a checkpoint: `network` (not reachable, or an answer that says no),
 * `unwritable` (a file), `forbidden` (it does not let us), `usage` (it is set up wrongly), `conflict` (it holds or wants something
 * else, which stays as it is). No message holds a secret.
 */
export class AnchorError extends IpoError {
  override readonly name = 'AnchorError';

  constructor(
    code: 'network' | 'unwritable' | 'forbidden' | 'usage' | 'conflict',
    message: string,
    options: { readonly hint?: string; readonly cause?: unknown } = {},
  ) {
    super(code, message, options);
  }
}
