import { hostname } from 'node:os';
import type { Log } from '../../base/index.ts';
import { raiseFence, standsFence, type Store } from '../../store/index.ts';
import type { Leader } from '../../leadership/index.ts';

/** StandaloneLeader is the leader of a process that no cluster elects one for: it leads from its start on. */
export interface StandaloneLeader extends Leader {
  /**
   * Looks whether another process has begun to lead over the same database since; then this one never leads again, and says so once. What
   * it does until it looks is refused by the fence that its writes carry.
   */
  check(): Promise<void>;
}

/** openStandaloneLeader takes the lead from whichever process had it. */
export async function openStandaloneLeader(
  store: Store,
  at: number,
  log: Pick<Log, 'warn'>,
): Promise<StandaloneLeader> {
  const fence = await raiseFence(store, `${hostname()}/${process.pid}`, at);
  let leads = true;
  return {
    isLeader: () => leads,
    fence: () => fence,
    check: async () => {
      if (!leads || (await standsFence(store, fence))) return;
      leads = false;
      log.warn(
        'another process leads over the same database; this one opens and closes no issues until it is started again',
      );
    },
  };
}
