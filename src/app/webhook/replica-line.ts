import { hostname } from 'node:os';
import { nextLife } from '../../adapters/spool/index.ts';
import type { Appender } from '../../ledger/index.ts';
import { ReplicaReport } from '../../replicas/index.ts';
import { replicaStore } from '../../store/index.ts';
import type { Peer } from '../processes/peer.ts';
import type { ServiceActs, WebhookActs } from './acts.ts';
import type { WebhookPartDeps } from './part-deps.ts';

/** The Lease is written by the service's part, which calls the API server for it. */
const NOTE_MS = 15_000;

/** openReplicaLine makes the line of this replica in the database: before that, no review may be answered. */
export async function openReplicaLine(
  { settings, places, store, clock, log, takesOver }: WebhookPartDeps,
  appender: Appender,
  peer: Peer<WebhookActs, ServiceActs>,
): Promise<ReplicaReport> {
  const host = process.env['POD_NAME'] ?? hostname();
  const life = (another: boolean) => nextLife(places.spoolDirectory, host, another);
  const report = new ReplicaReport({
    cluster: settings.clusterName ?? '',
    store: replicaStore(store),
    ledger: appender,
    clock,
    log,
    notes:
      settings.cluster === undefined
        ? null
        : {
            write: async (name, since) => void (await peer.ask('note', { name, since }, { ms: NOTE_MS })),
          },
    me: await life(false),
    another: () => life(true),
  });
  await report.begin(takesOver);
  return report;
}
