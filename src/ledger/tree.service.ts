import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Log } from '../base/index.ts';
import { openCheckpoint, signCheckpoint } from './checkpoint.ts';
import { faultOfExtending } from './extends.ts';
import type { Hash } from './merkle.ts';
import { parseNote, type NoteSigner } from './note.ts';
import { extendTiles, rootAt } from './tiles.ts';
import { TreeError } from './tree-error.ts';
import type { GrowingTree, SignedCheckpoint, TreeStore } from './tree-ports.ts';

/** KEPT_CHECKPOINTS is how many checkpoints the store keeps. */
const KEPT_CHECKPOINTS = 10_000;
/** Rows that are taken in with one transaction. */
const AT_ONCE = 1024;
/** Rows that are hashed between two turns of the event loop: a millisecond or two of work. */
const HASHED_AT_ONCE = 128;

/** TreeDeps are what the tree is kept with. */
export interface TreeDeps {
  readonly store: TreeStore;
  readonly signer: NoteSigner;
  readonly clock: Clock;
  readonly log: Log;
  /** Told each time that signing was refused because the ledger is not the one that was signed; a counter, an alarm. */
  readonly refused?: (fault: TreeError) => void;
  /**
   * Holds the tree against what is kept outside before anything new is signed; throws to keep it from being signed. `isOurs` tells
   * whether this process signed the newest checkpoint itself, so that nothing can have been signed that it does not know of.
   */
  readonly outside?: (isOurs: boolean) => Promise<void>;
}

/**
 * LedgerTree grows the Merkle tree over the rows and signs its checkpoints. Any number of processes may do so on one database: each step
 * changes the tree from the size that it was read at, exclusively, or not at all.
 */
export class LedgerTree {
  readonly #deps: TreeDeps;
  /** The last checkpoint that this process signed: a database that was put back behind it must not be signed again. */
  #signed: SignedCheckpoint | null = null;

  constructor(deps: TreeDeps) {
    this.#deps = deps;
  }

  /** The key that signs, as a verifier is told it. */
  get vkey(): string {
    return this.#deps.signer.vkey;
  }

  /** Name of the log. */
  get origin(): string {
    return this.#deps.signer.name;
  }

  /**
   * Refuses to begin with a key that is not the one of the checkpoints that are there: another key would be another log. Throws
   * TreeError `key_missing`.
   */
  async checkKey(): Promise<void> {
    const newest = await this.#deps.store.newestCheckpoint();
    if (newest !== null) this.#open(newest);
  }

  /**
   * Takes up to `limit` rows into the tree and gives how many it took; fewer than `limit` when there are no more. Throws
   * TreeError `integrity` where rows or tiles are missing.
   */
  async integrate(limit = Number.MAX_SAFE_INTEGER): Promise<number> {
    const { store } = this.#deps;
    let taken = 0;
    while (taken < limit) {
      const size = await store.size();
      // Rows never change, so they are read and hashed before the tree is locked.
      const hashes = await this.#hash(size, Math.min(AT_ONCE, limit - taken));
      if (hashes.length === 0) break;
      taken += await store.alone(async (tree) => {
        if ((await tree.size()) !== size) return 0; // another process was faster
        await tree.putTiles(await extendTiles(tree, size, hashes), size + hashes.length);
        return hashes.length;
      });
      await nextTurn(); // an embedded database answers at once, and a waiting admission must not wait for all rows
    }
    return taken;
  }

