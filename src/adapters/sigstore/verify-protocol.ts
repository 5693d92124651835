import type { Digest } from '../../base/index.ts';
import type { Evidence, NotAccepted, Verification, VerifiedArtifact } from '../../supply-chain/index.ts';
import type { Rules } from './evidence.ts';

/** Task is what is to be verified. */
export type Task =
  | { readonly kind: 'image'; readonly digest: Digest; readonly evidence: Evidence }
  | { readonly kind: 'artifact'; readonly artifact: Uint8Array; readonly bundle: Uint8Array };

/** Outcome is what became of a task. */
export type Outcome = Verification | VerifiedArtifact | NotAccepted;

/** RootDocument is a trust root as it was read, before anything looked into it. */
export interface RootDocument {
  readonly bytes: Uint8Array;
  /** Where it is from, for messages. */
  readonly file: string;
}

/** ToThread are the messages that the thread takes; rules hold until others come. `unasked` does a task without their root, as Rules says. */
export type ToThread =
  | { readonly kind: 'rules'; readonly root: RootDocument | null; readonly keyedLog: Rules['keyedLog'] }
  | { readonly kind: 'task'; readonly id: number; readonly task: Task; readonly unasked: boolean };

/** FromThread are its answers: each task has one. `fault` says why the root of the last rules cannot be used. */
export type FromThread =
  | { readonly kind: 'root'; readonly fault: string | null }
  | { readonly kind: 'done'; readonly id: number; readonly outcome: Outcome };
