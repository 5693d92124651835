import assert from 'node:assert/strict';
import {
  customPolicies,
  customPolicyStore,
  policyStatuses,
  RESOURCES,
  toPolicyObject,
  type KubeObject,
  type PolicyRevisions,
} from '../../src/adapters/kubernetes/index.ts';
import {
  ClusterPolicies,
  IMAGE_POLICY,
  isFault,
  RUNTIME_POLICY,
  type ClusterEvent,
  type PolicyObject,
} from '../../src/cluster/index.ts';
import { parsePolicyValue, type Policy, type PolicyStore, type PolicyWrite } from '../../src/policy/index.ts';
import { parseRuntimePolicyValue } from '../../src/runtime/index.ts';
import type { Json } from './fake/objects.ts';
import { onEveryServer, silent, type Bench } from './servers.ts';

const policy = (name: string, spec: Json, metadata: Json = {}): Json => ({
  apiVersion: 'ipo.dev/v1',
  kind: 'ImagePolicy',
  metadata: { name, ...metadata },
  spec,
});

const toWrite = (document: Json, by: string | null = null): PolicyWrite => {
  const read = parsePolicyValue(document);
  return { name: read.policy.name, document: read.document, revision: read.policy.revision, at: 1, by };
};

function openStore(
  { api }: Bench,
  inEffect: (name: string) => Policy | null = () => null,
): { store: PolicyStore; recorded: PolicyWrite[] } {
  const recorded: PolicyWrite[] = [];
  const revisions: PolicyRevisions = {
    record: async (writes) => void recorded.push(...writes),
    revisions: async () => ({ items: [], total: 0 }),
    revision: async () => null,
    inEffect,
  };
  return { store: customPolicyStore(api, revisions), recorded };
}

const removed = (bench: Bench, name: string) =>
  bench.atEnd(() =>
    bench.api.find({ method: 'DELETE', path: `/apis/ipo.dev/v1/imagepolicies/${name}`, what: 'the policy' }),
  );

onEveryServer(
  'a policy written through the API is an ImagePolicy, and its version is the resourceVersion',
  async (_, bench) => {
    const { store, recorded } = openStore(bench);
    const name = bench.name('p');
    removed(bench, name);
    const document = policy(
      name,
      { enforcement: 'Enforce', allowedRegistries: ['ghcr.io/acme'] },
      { labels: { team: 'shop' } },
    );
    const made = await store.create(toWrite(document, 'user:7'));
    assert.ok(made);
    assert.deepEqual(made.document, document);
    assert.equal(made.updatedBy, 'user:7');
    assert.ok(Math.abs(made.createdAt - Date.now()) < 60_000);
    const object = await bench.api.call<KubeObject>({
      method: 'GET',
      path: `/apis/ipo.dev/v1/imagepolicies/${name}`,
      what: 'it',
    });
    assert.equal(made.version, object.metadata?.resourceVersion);
    assert.equal(await store.create(toWrite(policy(name, {}))), null);
    assert.deepEqual(await store.get(name), made);
    assert.equal(await store.get(`${name}-none`), null);
    const listed = await store.list({ limit: null, offset: 0 });
    assert.ok(listed.items.some((one) => one.name === name));
    assert.equal(recorded[0]?.revision, made.revision);
  },
);

