import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { signingKeyOf } from '../../adapters/messengers/index.ts';
import {
  DecideEvents,
  denyDraft,
  openRuntimeRules,
  parseEvent,
  parseRuntimePolicyValue,
  PodStops,
  type DenyDraft,
  type StoredEvent,
  type StopNotice,
} from '../../runtime/index.ts';
import {
  channelStore,
  decisionStore,
  lockImage,
  openStore,
  podStopLog,
  raiseClusterFence,
  recordNames,
  recordSweep,
  runtimeEvents,
  runtimeIntake,
  runtimePolicySource,
  runtimePolicyStore,
  runtimeRuleStore,
  type Store,
} from '../../store/index.ts';
import { Redactor } from '../../telemetry/index.ts';
import { loadConfig } from '../config/config.ts';
import { asksNobody } from '../running/offline.ts';
import { openTrackers, type ServiceTrackers } from '../trackers/trackers.ts';
import { DemoCluster, type DemoWorkload } from './demo-cluster.ts';
import { openDemoSender, SILENT_LOG } from './demo-sender.ts';
import type { DemoTime } from './demo-time.ts';

/** RuntimeDemoOptions say where the demonstration keeps its events, and whom it tells. */
export interface RuntimeDemoOptions {
  readonly directory: string;
  readonly time: DemoTime;
  readonly version: string;
  /** Address of a Slack webhook. */
  readonly webhookUrl: string;
  /** Document of a tracker channel on this machine. */
  readonly tracker: Readonly<Record<string, unknown>>;
  readonly workloads: readonly DemoWorkload[];
}

/** DemoReport is what the detector reports of a workload. */
export interface DemoReport {
  readonly workload: DemoWorkload;
  readonly rule: string;
  readonly priority: string;
  readonly tags: readonly string[];
  readonly process: string;
}

/** DemoDecided is what came of a report. */
export interface DemoDecided {
  readonly event: StoredEvent;
  readonly notices: readonly StopNotice[];
  /** What would deny the image at admission, of a stop that was withheld for what its workload does. */
  readonly draft: DenyDraft | null;
}

/** RuntimeDemo takes reports, decides them by rules and runtime policies, stops pods and tells a channel: by the service's own parts. */
export interface RuntimeDemo {
  rules(documents: readonly unknown[]): Promise<void>;
  policy(document: Readonly<Record<string, unknown>>): Promise<void>;
  report(report: DemoReport): Promise<DemoDecided>;
  /** Sends what waits for the chat, and files what waits for the tracker. */
  send(): Promise<void>;
  /** The newest event. */
  newest(): Promise<StoredEvent>;
  close(): Promise<void>;
}

const CLUSTER = 'shop-prod-eu1';
const BY = { accountId: 'demo', name: 'demo' };
const ANY = {
  effect: null,
  rule: null,
  priority: null,
  image: null,
  namespace: null,
  since: null,
  after: null,
};
/** A minute and more: channels are sent one message a minute. */
const STEP = 61_000;

/** startRuntimeDemo starts it, over a cluster in memory. */
export async function startRuntimeDemo(options: RuntimeDemoOptions): Promise<RuntimeDemo> {
  const { directory, time, version, webhookUrl, tracker, workloads } = options;
  const store = await openStore({ url: `sqlite:${join(directory, 'demo.db')}` });
  await channelStore(store).create('slack', {
    kind: 'slack',
    name: 'on-call',
    enabled: true,
    settings: { webhookUrl },
    subscriptions: ['runtime_alert', 'pod_stop_withheld'],
    credential: null,
    at: time.now(),
    by: null,
  });
  await seeImages(store, workloads, time.now());
  const fence = await raiseClusterFence(store, CLUSTER, 'demo', time.now());
  const cluster = new DemoCluster(time, workloads);
  const kept = runtimeRuleStore(store);
  const rules = openRuntimeRules(kept, time);
  const policies = runtimePolicyStore(store);
  const drafts: { newest: DenyDraft | null } = { newest: null };
  const events = openDemoEvents({ store, cluster, fence, time, drafts });
  const key = signingKeyOf(randomBytes(32));
  const sender = openDemoSender({ store, time, userAgent: `ipo/${version}`, key });
  const trackers = await openDemoTrackers(store, options);
  await trackers.routes.channels.create({ ...tracker, subscriptions: ['runtime_alert'] }, null);
  const newest = async (): Promise<StoredEvent> => {
    const { items } = await runtimeEvents(store).list(ANY, { limit: 1, offset: 0 });
    const [event] = items;
    if (event === undefined) throw new Error('an event was not kept');
    return event;
  };
  const { signal } = new AbortController();
  return {
    rules: async (documents) => void (await rules.replace(documents, 'any', BY)),
    async policy(document) {
      const { policy, document: written } = parseRuntimePolicyValue(document);
      const { name, revision } = policy;
      await policies.create({ name, document: written, revision, at: time.now(), by: null });
    },
    async report(report) {
      // A pod is older than what it does.
      time.advance(2000);
      drafts.newest = null;
      const event = parseEvent(toLine(report, cluster, time.now()), time.now());
      if ('fault' in event) throw new Error(event.fault);
      await runtimeIntake(store).append(CLUSTER, [{ event, receivedAt: time.now() }]);
      await events.run(signal);
      await events.stop(signal);
      return { event: await newest(), notices: cluster.notices(), draft: drafts.newest };
    },
    async send() {
      time.advance(STEP);
      await sender.run();
      await sender.settle();
      await trackers.file();
    },
    newest,
    async close() {
      await sender.stop();
      await store.close();
    },
  };
}

