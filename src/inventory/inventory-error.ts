import { IpoError, type FieldFault } from '../base/index.ts';

/** InventoryError says why an image, a vulnerability or a triage decision cannot be given or changed as asked. */
export class InventoryError extends IpoError {
  override readonly name = 'InventoryError';
  constructor(
    code: 'not_found' | 'invalid_request' | 'conflict',
    message: string,
    options: { readonly hint?: string; readonly fields?: readonly FieldFault[] } = {},
  ) {
    super(code, message, options);
  }
}