onEveryServer(
  'an update takes out what the new document leaves out, whoever wrote it, and needs the version that stands',
  async (_, bench) => {
    const { store } = openStore(bench);
    const name = bench.name('p');
    removed(bench, name);
    const path = `/apis/ipo.dev/v1/imagepolicies/${name}`;
    // As kubectl writes it: another owner of the fields.
    const before = await bench.api.call<KubeObject>({
      method: 'PATCH',
      patch: 'apply',
      path,
      query: { fieldManager: 'kubectl' },
      body: policy(
        name,
        { denyLatestTag: true, deploymentContext: { mode: 'Escalate', signals: ['root'] } },
        { labels: { old: 'yes' } },
      ),
      what: 'it',
    });
    const version = before.metadata?.resourceVersion ?? '';
    const next = policy(name, { enforcement: 'Enforce', deploymentContext: { signals: ['exposed'] } });
    assert.deepEqual(await store.replace(toWrite(next), ['1']), { kind: 'mismatch' });
    const done = await store.replace(toWrite(next, 'user:9'), [version]);
    assert.ok(done.kind === 'replaced');
    assert.deepEqual(done.policy.document, next);
    assert.equal(done.policy.updatedBy, 'user:9');
    assert.notEqual(done.policy.version, version);
    assert.deepEqual(done.before.document['metadata'], { name, labels: { old: 'yes' } });
    assert.equal((await store.replace(toWrite(next), 'any')).kind, 'unchanged');
    assert.deepEqual(await store.replace(toWrite(next), [version]), { kind: 'mismatch' });
    assert.equal((await store.replace(toWrite(policy(name, {})), 'any')).kind, 'replaced');
    assert.deepEqual(await store.replace(toWrite(policy(`${name}-none`, {})), 'any'), { kind: 'missing' });
  },
);

onEveryServer('a policy is removed in the version that is named', async (_, bench) => {
  const { store } = openStore(bench);
  const name = bench.name('p');
  removed(bench, name);
  const made = await store.create(toWrite(policy(name, {})));
  assert.deepEqual(await store.remove(name, ['1'], 200), { kind: 'mismatch' });
  const gone = await store.remove(name, [made?.version ?? ''], 200);
  assert.ok(gone.kind === 'removed');
  assert.equal(gone.policy.revision, made?.revision);
  assert.deepEqual(await store.remove(name, 'any', 200), { kind: 'missing' });
});

onEveryServer(
  'the API server refuses what the schema refuses, and a field that it does not know',
  async (_, bench) => {
    const name = bench.name('p');
    const create = (spec: Json) =>
      bench.api.call({
        method: 'POST',
        path: '/apis/ipo.dev/v1/imagepolicies',
        query: { fieldValidation: 'Strict', dryRun: 'All' },
        body: policy(name, spec),
        what: 'the policy',
      });
    const refused: readonly [Json, RegExp][] = [
      [{ enforcment: 'Enforce' }, /unknown field "spec\.enforcment"/],
      [{ deploymentContext: { modes: 'Escalate' } }, /unknown field "spec\.deploymentContext\.modes"/],
      [{ enforcement: 'enforce' }, /spec\.enforcement/],
      [{ provenance: { minLevel: 4 } }, /spec\.provenance\.minLevel/],
      [{ signature: { required: true } }, /spec\.signature/],
      [{ attestations: [{ predicateType: 'https://spdx.dev/Document' }] }, /spec\.attestations/],
      [{ vex: { trustedIssuers: [{ identity: 'a', key: 'b' }] } }, /spec\.vex/],
      [{ allowedRegistries: ['https://ghcr.io'] }, /spec\.allowedRegistries/],
      [{ sla: { critical: 'a day' } }, /spec\.sla\.critical/],
    ];
    // Before 1.25 the API server drops a field that it does not know in silence.
    const isStrict = (await minorOf(bench)) >= 25;
    for (const [spec, sentence] of refused) {
      if (!isStrict && sentence.source.startsWith('unknown field')) continue;
      await assert.rejects(create(spec), (error: unknown) => {
        assert.ok(isFault(error, 'invalid'), String(error));
        assert.match(error.message, sentence);
        return true;
      });
    }
    const right: readonly Json[] = [
      {},
      { sla: { critical: '24h', high: '1h30m' }, signature: { required: false } },
      // One of those, built with a newer Go than it knows, takes an empty text for null.
      ...(isStrict ? [{ admissionTiming: '' }] : []),
      { signature: { required: true, identities: [{ identity: 'me@example.com' }] } },
      {
        targetNamespaces: ['shop', 'kube-public'],
        vex: { mode: 'apply', trustedIssuers: [{ identity: 'a', issuer: 'b' }] },
      },
    ];
    for (const spec of right) await create(spec);
  },
);

