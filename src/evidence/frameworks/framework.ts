import type { FrameworkId } from './ids.ts';

/** Requirement is one requirement of a framework, in own words. One without attestations is out of scope. */
export interface Requirement {
  /** As the framework prints it. */
  readonly id: string;
  readonly title: string;
  /** What it is about, in the vocabulary of the mapping. */
  readonly topics: readonly string[];
  readonly attestations: readonly string[];
  /** Why these attestations speak to it; of one out of scope, why nothing here does. */
  readonly why: string;
}

/** Framework is a framework and what attestations show of it. */
export interface Framework {
  readonly id: FrameworkId;
  readonly name: string;
  readonly source: { readonly version: string; readonly date: string; readonly rights: string };
  readonly requirements: readonly Requirement[];
}
