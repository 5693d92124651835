/**
 * Who may do what: accounts, sessions, tokens, the table of role by route, and the audit log.
 */
export { ACCESS, type Access, type RouteKey } from './access.ts';
export { AUDIT_ACTIONS, type AuditAction, type AuditEntry, type AuditLog } from './audit.ts';
export { mayAct, ROLES, type Principal, type Role } from './principal.ts';