/** Minor version of the API server. */
async function minorOf({ api }: Bench): Promise<number> {
  const { minor } = await api.call<{ minor: string }>({ method: 'GET', path: '/version', what: 'it' });
  return Number.parseInt(minor, 10);
}

function openPolicies(bench: Bench, last: Policy | null = null) {
  const events: ClusterEvent[] = [];
  const mirrored: { writes: readonly PolicyWrite[]; kept: readonly string[] }[] = [];
  const recorded: string[] = [];
  const down = { database: false };
  const policies = new ClusterPolicies({
    kind: IMAGE_POLICY,
    mirror: {
      record: async (writes) => {
        if (down.database) throw new Error('the database is down');
        recorded.push(...writes.map(({ revision }) => revision));
      },
      replace: async (_, writes, kept) => void mirrored.push({ writes, kept }),
      last: async () => last,
    },
    statuses: policyStatuses(bench.api, RESOURCES.imagePolicies),
    events: { emit: (event) => void events.push(event) },
    clock: { now: () => Date.now() },
    log: silent,
  });
  return { policies, events, mirrored, recorded, down };
}

const LEADS = { isLeader: () => true, leadsCluster: () => true, fence: () => 1 };

async function read({ api }: Bench, name: string): Promise<PolicyObject> {
  const object = await api.call<KubeObject>({
    method: 'GET',
    path: `/apis/ipo.dev/v1/imagepolicies/${name}`,
    what: 'it',
  });
  const one = toPolicyObject(RESOURCES.imagePolicies, object);
  assert.ok(one);
  return one;
}

onEveryServer(
  'a policy becomes ready, and one that turns invalid says why while its last revision stays in effect',
  async (_, bench) => {
    const { policies, events, mirrored } = openPolicies(bench);
    const name = bench.name('p');
    await bench.put(policy(name, { enforcement: 'Enforce', sla: { critical: '24h' } }));
    await policies.take([await read(bench, name)]);
    const [first] = policies.current() ?? [];
    assert.equal(first?.spec.enforcement, 'Enforce');
    await policies.settle(LEADS);
    const ready = await read(bench, name);
    const [condition] = ready.status.conditions ?? [];
    assert.deepEqual([condition?.type, condition?.status, condition?.reason], ['Ready', 'True', 'InForce']);
    assert.equal(ready.status.revision, first?.revision);
    assert.equal(ready.status.enforcement, 'Enforce');
    assert.equal(ready.status.observedGeneration, ready.generation);
    await policies.take([ready]);
    await policies.settle(LEADS);
    assert.equal(
      (await read(bench, name)).version,
      ready.version,
      'a status that stands is not written again',
    );
    assert.equal(mirrored.length, 1);

    // What the schema of the API server cannot say: a window of 0s.
    const path = `/apis/ipo.dev/v1/imagepolicies/${name}`;
    await bench.api.call({
      method: 'PATCH',
      patch: 'merge',
      path,
      body: { spec: { enforcement: 'Audit', sla: { critical: '0s' } } },
      what: 'it',
    });
    await policies.take([await read(bench, name)]);
    assert.equal(policies.current()?.[0], first);
    await policies.settle(LEADS);
    const broken = await read(bench, name);
    const [now] = broken.status.conditions ?? [];
    assert.deepEqual([now?.status, now?.reason], ['False', 'Invalid']);
    assert.match(now?.message ?? '', /spec\.sla\.critical .*longer than 0s.*stays in effect/);
    assert.equal(broken.status.revision, first?.revision);
    assert.deepEqual(mirrored.at(-1)?.kept, [name]);
    assert.deepEqual(
      events.map(({ reason, type }) => [reason, type]),
      [['InvalidPolicy', 'Warning']],
    );
    await policies.take([]);
    assert.deepEqual(policies.current(), []);
  },
);

