import { randomUUID } from 'node:crypto';
import type { Digest } from '../../base/index.ts';
import {
  PodIndex,
  type KnownPod,
  type LivePod,
  type LivePods,
  type PodsNow,
  type StopNotice,
  type StopNotices,
} from '../../runtime/index.ts';
import type { DemoTime } from './demo-time.ts';

/** DemoWorkload is a workload of the shop, whose controller keeps one pod of it. */
export interface DemoWorkload {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly digest: Digest;
}

interface DemoPod extends KnownPod {
  readonly version: string;
  readonly createdAt: number;
  readonly of: DemoWorkload;
}

/** DemoCluster is a cluster in memory: a pod that is deleted is made again under another name, as a ReplicaSet does. */
export class DemoCluster implements LivePods, StopNotices {
  readonly #time: DemoTime;
  readonly #pods = new Map<string, DemoPod>();
  readonly #index = new PodIndex();
  readonly #notices: StopNotice[] = [];
  #made = 0;

  constructor(time: DemoTime, workloads: readonly DemoWorkload[]) {
    this.#time = time;
    for (const workload of workloads) this.#make(workload);
  }

  /** The pod that a workload has now. */
  podOf(workload: DemoWorkload): KnownPod {
    const pod = [...this.#pods.values()].find(({ of }) => of === workload);
    if (pod === undefined) throw new Error(`${workload.name} has no pod`);
    return pod;
  }

  /** Images of a namespace, as its pods write them. */
  imagesIn(namespace: string): readonly string[] {
    const pods = [...this.#pods.values()].filter((pod) => pod.namespace === namespace);
    return pods.map(({ of }) => of.image);
  }

  now(): PodsNow {
    this.#index.take([...this.#pods.values()], this.#time.now());
    return this.#index;
  }

  async read(namespace: string, name: string): Promise<LivePod | null> {
    const pod = this.#pods.get(`${namespace}/${name}`);
    if (pod === undefined) return null;
    const { uid, version, createdAt, of } = pod;
    return {
      uid,
      version,
      createdAt,
      deleting: false,
      mirror: false,
      containers: pod.containers.flatMap(({ id }) => id ?? []),
      digests: new Set([of.digest]),
      owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${of.name}-5d9c7`, uid: of.name },
    };
  }

  async remove(...[{ namespace, name }, wanted]: Parameters<LivePods['remove']>) {
    const pod = this.#pods.get(`${namespace}/${name}`);
    if (pod === undefined) return 'gone' as const;
    if (pod.uid !== wanted.uid || pod.version !== wanted.version) return 'changed' as const;
    this.#pods.delete(`${namespace}/${name}`);
    this.#make(pod.of);
    return 'stopped' as const;
  }

  happened(notice: StopNotice): void {
    this.#notices.push(notice);
  }

  /** What the cluster was told since it was asked last. */
  notices(): readonly StopNotice[] {
    return this.#notices.splice(0);
  }

  #make(of: DemoWorkload): void {
    this.#made += 1;
    const name = `${of.name}-5d9c7-${this.#made.toString(36).padStart(5, 'x')}`;
    const id = randomUUID().replaceAll('-', '').repeat(2);
    const main = { name: 'main', image: of.image, digest: of.digest, id };
    this.#pods.set(`${of.namespace}/${name}`, {
      namespace: of.namespace,
      name,
      uid: randomUUID(),
      workload: `deployment/${of.name}`,
      of,
      containers: [main],
      version: String(this.#made),
      createdAt: this.#time.now(),
    });
  }
}
