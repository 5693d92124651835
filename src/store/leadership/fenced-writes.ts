import { AsyncLocalStorage } from 'node:async_hooks';
import { leaderFence } from '../../leadership/index.ts';
import type { Store } from '../sql/store.ts';
import { holdFence } from './fence.ts';

const fences = new AsyncLocalStorage<number>();

/**
 * underLeadership runs a leader's job: every write transaction that it begins on a store of `fenceWrites`, however deep and across
 * awaits, holds this fence, and throws LeadershipError `lost` once a later leadership was given out. So no job has to carry its
 * fence, and none can forget it.
 */
export function underLeadership<T>(fence: number, act: () => Promise<T>): Promise<T> {
  return fences.run(fence, act);
}

/**
 * fenceWrites gives the store that leader jobs write through. Writes that no leader's job began are as before. The ledger's appender is
 * never given it: it gathers rows of many callers into one transaction, reviews among them, which every replica may write.
 */
export function fenceWrites(store: Store): Store {
  return {
    ...store,
    read: store.read,
    isWriting: () => store.isWriting(),
    forgetDeleted: () => store.forgetDeleted(),
    close: () => store.close(),
    write: (act) => {
      const fence = fences.getStore();
      if (fence === undefined) return store.write(act);
      // One inside another joins it, and the fence is held already.
      const joins = store.isWriting();
      return store.write(async (transaction) => {
        if (!joins) await holdFence(transaction, leaderFence(fence));
        return act(transaction);
      });
    },
  };
}