onEveryServer(
  'an object that was made invalid is listed and shown with its fault and the revision in effect, and is mended',
  async (_, bench) => {
    const { policies } = openPolicies(bench);
    const { store } = openStore(bench, (name) => policies.inEffect(name));
    const name = bench.name('p');
    removed(bench, name);
    const valid = policy(name, {
      enforcement: 'Enforce',
      sla: { critical: '24h' },
      targetNamespaces: ['shop'],
    });
    const spoil = async (): Promise<void> => {
      await policies.take([await read(bench, name)]);
      await bench.api.call({
        method: 'PATCH',
        patch: 'merge',
        path: `/apis/ipo.dev/v1/imagepolicies/${name}`,
        body: { spec: { enforcement: 'Audit', sla: { critical: '0s' } } },
        what: 'it',
      });
      await policies.take([await read(bench, name)]);
    };
    await bench.put(valid);
    await spoil();
    const { revision } = parsePolicyValue(valid).policy;
    const shown = await store.get(name);
    const listed = (await store.list({ limit: null, offset: 0 })).items.find((one) => one.name === name);
    assert.deepEqual(listed, shown);
    assert.equal(shown?.revision, revision);
    assert.match(shown.invalid?.fault ?? '', /^spec\.sla\.critical "0s" is not a valid window/);
    assert.equal(shown.invalid?.inEffect?.spec.enforcement, 'Enforce');
    assert.deepEqual(
      shown.document,
      policy(name, { ...(valid['spec'] as Json), enforcement: 'Audit', sla: { critical: '0s' } }),
    );
    assert.equal(await store.create(toWrite(valid)), null, 'its name is taken');
    // The same document as that in effect mends it too.
    const mended = await store.replace(toWrite(valid), [shown.version]);
    assert.ok(mended.kind === 'replaced');
    assert.deepEqual(
      [mended.policy.invalid, mended.policy.revision, mended.before.revision],
      [undefined, revision, revision],
    );
    await spoil();
    const gone = await store.remove(name, 'any', 200);
    assert.ok(gone.kind === 'removed');
    assert.equal(gone.policy.revision, revision);
    assert.equal(await store.get(name), null);
  },
);

onEveryServer(
  'an invalid policy that this process never saw valid takes its last revision from the database',
  async (_, bench) => {
    const kept = parsePolicyValue(policy('kept', { enforcement: 'Enforce' })).policy;
    const name = bench.name('p');
    await bench.put(policy(name, { sla: { low: '0s' } }));
    const knows = openPolicies(bench, kept);
    await knows.policies.take([await read(bench, name)]);
    assert.deepEqual(knows.policies.current(), [kept]);
    const knowsNothing = openPolicies(bench);
    await knowsNothing.policies.take([await read(bench, name)]);
    assert.deepEqual(knowsNothing.policies.current(), []);
    assert.deepEqual(knowsNothing.policies.invalid, [name]);
  },
);

onEveryServer(
  'a replica that does not lead writes no status, and a database that is down keeps no policy out of force',
  async (_, bench) => {
    const { policies, mirrored, recorded, down } = openPolicies(bench);
    const name = bench.name('p');
    await bench.put(policy(name, {}));
    down.database = true;
    await policies.take([await read(bench, name)]);
    assert.equal(policies.current()?.length, 1);
    await policies.settle({ isLeader: () => false, leadsCluster: () => false, fence: () => 0 });
    assert.deepEqual((await read(bench, name)).status, {});
    assert.deepEqual([mirrored, recorded], [[], []]);
    down.database = false;
    await policies.record();
    assert.deepEqual(recorded, [policies.current()?.[0]?.revision]);
  },
);

