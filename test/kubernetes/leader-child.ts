import { KubernetesApi, leaseStore } from '../../src/adapters/kubernetes/index.ts';
import { Election, type LeaseTimes } from '../../src/leadership/index.ts';
import { openStore, raiseFence, readFence, underLeadership, fenceWrites } from '../../src/store/index.ts';
import { plainConnection, realTime, silent } from './servers.ts';

/**
 * A replica as a process of its own: it takes part in the election over an API server, and while it leads it writes every few
 * milliseconds under its fence. SIGUSR2 stops it in the middle of its next transaction. Arguments: address of the API server, URL of the database, name, times of the election as JSON.
 */
const [server = '', database = '', name = '', times = '{}'] = process.argv.slice(2);
const plain = await openStore({ url: database, poolSize: 2, now: () => Date.now() });
const store = fenceWrites(plain);
const election = new Election({
  leases: leaseStore(new KubernetesApi(plainConnection(server), name), 'default', 'leader'),
  fences: {
    raise: () => raiseFence(plain, name, Date.now()),
    stands: async (fence) => ((await readFence(plain))?.fence === fence ? 'stands' : 'raised'),
  },
  clock: realTime,
  log: silent,
  me: name,
  times: JSON.parse(times) as LeaseTimes,
});
election.start();
process.once('SIGTERM', () => void election.stop().then(() => process.exit(0)));

let stopInside = false;
process.on('SIGUSR2', () => (stopInside = true));

let told = false;
for (;;) {
  const fence = election.fence();
  if (election.isLeader() !== told) {
    told = election.isLeader();
    process.stdout.write(`${JSON.stringify({ name, leads: told, fence })}\n`);
  }
  if (told)
    await underLeadership(fence, () =>
      store.write(async (transaction) => {
        await transaction
          .insertInto('audit')
          .values({ at: Date.now(), actor: '', action: name, target: '', detail: String(fence) })
          .execute();
        if (stopInside) process.kill(process.pid, 'SIGSTOP');
        stopInside = false;
      }),
    ).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 5));
}
