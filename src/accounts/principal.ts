/** ROLES from the least to the most; each may what those before it may. */
export const ROLES = ['viewer', 'deployer', 'administrator'] as const;

/** Role is what an account or a token may do. */
export type Role = (typeof ROLES)[number];

/** Principal is who makes a request, once proved. */
export interface Principal {
  readonly accountId: string;
  /** The account's name, or its e-mail address where it has none. */
  readonly name: string;
  /** Of the account, or of the token where that is less. */
  readonly role: Role;
  /** How it was proved. */
  readonly via: 'session' | 'token';
  /** Id of the token, or null. */
  readonly tokenId: string | null;
}

/** mayAct tells whether a role includes another. */
export function mayAct(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
