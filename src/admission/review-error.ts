import { IpoError } from '../base/index.ts';

/**
 * ReviewError says why a body is not an AdmissionReview that can be answered: `invalid_request`, or `too_large`. Nothing the API server
 * sends is; it goes back as a plain HTTP error, so that the cluster's own failure policy answers.
 */
export class ReviewError extends IpoError {
  override readonly name = 'ReviewError';

  constructor(code: 'invalid_request' | 'too_large', message: string) {
    super(code, message, {});
  }
}
