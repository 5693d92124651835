import type { Checkpoint } from './checkpoint.ts';
import type { EndedLog } from './ended-log.ts';
import type { Hash } from './merkle.ts';
import type { Tile, TileReader } from './tiles.ts';

/** SignedCheckpoint is a checkpoint as it is kept: what it says, and the note that proves it. */
export interface SignedCheckpoint extends Pick<Checkpoint, 'size' | 'root'> {
  readonly note: string;
  /** When it was signed, in milliseconds since 1970 UTC. */
  readonly at: number;
}

/** Leaf is a row as the tree sees it. */
export interface Leaf {
  readonly id: number;
  readonly hash: Hash;
}

/** LeafRun is rows whose numbers follow each other, all in one tile, as the tree sees them. */
export interface LeafRun {
  /** Number of the first row. */
  readonly first: number;
  /** The hashes one after another. */
  readonly hashes: Uint8Array;
  /** The hash above them, where they are a whole tile. */
  readonly root: Hash | null;
}

/** TreeReader reads the rows, the tree over them and its checkpoints. */
export interface TreeReader extends TileReader {
  /** Rows that the tree covers. */
  size(): Promise<number>;
  /** Rows that the ledger says it holds. */
  rows(): Promise<number>;
  /** The hashes of at most `limit` rows with an id above `after`, by id. */
  leaves(after: number, limit: number): Promise<readonly Leaf[]>;
  newestCheckpoint(): Promise<SignedCheckpoint | null>;
  /** Verifier's key of the log, as it was put with the first checkpoint; null before that. */
  key(): Promise<string | null>;
  /** Checkpoints of a size above `after`, the smallest first. */
  checkpoints(after: number, limit: number): Promise<readonly SignedCheckpoint[]>;
  /** Logs that a restore ended, oldest first; none where it is left out. */
  ended?(): Promise<readonly EndedLog[]>;
}

/** TreeStore keeps the tree. */
export interface TreeStore extends TreeReader {
  /**
   * Runs an act on the tree while nobody else can change it, in this process or another; what it puts is committed together,
   * or not at all when it throws.
   */
  alone<T>(act: (tree: GrowingTree) => Promise<T>): Promise<T>;
  /** The newest checkpoints, newest first, and how many there are. */
  recentCheckpoints(
    limit: number,
    offset: number,
  ): Promise<{ items: readonly SignedCheckpoint[]; total: number }>;
}

/** GrowingTree is the tree inside an act that holds it exclusively. */
export interface GrowingTree extends TreeReader {
  /** Puts tiles, in place of those that are there, and how many rows the tree covers with them. */
  putTiles(tiles: readonly Tile[], size: number): Promise<void>;
  /** Keeps a checkpoint, and of all checkpoints the newest `keep`; and the verifier's key of who signed it. */
  putCheckpoint(checkpoint: SignedCheckpoint, key: string, keep: number): Promise<void>;
}
