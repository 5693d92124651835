import { IpoError, type IpoErrorOptions } from '../base/index.ts';

/** ReplicaError says why a replica cannot be forgotten: there is none of the name, or it is there and holds nothing that is lost. */
export class ReplicaError extends IpoError {
  override readonly name = 'ReplicaError';

  constructor(code: 'not_found' | 'conflict', message: string, options: IpoErrorOptions = {}) {
    super(code, message, options);
  }
}
