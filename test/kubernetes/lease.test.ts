import assert from 'node:assert/strict';
import { leaseStore } from '../../src/adapters/kubernetes/index.ts';
import { microTime } from '../../src/base/index.ts';
import { type LeaseRecord } from '../../src/leadership/index.ts';
import { onEveryServer } from './servers.ts';

const record = (holder: string): LeaseRecord => ({
  holder,
  durationSeconds: 10,
  acquiredAt: microTime(1_700_000_000_000),
  renewedAt: microTime(1_700_000_000_123),
  transitions: 0,
});

onEveryServer(
  'a Lease is made once, and written only against the version that was read',
  async (_, { api, client, name, atEnd }) => {
    const lease = name('lease');
    const mine = leaseStore(api, 'default', lease);
    const theirs = leaseStore(client('other'), 'default', lease);
    atEnd(() =>
      api.find({
        method: 'DELETE',
        path: `/apis/coordination.k8s.io/v1/namespaces/default/leases/${lease}`,
        what: 'it',
      }),
    );
    assert.equal(await mine.read(5_000), null);
    const first = await mine.create(record('a'), 5_000);
    assert.ok(first);
    assert.equal(await theirs.create(record('b'), 5_000), null);
    const { version, ...told } = first;
    assert.deepEqual(told, record('a'));
    const second = await theirs.replace({ ...record('b'), transitions: 1 }, version, 5_000);
    assert.equal(second?.holder, 'b');
    assert.equal(await mine.replace(record('a'), version, 5_000), null);
    assert.deepEqual(await mine.read(5_000), second);
    await api.call({
      method: 'DELETE',
      path: `/apis/coordination.k8s.io/v1/namespaces/default/leases/${lease}`,
      what: 'it',
    });
    assert.equal(await mine.replace(record('a'), second?.version ?? '', 5_000), null);
  },
);

onEveryServer('a Lease that was given back has no holder', async (_, { api, name, atEnd }) => {
  const lease = name('lease');
  const store = leaseStore(api, 'default', lease);
  atEnd(() =>
    api.find({
      method: 'DELETE',
      path: `/apis/coordination.k8s.io/v1/namespaces/default/leases/${lease}`,
      what: 'it',
    }),
  );
  const first = await store.create(record('a'), 5_000);
  await store.replace({ ...record(''), durationSeconds: 1 }, first?.version ?? '', 5_000);
  assert.equal((await store.read(5_000))?.holder, '');
});
