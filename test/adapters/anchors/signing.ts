import {
  Anchoring,
  type Anchor,
  type AnchorRefusal,
  type AnchorState,
  type LedgerTree,
  type NoteSigner,
} from '../../../src/ledger/index.ts';
import { anchorStates, ledgerTree, type Store } from '../../../src/store/index.ts';
import { NOW, SILENT, treeOf } from '../../ledger/grown.ts';

/** Signing is a service's ledger with its anchors, as a process signs and tells it by the minute. */
export interface Signing {
  readonly tree: LedgerTree;
  /** What was refused, in order. */
  readonly refused: AnchorRefusal[];
  /** Messages of the log that are worse than news. */
  readonly logged: string[];
  /** The minute's job: null where it went well, else its sentence. */
  minute(): Promise<string | null>;
  /** Size of the newest checkpoint that was signed. */
  signed(): Promise<number>;
  states(): Promise<readonly AnchorState[]>;
}

/** signingOf starts a process on a store. */
export function signingOf(
  store: Store,
  signer: NoteSigner,
  anchors: readonly Anchor[],
  clock = { now: () => NOW },
): Signing {
  const refused: AnchorRefusal[] = [];
  const logged: string[] = [];
  const say = (message: string): void => void logged.push(message);
  const states = anchorStates(store);
  const anchoring = new Anchoring({
    ...{ anchors, states, store: ledgerTree(store), key: signer, clock },
    log: { ...SILENT, warn: say, error: say },
    refused: ({ reason }) => void refused.push(reason),
  });
  const tree = treeOf(store, signer, { clock, outside: (isOurs) => anchoring.hold(isOurs) });
  return {
    tree,
    refused,
    logged,
    minute: async () => {
      try {
        await tree.checkpoint();
        await anchoring.run();
        return null;
      } catch (error) {
        return (error as Error).message;
      }
    },
    signed: async () => (await ledgerTree(store).newestCheckpoint())?.size ?? 0,
    states: () => states.list(),
  };
}
