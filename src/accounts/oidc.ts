import { ROLES, type Role } from './principal.ts';

/** RoleMapping turns a claim of the identity provider into a role. */
export interface RoleMapping {
  /** Name of the claim, or a path of names with dots (`realm_access.roles`); null: every account gets `standard`. */
  readonly claim: string | null;
  /** Role by value of the claim. Of several values the highest role counts. */
  readonly values: Readonly<Record<string, Role>>;
  /** Default role when no claim value matches; null: they may not sign in. */
  readonly standard: Role | null;
}

/** OidcRules say what a sign-in by the identity provider may do. */
export interface OidcRules {
  readonly roles: RoleMapping;
  /** Takes an e-mail address as verified although the provider does not say so (some never do). */
  readonly trustEmail: boolean;
}

/** Identity is who the identity provider says has signed in; its token was verified. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
  readonly picture: string | null;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** subjectOf is how an account remembers its identity; neither part can hold a line feed. */
export function subjectOf({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>): string {
  return `${issuer}\n${subject}`;
}

/** roleOf gives the role that the claims bring, or null when who has them may not sign in. */
export function roleOf(
  { claim, values, standard }: RoleMapping,
  claims: Readonly<Record<string, unknown>>,
): Role | null {
  const found = claim === null ? undefined : claimAt(claims, claim);
  const held = (Array.isArray(found) ? found : [found]).flatMap((value) =>
    typeof value === 'string' && Object.hasOwn(values, value) ? [values[value]] : [],
  );
  return ROLES.findLast((role) => held.includes(role)) ?? standard;
}

/** A claim's whole name goes first: names of claims may be addresses, with dots in them. */
function claimAt(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** pictureOf gives the address of a picture that may be kept, or null. */
export function pictureOf(identity: Pick<Identity, 'picture'>): string | null {
  const { picture } = identity;
  if (picture === null || picture.length > 2000 || !URL.canParse(picture)) return null;
  return new URL(picture).protocol === 'https:' ? picture : null;
}
