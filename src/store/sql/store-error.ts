import { IpoError, type ErrorCode, type IpoErrorOptions } from '../../base/index.ts';

/** StoreErrorCode lists the faults of a database. */
export type StoreErrorCode = Extract<
  ErrorCode,
  'usage' | 'unavailable' | 'unreadable' | 'unwritable' | 'damaged' | 'migration' | 'conflict'
>;

/**
 * StoreError is an expected fault of the database: `usage` (an address that names none), `unavailable` (not reachable, slow,
 * full, read-only for now: worth another try), `unreadable` (refuses to be opened: rights, password), `unwritable` (may not be
 * written), `damaged` (its content is broken), `migration` (another schema than this program knows). No message holds a password.
 */
export class StoreError extends IpoError {
  override readonly name = 'StoreError';

  constructor(code: StoreErrorCode, message: string, options: IpoErrorOptions = {}) {
    super(code, message, options);
  }
}
