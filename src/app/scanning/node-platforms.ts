import type { Clock, Log } from '../../base/index.ts';
import type { ScanQueue } from '../../scan/index.ts';
import { seePlatforms, settlePlatforms, type Store } from '../../store/index.ts';
import type { Job } from '../running/jobs.ts';
import type { ScannerSettings } from '../config/scanner.ts';

/** ClusterNodes tell which platforms the nodes of a cluster have. */
export interface ClusterNodes {
  readonly cluster: string;
  /** `linux/amd64` and so on; null before the nodes were read. */
  platforms(): readonly string[] | null;
  /** Whether this process leads the cluster. */
  isLeader(): boolean;
}

/** NodePlatformsDeps are what nodes' platforms are followed with. */
export interface NodePlatformsDeps {
  readonly store: Store;
  readonly queue: Pick<ScanQueue, 'request'>;
  readonly settings: Pick<ScannerSettings, 'platform' | 'usedWithin'>;
  readonly nodes?: ClusterNodes | null | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

const EVERY = 15_000;

/**
 * nodePlatforms follows the platforms that nodes have: images are scanned and judged for each of them. `scanner.platform` stands for them
 * where no node is known. `begin` is to be called before anything is scanned.
 */
export function nodePlatforms({ store, queue, settings, nodes = null, clock, log }: NodePlatformsDeps): {
  begin(): Promise<void>;
  readonly job: Job;
} {
  const see = (): Promise<boolean> =>
    seePlatforms(store, nodes?.cluster ?? null, nodes?.platforms() ?? null, settings.platform, clock.now());
  let begun = false;
  return {
    async begin() {
      if (!begun) await see();
      begun = true;
    },
    job: {
      name: 'node-platforms',
      every: EVERY,
      // In a cluster it asks by itself who leads that cluster.
      leaderOnly: nodes === null,
      atStart: true,
      ...(nodes !== null && { mayRun: () => nodes.isLeader() }),
      async run(signal) {
        await see();
        const at = clock.now();
        const settled = await settlePlatforms(store, at, at - settings.usedWithin, signal);
        if (settled === null) return;
        const { platforms, unscanned, first } = settled;
        if (!first)
          log.info('the nodes have other platforms than before; images are judged and scanned for them', {
            platforms,
            unscanned: unscanned.length,
          });
        if (unscanned.length > 0) await queue.request(unscanned, null, at);
      },
    },
  };
}
