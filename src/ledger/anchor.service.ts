import { isIpoError, type Clock, type Log } from '../base/index.ts';
import type { Anchor, AnchorState, AnchorStates, TreeReader } from './tree-ports.ts';

/** AnchorDeps are what anchors are told with. */
export interface AnchorDeps {
  readonly anchors: readonly Anchor[];
  readonly states: AnchorStates;
  readonly store: Pick<TreeReader, 'newestCheckpoint'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Anchoring tells the outside of checkpoints. A checkpoint proves all rows before it, so only the newest is told; an anchor that
 * fails is tried again the next time, and holds up neither the ledger nor the other anchors.
 */
export class Anchoring {
  readonly #deps: AnchorDeps;

  constructor(deps: AnchorDeps) {
    this.#deps = deps;
  }

  /** Tells every anchor that is behind of the newest checkpoint, and gives how each stands. Faults of an anchor are kept, not thrown. */
  async run(): Promise<readonly AnchorState[]> {
    const { anchors, states, store } = this.#deps;
    if (anchors.length === 0) return [];
    const newest = await store.newestCheckpoint();
    const known = new Map((await states.list()).map((state) => [state.sink, state]));
    return Promise.all(
      anchors.map(async (anchor) => {
        const before = known.get(anchor.name) ?? { sink: anchor.name, size: 0, at: 0, lastError: null };
        if (newest === null || (before.size >= newest.size && before.lastError === null)) return before;
        const state = { ...before, ...(await this.#tell(anchor, newest)), at: this.#deps.clock.now() };
        await states.put(state);
        return state;
      }),
    );
  }

  async #tell(
    anchor: Anchor,
    newest: Parameters<Anchor['publish']>[0],
  ): Promise<Pick<AnchorState, 'lastError'> & Partial<Pick<AnchorState, 'size'>>> {
    try {
      await anchor.publish(newest);
      return { size: newest.size, lastError: null };
    } catch (error) {
      const reason = isIpoError(error) ? error.message : 'unexpected fault';
      this.#deps.log.warn('An anchor could not be told of a checkpoint', {
        anchor: anchor.name,
        size: newest.size,
        reason,
        ...(isIpoError(error) ? {} : { error }),
      });
      return { lastError: reason };
    }
  }
}
