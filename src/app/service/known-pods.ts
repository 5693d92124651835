import type { Clock } from '../../base/index.ts';
import type { RunningPods } from '../../reconcile/index.ts';
import { PodIndex, type KnownPod, type PodsNow } from '../../runtime/index.ts';
import type { Job } from '../running/jobs.ts';

/** KnownPods are the pods of a cluster that events of the runtime detector may be about. */
export interface KnownPods {
  /** Those that run now, and those that were there a moment ago. */
  now(): Promise<PodsNow>;
  readonly jobs: readonly Job[];
}

/** A pod is seen although it is gone when its first event is decided. Shorter ones may be missed. */
const EVERY = 5_000;

/** openKnownPods looks at the pods of a cluster for each decision, and now and then between events: in a quiet cluster they are far apart. */
export function openKnownPods(
  running: RunningPods,
  { clock, synced }: { readonly clock: Clock; readonly synced: () => boolean },
): KnownPods {
  const index = new PodIndex();
  const now = async (): Promise<PodsNow> => {
    const { pods } = await running.list();
    index.take(pods.map(toKnownPod), clock.now());
    return index;
  };
  return {
    now,
    jobs: [
      {
        name: 'runtime-pods',
        every: EVERY,
        // A replica that comes to lead knows them already.
        leaderOnly: false,
        atStart: true,
        mayRun: synced,
        run: async () => void (await now()),
      },
    ],
  };
}

function toKnownPod({
  namespace,
  name,
  uid,
  workload,
  containers,
}: Awaited<ReturnType<RunningPods['list']>>['pods'][number]): KnownPod {
  return {
    namespace,
    name,
    uid,
    workload,
    containers: containers.map(({ name: container, image, digest, id = null }) => ({
      name: container,
      image,
      digest,
      id,
    })),
  };
}
