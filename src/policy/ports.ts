import type { Policy } from './policy.ts';

/** InvalidPolicy says of a kept document that it is not a valid policy, and what decides under its name meanwhile. */
export interface InvalidPolicy {
  /** What is wrong with it, as a sentence without a period. */
  readonly fault: string;
  /** Its last valid revision, which stays in effect; null where there is none. */
  readonly inEffect: Policy | null;
}

/** StoredPolicy is a policy in effect, as it is kept. */
export interface StoredPolicy {
  readonly name: string;
  /** As it was sent. */
  readonly document: Readonly<Record<string, unknown>>;
  /** That in effect: of an invalid document its last valid one, or empty where there is none. */
  readonly revision: string;
  /** Where somebody wrote a document beside the service that is not a valid policy. */
  readonly invalid?: InvalidPolicy;
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
export type Replaced =
  | { readonly kind: 'missing' | 'mismatch' }
  | { readonly kind: 'unchanged'; readonly policy: StoredPolicy }
  | { readonly kind: 'replaced'; readonly policy: StoredPolicy; readonly before: StoredPolicy };

/** PolicyStore keeps the policies in effect and every revision there was. Each method is one atomic act. */
export interface PolicyStore {
  /** By name. */
  list(page: PolicyPage): Promise<Listed<StoredPolicy>>;
  get(name: string): Promise<StoredPolicy | null>;
  /** Null when the name is taken. Records the revision. */
  create(policy: PolicyWrite): Promise<StoredPolicy | null>;
  /** Writes when one of the expected versions stands, and records the revision where it is new. */
  replace(policy: PolicyWrite, expected: Expected): Promise<Replaced>;
  /** Takes a policy out of force; its revisions stay. `at`: UTC milliseconds. */
  remove(
    name: string,
    expected: Expected,
    at: number,
  ): Promise<
    { readonly kind: 'missing' | 'mismatch' } | { readonly kind: 'removed'; readonly policy: StoredPolicy }
  >;
  /** Newest first. */
  revisions(name: string, page: PolicyPage): Promise<Listed<PolicyRevision>>;
  revision(name: string, revision: string): Promise<PolicyRevision | null>;
}
