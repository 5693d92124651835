import type { AuditAction } from '../accounts/index.ts';
import type { FieldFault } from '../base/index.ts';

/** Json is a document. */
export type Json = Readonly<Record<string, unknown>>;

/** Change is what an import does to one object. */
export type Change = 'create' | 'update' | 'delete' | 'unchanged';

/** Bundled is a document of a bundle, with its place among the documents (from 0) and its name. */
export interface Bundled {
  readonly at: number;
  readonly name: string;
  readonly document: Json;
}

/** Actor is the account that imports. */
export interface Actor {
  readonly accountId: string;
  readonly name: string;
}

/** Applied is what a change wrote, for the audit log; `written` is the policy by which the next review is decided. */
export interface Applied {
  readonly action: AuditAction;
  readonly target: string;
  readonly detail: Json;
  readonly written?: { readonly name: string; readonly version: string };
}

/** Planned is what becomes of one object. Documents are as an export has them. */
export interface Planned {
  readonly name: string;
  readonly change: Change;
  readonly before: Json | null;
  readonly after: Json | null;
  /** What a person should know, a sentence each. */
  readonly notes: readonly string[];
  /** Tries a change of an object of the cluster without making it. */
  rehearse?(): Promise<void>;
  /** Makes the change; absent where there is none. */
  apply?(by: string, actor: Actor): Promise<Applied>;
}

/** Kind is one kind of object that a bundle can hold. */
export interface Kind {
  /** As documents name it: `ImagePolicy`. */
  readonly kind: string;
  /** `database`: written in one transaction with the others; `cluster`: objects of the cluster, one after another. */
  readonly place: 'database' | 'cluster';
  /** The documents that stand, in a stated order, without times and secrets; and what is left out, a sentence each. */
  list(): Promise<{ readonly documents: readonly Json[]; readonly left: readonly string[] }>;
  /**
   * What becomes of the documents of a bundle, in their order, and with `prune` of what it does not have. Gives the faults of documents
   * instead where there are any, each under the number of its document.
   */
  plan(bundled: readonly Bundled[], prune: boolean): Promise<readonly Planned[] | KindFaults>;
}

/** KindFaults are the faults of documents, by their places in the bundle. */
export interface KindFaults {
  readonly faults: readonly {
    readonly at: number;
    readonly fields: readonly FieldFault[];
    readonly hint?: string;
  }[];
}
