import type { AnchorRefusal } from './judge-anchored.ts';
import type { SignedCheckpoint } from './tree-ports.ts';

/** AnchorKept is what an anchor holds at one moment. */
export interface AnchorKept {
  /** Signed notes as they stand there, oldest first; none where nothing was ever told. What is not a note stands as it is. */
  readonly notes: readonly string[];
  /** Names this state of the place, so that nothing else is overwritten; null where there is no such place yet. */
  readonly version: string | null;
}

/** Anchor is a place outside that is told of checkpoints, so that anyone who owns database and key still cannot rewrite history. */
export interface Anchor {
  /** What it is called in the store and in messages, such as `file:/var/lib/anchor`; it holds no secret. */
  readonly name: string;
  /** Reads what is kept there; null for a place that only takes. Throws an IpoError that says why it could not. */
  readonly read: (() => Promise<AnchorKept>) | null;
  /**
   * Tells of a checkpoint, in the place of what was read (`over`) and of nothing else; writing the same one again is harmless. Throws an
   * IpoError: `conflict` where the place holds or wants something else, which stays as it is; else why it could not.
   */
  publish(checkpoint: SignedCheckpoint, over: AnchorKept): Promise<void>;
}

/** AnchorState is how far an anchor has been told. */
export interface AnchorState {
  readonly sink: string;
  /** Size of the last checkpoint that it took; 0 for none. */
  readonly size: number;
  /** When it was last told, or what stands of it changed. */
  readonly at: number;
  readonly lastError: string | null;
  /** Why nothing is published there; null where nothing keeps it. */
  readonly refused: AnchorRefusal | null;
  /** The last checkpoint that it took, for a place that cannot be read; null for none. */
  readonly note: string | null;
}

/** AnchorStates keep what each anchor was told, across restarts. */
export interface AnchorStates {
  list(): Promise<readonly AnchorState[]>;
  put(state: AnchorState): Promise<void>;
}
