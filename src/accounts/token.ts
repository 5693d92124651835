import { DAY_MS } from '../base/index.ts';
import type { Role } from './principal.ts';

/** Token is an API token for a pipeline, without its secret. Times are UTC milliseconds. */
export interface Token {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The most that it may do; never more than its account may now. */
  readonly role: Role;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly usedAt: number | null;
  readonly revokedAt: number | null;
}

/** TOKEN_DAYS is how long a token lives unless said, MAX_TOKEN_DAYS how long it may at most. */
export const TOKEN_DAYS = 90;
export const MAX_TOKEN_DAYS = 365;

/** MAX_TOKENS is how many living tokens one account may have. */
export const MAX_TOKENS = 100;

/** TOKEN_KEPT is how long a dead token stays listed, in milliseconds. */
export const TOKEN_KEPT = 90 * DAY_MS;

/** TOKEN_STATES are what a token can be; only an active one of an enabled account proves anything. */
export const TOKEN_STATES = ['active', 'expired', 'revoked'] as const;

/** tokenState tells which. */
export function tokenState(token: Token, now: number): (typeof TOKEN_STATES)[number] {
  if (token.revokedAt !== null) return 'revoked';
  return now < token.expiresAt ? 'active' : 'expired';
}
