/**
 * Who may do what: accounts, sessions, tokens, the table of role by route, and the audit log.
 * It uses no other folder.
 */
export { ACCESS, type Access, type RouteKey } from './access.ts';
export { AccountError } from './account-error.ts';
export {
  ACCOUNT_STATES,
  MAX_EMAIL,
  MAX_NAME,
  personOf,
  readEmail,
  shownName,
  stateOf,
  type Account,
} from './account.ts';
export { openAccounts, type Accounts } from './accounts.service.ts';
export { AUDIT_COLUMNS, auditCsv } from './audit-csv.ts';
export {
  AUDIT_ACTIONS,
  AUDIT_DAYS,
  type AuditAction,
  type AuditEntry,
  type AuditFilter,
  type AuditLog,
  type AuditReader,
  type AuditRecord,
} from './audit.ts';
export type { IssuedCode } from './codes.service.ts';
export { withoutPerson, withoutPersonIn, type Person } from './copies.ts';
export { holdOrigin } from './cross-site.ts';
export { NO_FAILURES, SHARED, type Failures } from './lock-out.ts';
export type { OidcSignIn } from './oidc-sign-in.service.ts';
export type { Identity, OidcRules } from './oidc.ts';
export type { AccountParts } from './parts.ts';
export { checkPassword, MAX_PASSWORD, MIN_PASSWORD } from './password-rules.ts';
export { openPasswords, type Passwords } from './passwords.service.ts';
export {
  CODE_PURPOSES,
  ERASURES,
  type AccountChanges,
  type AccountKey,
  type AccountNames,
  type AccountQuery,
  type AccountStore,
  type CodeStore,
  type Erasure,
  type FailureStore,
  type FoundCopies,
  type IdentityProvider,
  type Page,
  type Paged,
  type SessionStore,
  type Sweeper,
  type TokenStore,
} from './ports.ts';
export { mayAct, ROLES, type Principal, type Role } from './principal.ts';
export { rolesTable } from './roles-table.ts';
export { DEVICE_LIFE, makeDevice, MAX_DEVICE } from './device.ts';
export {
  cookieOf,
  deviceCookieName,
  flowCookieName,
  sessionCookieName,
  setCookie,
  type CookieRule,
} from './session-cookie.ts';
export type { SignedIn } from './sessions.service.ts';
export { challengeOf } from './sign-in.service.ts';
export { MAX_TOKEN_DAYS, TOKEN_DAYS, tokenState, TOKEN_STATES, type Token } from './token.ts';
