/**
 * Docker's credential helpers, run for the person at whose machine a command runs. The service has no part in this: it neither imports this
 * folder nor is given what it opens.
 * It uses `program`.
 */
export { openCredentialHelpers, type CredentialHelperOptions } from './ask-helper.ts';
