import { IpoError, type IpoErrorOptions } from '../base/index.ts';

/** CANNOT_STORE is what a service without `DATA_KEY` says, when it starts and to anyone who saves a tracker channel. */
export const CANNOT_STORE = 'tracker credentials cannot be stored: DATA_KEY is not set';

/** CANNOT_READ is what is said of a stored credential that does not open. */
export const CANNOT_READ = 'the stored token cannot be read';

/** ChannelErrorCode is what can be wrong with a channel, or with what is asked of it. */
export type ChannelErrorCode =
  | 'invalid_request'
  | 'invalid_config'
  | 'key_missing'
  | 'not_found'
  | 'conflict'
  | 'precondition_failed';

/** ChannelError says why a channel cannot be read, written or used as asked. It never carries a credential. */
export class ChannelError extends IpoError {
  override readonly name = 'ChannelError';
  constructor(code: ChannelErrorCode, message: string, options: IpoErrorOptions = {}) {
    super(code, message, options);
  }
}

/** cannotStore refuses to save a tracker channel. */
export function cannotStore(): ChannelError {
  return new ChannelError('key_missing', CANNOT_STORE, {
    hint: 'Give the service DATA_KEY, the base64 of 32 random bytes (openssl rand -base64 32), and start it again',
  });
}