interface DemoEvents {
  readonly store: Store;
  readonly cluster: DemoCluster;
  readonly fence: number;
  readonly time: DemoTime;
  /** Gets the draft of a withheld stop. */
  readonly drafts: { newest: DenyDraft | null };
}

/** What decides events and stops pods for them, as who leads the cluster has it. */
function openDemoEvents({ store, cluster, fence, time, drafts }: DemoEvents): DecideEvents {
  const count = { add: () => undefined };
  return new DecideEvents({
    cluster: CLUSTER,
    store: decisionStore(store),
    rules: runtimeRuleStore(store),
    policies: runtimePolicySource(store),
    pods: async () => cluster.now(),
    stopper: new PodStops({
      rules: { cluster: CLUSTER, ownNamespace: 'image-policy-operator', allowEnforce: true, maxStops: 10 },
      pods: cluster,
      log: podStopLog(store),
      notices: cluster,
      clock: time,
      lines: SILENT_LOG,
      count,
      draftOf: async ({ namespace, image }) => {
        if (namespace === null || image === null) return null;
        drafts.newest = denyDraft({ namespace, image }, cluster.imagesIn(namespace));
        return drafts.newest === null ? null : { policy: JSON.stringify(drafts.newest), effect: null };
      },
      leader: { isLeader: () => true, fence: () => fence },
    }),
    fence: () => fence,
    clock: time,
    count,
  });
}

/** The trackers of the service over the store, with a key of their own. */
async function openDemoTrackers(
  store: Store,
  { directory, time, version }: RuntimeDemoOptions,
): Promise<ServiceTrackers> {
  const { settings } = await loadConfig({
    file: null,
    env: {
      IPO_DATA: directory,
      IPO_TRACKERS_TEST_LOOPBACK: 'true',
      ...asksNobody(),
      DATA_KEY: randomBytes(32).toString('base64'),
    },
  });
  return openTrackers({
    store,
    settings,
    version,
    clock: time,
    pace: time,
    log: SILENT_LOG,
    count: { add: () => undefined },
    redactor: new Redactor(),
    policies: async () => ({ policies: [], key: '' }),
  });
}

/** Images are known by name and place, as after a sweep. */
async function seeImages(store: Store, workloads: readonly DemoWorkload[], at: number): Promise<void> {
  await store.write(async (transaction) => {
    for (const { digest, image } of workloads) {
      await lockImage(transaction, digest, at);
      await recordNames(transaction, digest, [image], at);
    }
  });
  const running = workloads.map(({ namespace, name, digest }) => ({
    namespace,
    workload: `deployment/${name}`,
    digest,
  }));
  const times = { startedAt: at - 1000, finishedAt: at };
  await recordSweep(store, { cluster: CLUSTER, ...times, pods: workloads.length, running });
}

/** A line as Falco writes it for a container of the workload's pod. */
function toLine(
  { workload, rule, priority, tags, process }: DemoReport,
  cluster: DemoCluster,
  at: number,
): string {
  const pod = cluster.podOf(workload);
  const [container] = pod.containers;
  const [repository, tag] = workload.image.split(':');
  return JSON.stringify({
    hostname: 'node-1',
    rule,
    priority,
    tags,
    source: 'syscall',
    time: new Date(at).toISOString(),
    output: `${priority} ${rule} (process=${process} pod=${pod.name})`,
    output_fields: {
      'container.id': container?.id?.slice(0, 12),
      'container.image.repository': repository,
      'container.image.tag': tag,
      'k8s.ns.name': pod.namespace,
      'k8s.pod.name': pod.name,
      'proc.name': process,
    },
  });
}
