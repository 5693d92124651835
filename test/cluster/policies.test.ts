import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ClusterPolicies,
  IMAGE_POLICY,
  type PolicyObject,
  type PolicyStatus,
} from '../../src/cluster/index.ts';
import { parsePolicyValue, type Policy, type PolicyWrite } from '../../src/policy/index.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

const valueOf = (name: string, spec: object) => ({
  apiVersion: 'ipo.dev/v1',
  kind: 'ImagePolicy',
  metadata: { name },
  spec,
});

const object = (name: string, spec: object, version = '1'): PolicyObject => ({
  ...{ name, uid: name, version, generation: 1, status: {} },
  value: valueOf(name, spec),
});

/** What the API server takes and the operator refuses. */
const INVALID = { enforcement: 'Enforce', sla: { critical: '0s' } };

interface Replaced {
  readonly fence: number;
  readonly names: readonly string[];
  readonly kept: readonly string[];
}

function opened(last: Policy | null = null) {
  const replaced: Replaced[] = [];
  const statuses: { readonly name: string; readonly status: PolicyStatus }[] = [];
  const down = { database: false, status: '' };
  const slow: { until: PromiseWithResolvers<void> | null } = { until: null };
  const policies = new ClusterPolicies({
    kind: IMAGE_POLICY,
    mirror: {
      record: async () => {
        if (down.database) throw new Error('the database is down');
      },
      replace: async (fence, writes: readonly PolicyWrite[], kept) => {
        if (down.database) throw new Error('the database is down');
        replaced.push({ fence, names: writes.map(({ name }) => name), kept });
      },
      last: async () => {
        await slow.until?.promise;
        if (down.database) throw new Error('the database is down');
        return last;
      },
    },
    statuses: {
      write: async ({ name }, status) => {
        if (down.status === name) throw new Error(`the status of ${name} is refused`);
        statuses.push({ name, status });
        return true;
      },
    },
    events: { emit: () => {} },
    clock: { now: () => 1_763_000_000_000 },
    log: silent,
  });
  return { policies, replaced, statuses, down, slow };
}

const leads = (fence: number) => ({ isLeader: () => true, leadsCluster: () => true, fence: () => fence });

test('an invalid policy met while the database is down comes into force with its last revision once that is back', async () => {
  const last = parsePolicyValue(valueOf('guard', { enforcement: 'Enforce' })).policy;
  const { policies, replaced, statuses, down } = opened(last);
  down.database = true;
  await policies.take([object('guard', INVALID)]);
  assert.deepEqual(policies.current(), []);
  down.database = false;
  // The leader must not take the revision out of the database that nobody could read yet, nor say that there is none.
  await policies.settle(leads(1));
  assert.deepEqual(replaced, [{ fence: 1, names: [], kept: ['guard'] }]);
  assert.equal(statuses.length, 0);
  await policies.record();
  assert.deepEqual(policies.current(), [last]);
  await policies.settle(leads(1));
  assert.equal(statuses[0]?.status.revision, last.revision);
  assert.deepEqual(policies.invalid, []);
});

test('the mirror is made once under each fence, as another leader may have made another of it', async () => {
  const { policies, replaced } = opened();
  await policies.take([object('a', {})]);
  await policies.settle(leads(1));
  await policies.settle(leads(1));
  await policies.settle(leads(3));
  assert.deepEqual(
    replaced.map(({ fence }) => fence),
    [1, 3],
  );
});

test('a status or a mirror that cannot be written keeps no other status from being', async () => {
  const { policies, statuses, down } = opened();
  await policies.take([object('a', {}), object('b', {}), object('c', {})]);
  down.status = 'a';
  down.database = true;
  await assert.rejects(policies.settle(leads(1)), /the database is down/);
  assert.deepEqual(
    statuses.map(({ name }) => name),
    ['b', 'c'],
  );
  down.database = false;
  await assert.rejects(policies.settle(leads(1)), /the status of a is refused/);
});

test('the lists of a policy keep one object while nothing changes, so that its rules are prepared once', async () => {
  const { policies } = opened();
  const objects = [object('b', {}), object('a', {})];
  await policies.take(objects);
  const first = policies.current();
  assert.deepEqual(
    first?.map(({ name }) => name),
    ['a', 'b'],
  );
  // Only their versions changed, as after a status was written.
  await policies.take(objects.map((one) => ({ ...one, version: `${one.version}9` })));
  assert.equal(policies.current(), first);
});

test('a write through the API holds here once the watch has told this version or a later one, and no earlier', async () => {
  const { policies } = opened();
  const write = { name: 'a', version: '7' };
  assert.equal(policies.holds(write), false);
  await policies.take([object('a', {}, '6')]);
  assert.equal(policies.holds(write), false);
  const told = policies.taken();
  await policies.take([object('a', { enforcement: 'Enforce' }, '7')]);
  await told;
  assert.equal(policies.holds(write), true);
  assert.equal(policies.holds({ name: 'a', gone: '7' }), false);
  // Its status was written since.
  await policies.take([object('a', { enforcement: 'Enforce' }, '10')]);
  assert.equal(policies.holds(write), true);
  await policies.take([]);
  assert.equal(policies.holds({ name: 'a', gone: '10' }), true);
  // Somebody made another one under its name.
  await policies.take([object('a', {}, '12')]);
  assert.deepEqual(
    [policies.holds({ name: 'a', gone: '10' }), policies.holds({ name: 'a', gone: '12' })],
    [true, false],
  );
});

test('a policy is in effect while an invalid one that came with it waits for the database, and not said to be before', async () => {
  const { policies, slow } = opened();
  await policies.take([object('a', {})]);
  // Another object that came with it waits for the database.
  slow.until = Promise.withResolvers();
  const taken = policies.take([object('a', { enforcement: 'Enforce' }, '2'), object('b', INVALID)]);
  await new Promise((resolve) => setImmediate(resolve));
  const inList = (): boolean =>
    policies.current()?.some(({ spec }) => spec.enforcement === 'Enforce') === true;
  const mark = { name: 'a', version: '2' };
  assert.deepEqual([policies.holds(mark), inList()], [true, true]);
  slow.until.resolve();
  await taken;
  // At the start nothing is decided before all were read.
  const { policies: fresh, slow: waits } = opened();
  waits.until = Promise.withResolvers();
  const first = fresh.take([object('a', {}), object('b', INVALID)]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([fresh.holds({ name: 'a', version: '1' }), fresh.current()], [false, null]);
  waits.until.resolve();
  await first;
  assert.equal(fresh.holds({ name: 'a', version: '1' }), true);
});
