import assert from 'node:assert/strict';
import { leaseStore, spoolNotes } from '../../src/adapters/kubernetes/index.ts';
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
  'replicas note on the Lease that they spool, and neither each other nor a leader that renews loses it',
  async (_, { api, client, name, atEnd }) => {
    const lease = name('lease');
    const path = `/apis/coordination.k8s.io/v1/namespaces/default/leases/${lease}`;
    atEnd(() => api.find({ method: 'DELETE', path, what: 'it' }));
    const leader = leaseStore(api, 'default', lease);
    const one = spoolNotes(api, 'default', lease);
    const two = spoolNotes(client('other'), 'default', lease);
    await assert.rejects(one.write('ipo-0-1a2b3c', 1_700_000_000_000), /Lease/);
    assert.deepEqual(await one.read(), []);
    await one.write('ipo-0-1a2b3c', null); // what is not there need not go

    const first = await leader.create(record('a'), 5_000);
    await Promise.all([
      one.write('ipo-0-1a2b3c', 1_700_000_000_000),
      two.write('ipo-1-4d5e6f', 1_700_000_005_000),
    ]);
    assert.equal(await leader.replace(record('a'), first?.version ?? '', 5_000), null);
    const seen = await leader.read(5_000);
    for (let version = seen?.version ?? '', round = 0; round < 3; round += 1) {
      const written = await leader.replace(record('a'), version, 5_000);
      version = written?.version ?? '';
    }
    const noted = (await two.read()).toSorted((a, b) => a.since - b.since);
    assert.deepEqual(noted, [
      { name: 'ipo-0-1a2b3c', since: 1_700_000_000_000 },
      { name: 'ipo-1-4d5e6f', since: 1_700_000_005_000 },
    ]);
    await one.write('ipo-0-1a2b3c', null);
    assert.deepEqual(await two.read(), [{ name: 'ipo-1-4d5e6f', since: 1_700_000_005_000 }]);
  },
);
