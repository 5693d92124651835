import { exactPattern, openPattern, type Pattern } from './pattern.ts';
import { isWithin, openProgram, OutOfSteps, type Steps } from './pattern-program.ts';

/**
 * SignerName is who may have signed keyless, as a policy writes it: an identity or a pattern of identities, and an issuer, a pattern of
 * issuers, or neither, which accepts any. Texts match exactly, patterns match whole texts.
 */
export interface SignerName {
  readonly identity?: string | undefined;
  readonly identityRegExp?: string | undefined;
  readonly issuer?: string | undefined;
  readonly issuerRegExp?: string | undefined;
}

/** A pattern of identities and one of issuers, where the signer names them. */
interface Patterns {
  readonly identity: Pattern | null;
  readonly issuer: Pattern | null;
}

/** Compiled once for each entry of a policy, however many decisions ask, and kept as long as the policy. */
const compiled = new WeakMap<SignerName, Patterns>();

function patternsOf(signer: SignerName): Patterns {
  let patterns = compiled.get(signer);
  if (patterns === undefined) {
    const { identityRegExp, issuerRegExp } = signer;
    patterns = {
      identity: identityRegExp === undefined ? null : openPattern(identityRegExp),
      issuer: issuerRegExp === undefined ? null : openPattern(issuerRegExp),
    };
    compiled.set(signer, patterns);
  }
  return patterns;
}

/** acceptsIdentity tells whether an identity is the one that a signer names, whatever its issuer. */
export function acceptsIdentity(signer: SignerName, identity: string): boolean {
  if (signer.identity !== undefined) return signer.identity === identity;
  return signer.identityRegExp !== undefined && (patternsOf(signer).identity?.matches(identity) ?? false);
}

/** acceptsIssuer tells whether an issuer is one that a signer accepts; one that was not recorded is only where any is. */
export function acceptsIssuer(signer: SignerName, issuer: string | null): boolean {
  if (signer.issuer !== undefined) return signer.issuer === issuer;
  if (signer.issuerRegExp === undefined) return true;
  return issuer !== null && (patternsOf(signer).issuer?.matches(issuer) ?? false);
}

/** COVER_STEPS is how many steps one comparison of policies may take to find out whose patterns hold whose. */
export const COVER_STEPS = 500_000;

/**
 * coversSigner tells whether a signer accepts everybody whom the other accepts. False too where that cannot be told: a pattern is too
 * large to compare.
 */
export function coversSigner(signer: SignerName, other: SignerName, steps: Steps): boolean {
  return (
    coversText(textOf(signer), textOf(other), steps) && coversText(issuerOf(signer), issuerOf(other), steps)
  );
}

/** One text, the texts of a pattern, or null for any. */
type Texts = { readonly exact: string } | { readonly pattern: string } | null;

function textOf({ identity, identityRegExp }: SignerName): Texts {
  if (identity !== undefined) return { exact: identity };
  return identityRegExp === undefined ? null : { pattern: identityRegExp };
}

function issuerOf({ issuer, issuerRegExp }: SignerName): Texts {
  if (issuer !== undefined) return { exact: issuer };
  return issuerRegExp === undefined ? null : { pattern: issuerRegExp };
}

function coversText(texts: Texts, other: Texts, steps: Steps): boolean {
  if (texts === null) return true;
  if (other === null) return false;
  if ('exact' in texts && 'exact' in other) return texts.exact === other.exact;
  if ('pattern' in texts && 'pattern' in other && texts.pattern === other.pattern) return true;
  const [outer, inner] = [toPattern(texts), toPattern(other)];
  if (outer === null || inner === null) return false;
  if ('exact' in other) return outer.matches(other.exact);
  try {
    return isWithin(openProgram(inner, steps), openProgram(outer, steps));
  } catch (error) {
    if (error instanceof OutOfSteps) return false;
    throw error;
  }
}

function toPattern(texts: NonNullable<Texts>): Pattern | null {
  return 'exact' in texts ? exactPattern(texts.exact) : openPattern(texts.pattern);
}