  /** The hashes of at most `limit` rows behind `size`; the event loop turns between some of them and the next, and behind the last. */
  async #hash(size: number, limit: number): Promise<Hash[]> {
    const hashes: Hash[] = [];
    while (hashes.length < limit) {
      const asked = Math.min(HASHED_AT_ONCE, limit - hashes.length);
      const leaves = await this.#deps.store.leaves(size + hashes.length, asked);
      for (const { id, hash } of leaves) {
        if (id !== size + hashes.length + 1) throw missing(size + hashes.length + 1);
        hashes.push(hash);
      }
      await nextTurn();
      if (leaves.length < asked) break;
    }
    return hashes;
  }

  /**
   * Integrates what is there and signs a checkpoint when the tree has grown; gives the newest, or null of an empty ledger. Throws
   * TreeError `integrity` when the tree does not extend what was signed before, and what `outside` throws: then nothing is signed.
   */
  async checkpoint(): Promise<SignedCheckpoint | null> {
    await this.#refusing(() => this.integrate());
    await this.#askOutside();
    return this.#refusing(async () => {
      const newest = await this.#deps.store.alone((tree) => this.#sign(tree));
      this.#signed = newest;
      return newest;
    });
  }

  /** The database may have been put back as a whole, its checkpoints with it: only what stands outside shows that. */
  async #askOutside(): Promise<void> {
    const { store, outside } = this.#deps;
    if (outside === undefined) return;
    const newest = await store.newestCheckpoint();
    if ((await store.size()) === (newest?.size ?? 0)) return;
    await outside(newest !== null && this.#signed?.note === newest.note);
  }

  async #refusing<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (error instanceof TreeError) {
        this.#deps.log.error('The ledger was not signed', { reason: error.message });
        this.#deps.refused?.(error);
      }
      throw error;
    }
  }

  async #sign(tree: GrowingTree): Promise<SignedCheckpoint | null> {
    const { signer, clock } = this.#deps;
    const size = await tree.size();
    const last = await tree.newestCheckpoint();
    if (last !== null) this.#open(last);
    for (const before of [last, this.#signed])
      if (before !== null) await refuseUnlessExtends(tree, before, size);
    if (size === (last?.size ?? 0)) return last;
    const root = await rootAt(tree, size);
    const note = signCheckpoint({ origin: signer.name, size, root, extensions: [] }, signer);
    const signed = { size, root, note, at: clock.now() };
    await tree.putCheckpoint(signed, signer.vkey, KEPT_CHECKPOINTS);
    return signed;
  }

  /** Checks that a stored checkpoint is one of ours and says what its note says. */
  #open({ note, size, root }: SignedCheckpoint): void {
    const { signer } = this.#deps;
    let fault: unknown;
    try {
      const { signatures } = parseNote(note);
      if (!signatures.some(({ name, keyId }) => name === signer.name && keyId === signer.keyId)) {
        throw new TreeError(
          'key_missing',
          `the key at hand (${signer.vkey}) is not the one of the ledger's checkpoints`,
          {
            hint: 'Restore the key file from its backup, and set the origin back; another key would start another log, which stored checkpoints would not match',
          },
        );
      }
      const checkpoint = openCheckpoint(note, [signer]);
      if (checkpoint.size === size && checkpoint.root === root) return;
    } catch (error) {
      if (error instanceof TreeError && error.code === 'key_missing') throw error;
      fault = error;
    }
    throw new TreeError('integrity', `the stored checkpoint of ${size} rows was changed`, {
      hint: HINT,
      cause: fault,
    });
  }
}

const HINT = 'Find out more with: ipo ledger verify --database URL';

/** A log must never sign what is inconsistent with anything that it signed before (c2sp.org/tlog-checkpoint). */
async function refuseUnlessExtends(tree: GrowingTree, before: SignedCheckpoint, size: number): Promise<void> {
  if (size < before.size) {
    throw new TreeError(
      'integrity',
      `the ledger was signed with ${before.size} rows and holds ${size} now: rows were removed, or an older database was put in its place`,
      { hint: HINT },
    );
  }
  const fault = await faultOfExtending(tree, before, size);
  if (fault !== null) {
    throw new TreeError(
      'integrity',
      `the ledger of ${size} rows does not extend the one that was signed with ${before.size}: ${fault}`,
      { hint: HINT },
    );
  }
}

function missing(id: number): TreeError {
  return new TreeError('integrity', `row ${id} is missing from the ledger`, { hint: HINT });
}
