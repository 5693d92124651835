import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { clusterLivePods, KubernetesApi } from '../../src/adapters/kubernetes/index.ts';
import type { Digest } from '../../src/base/index.ts';
import {
  joinEvent,
  parseEvent,
  PodIndex,
  PodStops,
  runtimePolicySpec,
  type KnownPod,
  type LivePods,
  type StopEvent,
  type StopLog,
} from '../../src/runtime/index.ts';
import { openFake, plainConnection, silent } from '../kubernetes/servers.ts';
import type { FakeApiServer } from '../kubernetes/fake/api-server.ts';
import type { Kept } from '../kubernetes/fake/objects.ts';
import { counted, turns } from '../runs.ts';

const POLICY = { name: 'stop', spec: runtimePolicySpec.parse({ enforcement: 'Enforce' }) };
const START = Date.UTC(2026, 10, 26, 6);
const NAMES = ['web-0', 'web-1', 'web-2'];
const DIGESTS = ['a', 'b'].map((letter) => `sha256:${letter.repeat(64)}` as Digest);

/** A generator of its own for each schedule, so that one that fails can be run again. */
function randomOf(seed: number) {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

let fake: FakeApiServer;
let api: KubernetesApi;
let now = START;
before(async () => {
  const opened = await openFake({ now: () => now });
  fake = opened.fake;
  api = new KubernetesApi(plainConnection(opened.url), 'test');
});
after(async () => {
  await api.close();
  await fake.close();
});

/** A stop log in memory: what a database does beyond it is another test's. */
function memoryLog() {
  const ended = new Map<string, string>();
  const log: StopLog = {
    counts: async () => ({ stops: 0, workloadStops: 0 }),
    async begin(_, { event }, standing, answer) {
      const key = `${event.id} ${event.podUid}`;
      if (ended.has(key)) return { kind: 'done' };
      const said = answer({ stops: 0, workloadStops: 0 });
      const outcome = standing ?? (said.kind === 'stop' ? null : said.kind);
      ended.set(key, outcome ?? 'failed');
      return outcome === null
        ? { kind: 'begun', id: event.id }
        : { kind: 'settled', outcome, why: said.kind === 'withheld' ? said.why : null };
    },
    async end(id, _, outcome) {
      ended.set(`end ${id}`, outcome);
    },
  };
  return { log, ended };
}

/** One history of pods that come, change, go and come back under their names, while events about them are joined and acted on. */
class Schedule {
  readonly #random: (below: number) => number;
  readonly #namespace: string;
  readonly #index = new PodIndex();
  readonly #log = memoryLog();
  readonly #stops: PodStops;
  readonly #waiting: { readonly text: string; readonly about: string }[] = [];
  readonly #gone: { readonly pod: Kept; readonly at: number }[] = [];
  #ids = 0;
  #mine = false;
  /** Uids that were deleted through the API server since the last event was taken. */
  #deleted: string[] = [];
  stopped = 0;
  events = 0;

  constructor(seed: number) {
    this.#random = randomOf(seed);
    this.#namespace = `shop-${seed}`;
    const pods = clusterLivePods(api);
    const disturbed: LivePods = {
      read: async (...place) => {
        const pod = await pods.read(...place);
        this.#disturb();
        return pod;
      },
      remove: (...call) => {
        this.#disturb();
        return pods.remove(...call);
      },
    };
    this.#stops = new PodStops({
      rules: { cluster: 'eu', ownNamespace: 'ipo', allowEnforce: true, maxStops: 10 },
      pods: disturbed,
      log: this.#log.log,
      notices: { happened: () => {} },
      draftOf: async () => null,
      leader: { isLeader: () => true, fence: () => 1 },
      clock: { now: () => now },
      lines: silent,
      count: { add: () => {}, observe: () => {} } as never,
    });
  }

  async run(steps: number): Promise<void> {
    const end = fake.objects.follow(({ type, object, kind }) => {
      if (type === 'DELETED' && kind.plural === 'pods' && !this.#mine)
        this.#deleted.push(object.metadata.uid);
    });
    try {
      for (let step = 0; step < steps; step += 1) await this.#step();
      while (this.#waiting.length > 0) await this.#act();
    } finally {
      end();
    }
  }

  async #step(): Promise<void> {
    now += this.#random(1500);
    const turn = this.#random(10);
    if (turn < 4) this.#churn();
    else if (turn < 6) this.#relist();
    else if (turn < 8) this.#event();
    else await this.#act();
  }

  #disturb(): void {
    if (this.#random(3) === 0) this.#churn();
  }

  get #kind() {
    return fake.kindOf('v1', 'Pod');
  }

  #find(name: string): Kept | null {
    return fake.objects.find(this.#kind, this.#namespace, name);
  }

  #churn(): void {
    const name = NAMES[this.#random(NAMES.length)] ?? '';
    const pod = this.#find(name);
    if (pod === null) return this.#create(name);
    if (this.#random(2) === 0) {
      this.#mine = true;
      fake.objects.remove(this.#kind, pod);
      this.#mine = false;
      this.#gone.push({ pod, at: now });
      // A StatefulSet makes it again at once.
      if (this.#random(2) === 0) this.#create(name);
      return;
    }
    const digest = this.#random(3) === 0 ? this.#digest() : digestOf(pod);
    fake.objects.replace(this.#kind, pod, { ...pod, status: statusOf(digest, idOf(pod)), touched: now });
  }

  #digest(): Digest {
    return DIGESTS[this.#random(DIGESTS.length)] as Digest;
  }

  #create(name: string): void {
    const id = Array.from({ length: 64 }, () => this.#random(16).toString(16)).join('');
    fake.seed({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: this.#namespace } },
      spec: { containers: [{ name: 'main', image: 'ghcr.io/acme/web:1' }] },
      status: statusOf(this.#digest(), id),
    });
  }

  #relist(): void {
    this.#index.take(fake.objects.list(this.#kind, this.#namespace).map(toKnown), now);
  }

  /** An event about a pod that runs, or that ran a moment ago, by its uid, the id of its container or only its name. */
  #event(): void {
    const running = fake.objects.list(this.#kind, this.#namespace).map((pod) => ({ pod, at: now }));
    // What is gone was seen until the moment at which it went.
    const all = this.#random(3) === 0 ? this.#gone.slice(-3) : running;
    const one = all[this.#random(all.length)];
    if (one === undefined) return;
    const { pod, at } = one;
    const { uid, name } = pod.metadata;
    const named = {
      ...(this.#random(3) === 0 && { 'k8s.pod.uid': uid }),
      ...(this.#random(2) === 0 && { 'container.id': idOf(pod).slice(0, 12) }),
      ...(this.#random(2) === 0 && { 'container.image.digest': digestOf(pod) }),
      ...{ 'k8s.ns.name': this.#namespace, 'k8s.pod.name': name },
    };
    this.#waiting.push({
      about: uid,
      text: JSON.stringify({
        ...{ rule: 'Shell', priority: 'Critical', hostname: 'node', output_fields: named },
        time: new Date(at).toISOString(),
      }),
    });
  }

  async #act(): Promise<void> {
    const [next] = this.#waiting.splice(this.#random(this.#waiting.length), 1);
    if (next === undefined) return;
    this.events += 1;
    const event = parseEvent(next.text, null);
    assert.ok(!('fault' in event));
    const { namespace, pod, podUid, workload, digest, image } = joinEvent(event, this.#index);
    const wanted: StopEvent = {
      ...{ id: (this.#ids += 1), at: event.at, receivedAt: null, rule: event.rule },
      fields: event.fieldsText,
      ...{ namespace, pod, podUid, workload, digest, image },
    };
    this.#deleted = [];
    await this.#stops.stop({ event: wanted, policy: POLICY });
    // Asked again, as at a takeover, nothing happens.
    await this.#stops.stop({ event: wanted, policy: POLICY });
    assert.ok(this.#deleted.length <= 1, 'one event stops one pod');
    for (const uid of this.#deleted)
      assert.equal(uid, next.about, `a pod that the event was not about: ${next.text}`);
    this.stopped += this.#deleted.length;
  }
}

function statusOf(digest: Digest, id: string) {
  const imageID = `ghcr.io/acme/web@${digest}`;
  return {
    phase: 'Running',
    containerStatuses: [{ name: 'main', imageID, containerID: `containerd://${id}` }],
  };
}

function containerOf(pod: Kept): { readonly imageID: string; readonly containerID: string } {
  const { containerStatuses } = pod['status'] as ReturnType<typeof statusOf>;
  return containerStatuses[0] as ReturnType<typeof statusOf>['containerStatuses'][number];
}

function digestOf(pod: Kept): Digest {
  return containerOf(pod).imageID.split('@')[1] as Digest;
}

function idOf(pod: Kept): string {
  return containerOf(pod).containerID.slice('containerd://'.length);
}

function toKnown(pod: Kept): KnownPod {
  const { name, uid, namespace = '' } = pod.metadata;
  const main = { name: 'main', image: 'ghcr.io/acme/web:1', digest: digestOf(pod), id: idOf(pod) };
  return { name, uid, namespace, workload: 'statefulset/web', containers: [main] };
}

test('no pod of another uid is stopped, however pods come, change, go and come back under their names', async (t) => {
  const { from, until } = turns(200, 10_000);
  let events = 0;
  let stopped = 0;
  for (let seed = from; seed < until; seed += 1) {
    const schedule = new Schedule(seed + 1);
    await schedule.run(30).catch((error: unknown) => {
      throw new Error(`schedule ${seed + 1}`, { cause: error });
    });
    events += schedule.events;
    stopped += schedule.stopped;
  }
  counted(t, { schedules: until - from, events, 'pods stopped': stopped });
  assert.ok(stopped > (until - from) / 4, `only ${stopped} pods were stopped by ${events} events`);
});
