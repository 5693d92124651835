import type { Policy } from './policy.ts';

/** InvalidPolicy says of a kept document that it is not a valid policy, and what decides under its name meanwhile. */
export interface InvalidPolicy<P = Policy> {
  /** What is wrong with it, as a sentence without a period. */
  readonly fault: string;
  /** Its last valid revision, which stays in effect; null where there is none. */
  readonly inEffect: P | null;
}

/** StoredPolicy is a policy in effect, as it is kept: an ImagePolicy, or another kind of policy. */
export interface StoredPolicy<P = Policy> {
  readonly name: string;
  /** As it was sent. */
  readonly document: Readonly<Record<string, unknown>>;
  /** That in effect: of an invalid document its last valid one, or empty where there is none. */
  readonly revision: string;
  /** Where somebody wrote a document beside the service that is not a valid policy. */
  readonly invalid?: InvalidPolicy<P>;
  /** Opaque; another after every write. What a client names in `If-Match`. */
  readonly version: string;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** `user:<account_id>`, or null when no account wrote it. */
  readonly updatedBy: string | null;
}

/** PolicyRevision is a document that was in effect at some time. Revisions are never deleted: ledger rows name them. */
export interface PolicyRevision {
  readonly name: string;
  readonly revision: string;
  readonly document: Readonly<Record<string, unknown>>;
  /** When it was first in effect, in milliseconds. */
  readonly recordedAt: number;
  readonly recordedBy: string | null;
}

/** PolicyWrite is what a write sets. */
export interface PolicyWrite {
  readonly name: string;
  readonly document: Readonly<Record<string, unknown>>;
  readonly revision: string;
  /** Milliseconds. */
  readonly at: number;
  readonly by: string | null;
}

/** Expected are the versions of which one must stand, or `any` for whichever does. */
export type Expected = 'any' | readonly string[];

/** PolicyPage says which part of a list is wanted; null for all that follows the offset. */
export interface PolicyPage {
  readonly limit: number | null;
  readonly offset: number;
}

/** Listed is a part of a list with the count of the whole. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** Replaced is what became of an update; `unchanged` when the policy stands so already, labels and spelling included. */
export type Replaced<P = Policy> =
  | { readonly kind: 'missing' | 'mismatch' }
  | { readonly kind: 'unchanged'; readonly policy: StoredPolicy<P> }
  | { readonly kind: 'replaced'; readonly policy: StoredPolicy<P>; readonly before: StoredPolicy<P> };

/** Removed is what became of a removal. */
export type Removed<P = Policy> =
  | { readonly kind: 'missing' | 'mismatch' }
  | { readonly kind: 'removed'; readonly policy: StoredPolicy<P> };

/** NamedPolicies keeps the policies of one kind that are in effect. Each method is one atomic act. */
export interface NamedPolicies<P = Policy> {
  /** By name. */
  list(page: PolicyPage): Promise<Listed<StoredPolicy<P>>>;
  get(name: string): Promise<StoredPolicy<P> | null>;
  /** Null when the name is taken. */
  create(policy: PolicyWrite): Promise<StoredPolicy<P> | null>;
  /** Writes when one of the expected versions stands. */
  replace(policy: PolicyWrite, expected: Expected): Promise<Replaced<P>>;
  /** Takes a policy out of force. `at`: UTC milliseconds. */
  remove(name: string, expected: Expected, at: number): Promise<Removed<P>>;
  /** Tries a write on what keeps policies without making it; absent where nothing but the rules of a policy can refuse it. */
  rehearse?(policy: PolicyWrite): Promise<void>;
}

/** PolicyStore keeps every revision that there was beside the policies in effect; a write records a new one. */
export interface PolicyStore extends NamedPolicies {
  /** Newest first. */
  revisions(name: string, page: PolicyPage): Promise<Listed<PolicyRevision>>;
  revision(name: string, revision: string): Promise<PolicyRevision | null>;
}