onEveryServer(
  'a RuntimePolicy is kept as an object, and its condition says whether it is in effect',
  async (_, bench) => {
    const name = bench.name('stop');
    const path = `/apis/ipo.dev/v1/runtimepolicies/${name}`;
    bench.atEnd(() => bench.api.find({ method: 'DELETE', path, what: 'it' }));
    const policies = new ClusterPolicies({
      kind: RUNTIME_POLICY,
      mirror: { record: async () => {}, replace: async () => {}, last: async () => null },
      statuses: policyStatuses(bench.api, RESOURCES.runtimePolicies),
      events: { emit: () => {} },
      clock: { now: () => Date.now() },
      log: silent,
    });
    const store = customPolicies(bench.api, {
      ...{ resource: RESOURCES.runtimePolicies, kind: RUNTIME_POLICY },
      record: async () => {},
      inEffect: (one) => policies.inEffect(one),
    });
    const document = {
      ...{ apiVersion: 'ipo.dev/v1', kind: 'RuntimePolicy', metadata: { name } },
      spec: {
        ...{ enforcement: 'Enforce', stopMode: 'graceful', window: { count: 2, duration: '5m' } },
        match: { fields: [{ name: 'proc.pid', in: [7, true, 'x'] }], priority: 'info' },
      },
    };
    const { policy: read, document: written } = parseRuntimePolicyValue(document);
    const made = await store.create({
      name,
      document: written,
      revision: read.revision,
      at: 1,
      by: 'user:7',
    });
    assert.deepEqual([made?.document, made?.revision, made?.updatedBy], [document, read.revision, 'user:7']);
    const get = async (): Promise<PolicyObject> => {
      const object = await bench.api.call<KubeObject>({ method: 'GET', path, what: 'it' });
      const one = toPolicyObject(RESOURCES.runtimePolicies, object);
      assert.ok(one);
      return one;
    };
    await policies.take([await get()]);
    await policies.settle(LEADS);
    const ready = await get();
    assert.deepEqual(
      [ready.status.enforcement, ready.status.revision, ready.status.conditions?.[0]?.status],
      ['Enforce', read.revision, 'True'],
    );
    // What the schema of the API server cannot say: no duration.
    await bench.api.call({
      ...{ method: 'PATCH', patch: 'merge', path, what: 'it' },
      body: { spec: { enforcement: 'Audit', window: { count: 2, duration: 'soon' } } },
    });
    await policies.take([await get()]);
    await policies.settle(LEADS);
    assert.equal(
      policies.current()?.[0]?.spec.enforcement,
      'Enforce',
      'its last valid revision stays in effect',
    );
    const broken = (await get()).status.conditions?.[0];
    assert.deepEqual([broken?.status, broken?.reason], ['False', 'Invalid']);
    assert.match(broken?.message ?? '', /spec\.window\.duration .*stays in effect/);
    const stored = await store.get(name);
    assert.equal(stored?.invalid?.inEffect?.revision, read.revision);
    assert.equal((await store.remove(name, 'any', 1)).kind, 'removed');
  },
);

onEveryServer(
  'a rehearsal asks the API server what a write would come to, and writes nothing',
  async (_, bench) => {
    const { store, recorded } = openStore(bench);
    const name = bench.name('p');
    removed(bench, name);
    await store.rehearse?.(toWrite(policy(name, { enforcement: 'Audit' })));
    assert.equal(await store.get(name), null);
    await store.create(toWrite(policy(name, { enforcement: 'Audit' })));
    const before = await store.get(name);
    await store.rehearse?.(toWrite(policy(name, { enforcement: 'Enforce' })));
    assert.deepEqual(await store.get(name), before);
    assert.equal(recorded.length, 1);
    const refused = { ...toWrite(policy(name, {})), document: policy(name, { enforcement: 'Never' }) };
    await assert.rejects(
      async () => store.rehearse?.(refused),
      (error) => isFault(error, 'invalid'),
    );
  },
);
