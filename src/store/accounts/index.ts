/**
 * Accounts, sessions, tokens, one-time codes, the audit log, and the erasure of a person.
 * It uses `sql` and `tables`.
 */
export { accountStore } from './accounts.ts';
export { accountNames } from './names.ts';
export { auditLog } from './audit.ts';
export { erasureOf } from './erasure.ts';
export { accountSweeper, codeStore } from './one-time-codes.ts';
export { sessionStore } from './sessions.ts';
export { failureStore } from './sign-in-failures.ts';
export { tokenStore } from './tokens.ts';
