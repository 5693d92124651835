/** A process that stops pods for the events that wait for it, until it is killed: `node stop-child.ts DATABASE API-SERVER`. */
import { flushCompileCache } from 'node:module';
import { sql } from 'kysely';
import { clusterLivePods, KubernetesApi } from '../../src/adapters/kubernetes/index.ts';
import { PodStops, runtimePolicySpec, type StopEvent } from '../../src/runtime/index.ts';
import { openStore, podStopLog } from '../../src/store/index.ts';
import { plainConnection, silent } from '../kubernetes/servers.ts';

const [url = '', server = ''] = process.argv.slice(2);
// The test has just made the tables: to compare them would be half of what a start costs.
const store = await openStore({ url, checked: true });
const stops = new PodStops({
  rules: { cluster: 'eu', ownNamespace: 'ipo', allowEnforce: true, maxStops: 1000 },
  pods: clusterLivePods(new KubernetesApi(plainConnection(server), 'child')),
  log: podStopLog(store),
  notices: { happened: () => {} },
  draftOf: async () => null,
  leader: { isLeader: () => true, fence: () => 7 },
  clock: { now: () => Date.now() },
  lines: silent,
  count: { add: () => {}, observe: () => {} } as never,
});
const policy = { name: 'stop', spec: runtimePolicySpec.parse({ enforcement: 'Enforce' }) };
// One that is killed does not keep what was compiled of it.
flushCompileCache();
process.send?.('ready');
for (;;) {
  const { rows } = await sql<StopEvent & { readonly pod_uid: string }>`
    select * from runtime_events where policy_effect = 'pending' order by id limit 20`.execute(store.read);
  for (const row of rows) await stops.stop({ event: { ...row, podUid: row.pod_uid }, policy });
  if (rows.length === 0) process.send?.('done');
  await new Promise((resolve) => setTimeout(resolve, 20));
}
