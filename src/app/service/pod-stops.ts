import type { Clock, Count, Log } from '../../base/index.ts';
import { parsePolicyValue } from '../../policy/index.ts';
import { denyDraft, draftEffect, PodStops, type StopEvent, type WithheldDraft } from '../../runtime/index.ts';
import { podStopLog, type Store } from '../../store/index.ts';
import { STANDARD, type Replayer } from '../../whatif/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Settings } from '../config/settings.ts';

/** PodStopsOptions are what stops for events of the detector are joined with. */
export interface PodStopsOptions {
  /** As it was opened: these writes carry the fence of their own cluster. */
  readonly store: Store;
  readonly settings: Pick<Settings, 'clusterName' | 'reconcile' | 'runtime'>;
  readonly cluster: Pick<
    Cluster,
    'namespace' | 'leadsCluster' | 'leader' | 'reads' | 'livePods' | 'stopNotices'
  >;
  readonly replayer: Replayer;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
}

/** A draft is the same for an hour: its replay costs seconds. */
const DRAFT_MS = 3_600_000;
const MOST_DRAFTS = 500;
/** So long a replay of a draft may take, in milliseconds. */
const REPLAY_MS = 30_000;

/** openPodStops joins them. */
export function openPodStops(options: PodStopsOptions): PodStops {
  const { store, settings, cluster, clock, log, count } = options;
  return new PodStops({
    rules: {
      cluster: settings.clusterName ?? '',
      ownNamespace: cluster.namespace,
      allowEnforce: settings.reconcile.allowEnforce,
      maxStops: settings.runtime.maxStops,
    },
    pods: cluster.livePods,
    log: podStopLog(store),
    notices: cluster.stopNotices,
    draftOf: openDrafts(options),
    leader: { isLeader: () => cluster.leadsCluster(), fence: () => cluster.leader.fence() },
    clock,
    lines: log,
    count,
  });
}

/** Drafts of policies that deny an image in a namespace, with what a replay says of each. */
function openDrafts({ cluster, replayer, clock, log }: PodStopsOptions) {
  const made = new Map<string, { readonly at: number; readonly draft: WithheldDraft | null }>();
  const make = async (namespace: string, image: string): Promise<WithheldDraft | null> => {
    const { pods } = await cluster.reads.runningPods.list();
    const running = pods
      .filter((pod) => pod.namespace === namespace)
      .flatMap(({ containers }) => containers.map((one) => one.image));
    const document = denyDraft({ namespace, image }, running);
    if (document === null) return null;
    const { policy } = parsePolicyValue(document);
    const job = { draft: policy, asOf: clock.now(), ...STANDARD, source: null };
    const effect = await replayer.replay(job, AbortSignal.timeout(REPLAY_MS)).then(
      (found) => draftEffect(found, STANDARD.days),
      (error: unknown) => {
        log.warn('a draft that denies an image could not be replayed', { error });
        return null;
      },
    );
    return { policy: JSON.stringify(document), effect };
  };
  return async ({ namespace, image }: StopEvent): Promise<WithheldDraft | null> => {
    if (namespace === null || image === null) return null;
    const key = `${namespace} ${image}`;
    const known = made.get(key);
    if (known !== undefined && Math.abs(clock.now() - known.at) < DRAFT_MS) return known.draft;
    const draft = await make(namespace, image);
    if (made.size >= MOST_DRAFTS) made.clear();
    made.set(key, { at: clock.now(), draft });
    return draft;
  };
}
