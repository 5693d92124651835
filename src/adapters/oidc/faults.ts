import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { proxyFaultOf } from '../transport/index.ts';
import { AccountError } from '../../accounts/index.ts';

/** Errors of the token endpoint that are the fault of this sign-in; all others are of how we are registered there. */
const OF_THE_SIGN_IN = new Set(['invalid_grant', 'access_denied', 'invalid_request']);

/** Codes of the library that say that the provider could not be asked, or gave no answer that could be read. */
const OF_THE_LINE = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
  'OAUTH_REQUEST_PROTOCOL_FORBIDDEN',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_INVALID_SERVER_METADATA',
]);

/**
 * toFault words what went wrong between us and the provider: `bad_credentials` when a sign-in is not proved, `unavailable` when
 * the provider cannot be asked. Nothing of what the provider sent stands in the sentence but its error code.
 */
export function toFault(error: unknown, issuer: string, step: 'discovery' | 'sign-in'): unknown {
  if (error instanceof AccountError) return error;
  if (error instanceof AuthorizationResponseError) {
    return unproved(`the identity provider refused the sign-in: ${plain(error.error)}`, error);
  }
  if (error instanceof ResponseBodyError) {
    if (OF_THE_SIGN_IN.has(error.error))
      return unproved(`the identity provider did not accept the sign-in: ${plain(error.error)}`, error);
    return unavailable(`the identity provider ${issuer} refuses this service: ${plain(error.error)}`, error, {
      hint: 'Compare clientId, clientSecret and the redirect address with what is registered there',
    });
  }
  if (error instanceof WWWAuthenticateChallengeError)
    return unavailable(`the identity provider ${issuer} refuses this service`, error);
  if (error instanceof ClientError && step === 'sign-in' && !OF_THE_LINE.has(error.code ?? ''))
    return unproved(
      `what the identity provider sent does not prove the sign-in (${error.code ?? 'no code'})`,
      error,
    );
  if (error instanceof ClientError && error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') {
    return unavailable(`the identity provider calls itself another name than ${issuer}`, error, {
      hint: 'Write oidc.issuer exactly as the provider does',
    });
  }
  // Anyone may begin a sign-in: which proxy it is, and what it says, is for the log.
  if (proxyFaultOf(error) !== null)
    return unavailable(`the identity provider ${issuer} cannot be reached through the proxy`, error, {
      hint: 'Try again in a moment; the log of the service says what the proxy answers',
    });
  if (error instanceof ClientError || error instanceof TypeError)
    return unavailable(`the identity provider ${issuer} does not answer as it should`, error);
  return error;
}

function unproved(message: string, cause: unknown): AccountError {
  return new AccountError('bad_credentials', message, { hint: 'Begin the sign-in again', cause });
}

function unavailable(
  message: string,
  cause: unknown,
  { hint }: { readonly hint?: string } = {},
): AccountError {
  return new AccountError('unavailable', message, {
    hint: hint ?? 'Try again in a moment',
    retryAfter: 10,
    cause,
  });
}

function plain(code: string): string {
  return /^[\w-]{1,60}$/.test(code) ? code : 'an unreadable error';
}
