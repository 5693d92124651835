import type { LicenceParts } from '../../api/index.ts';
import { openLicenceService } from '../../adapters/licence/index.ts';
import { formatTime, sha256Hex, type Clock, type Log } from '../../base/index.ts';
import { parseVkey } from '../../ledger/index.ts';
import { Licences } from '../../licence/index.ts';
import { monthOf } from '../../nodes/index.ts';
import { installationId, licenceStore, meterStore, nodeStandings, type Store } from '../../store/index.ts';
import type { Outbound } from '../../adapters/transport/index.ts';
import type { Happened } from '../../notify/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Settings } from '../config/settings.ts';
import type { Job } from '../running/jobs.ts';
import type { ServiceParts } from './parts.ts';

/** LicenceDeps are what the licence of a service is joined with. */
export interface LicenceDeps {
  /** As it was opened: these writes are of one cluster, however the database is led. */
  readonly store: Store;
  readonly parts: Pick<ServiceParts, 'audit' | 'together'>;
  readonly settings: Pick<Settings, 'licence' | 'clusterName'>;
  /** Null outside of a cluster. */
  readonly cluster: Pick<Cluster, 'leadsCluster' | 'clusterId'> | null;
  readonly trackers: { readonly notifications: { tell(happened: Happened): Promise<boolean> } };
  readonly way: { readonly outbound: Outbound };
  readonly clock: Clock;
  readonly log: Log;
}

const MINUTE = 60_000;

/** ServiceLicence is what the routes of the licence are asked of, and the job. */
export interface ServiceLicence {
  readonly routes: LicenceParts;
  readonly jobs: readonly Job[];
}

/** openLicence joins them. */
export async function openLicence(deps: LicenceDeps): Promise<ServiceLicence> {
  const { store, parts, settings, cluster, clock, log } = deps;
  const { notifications } = deps.trackers;
  const { outbound } = deps.way;
  const { publicKeys, url, key } = settings.licence;
  const name = settings.clusterName ?? '';
  const id = await installationId(store);
  const licences = new Licences({
    cluster: name,
    installationId: id,
    clock,
    log,
    audit: parts.audit,
    together: parts.together,
    clusterId: async () => (cluster === null ? id : cluster.clusterId()),
    store: licenceStore(store),
    keys: publicKeys.map((text) => parseVkey(text)),
    keyId: key === undefined ? null : sha256Hex(key.reveal()).slice(0, 16),
    service: url === undefined || key === undefined ? null : openLicenceService({ url, key, outbound }),
    warn: async ({ certificateId, step, daysLeft, notAfter }) =>
      void (await notifications.tell({
        event: 'licence_expiring',
        subject: 'licence',
        throttleKey: `licence_expiring ${name} ${certificateId} ${notAfter} ${step}`,
        payload: { days: daysLeft, not_after: formatTime(notAfter), cluster: name === '' ? null : name },
      })),
  });
  const meter = meterStore(store);
  const nodes = nodeStandings(store);
  return {
    routes: {
      licences,
      publicKeys,
      usage: async () => {
        const month = monthOf(clock.now());
        const [names, standings] = await Promise.all([meter.names(name, month), nodes.all()]);
        return { month, imageNames: names.size, nodes: standings.get(name)?.count ?? null };
      },
    },
    jobs: [
      {
        name: 'licence',
        every: 5 * MINUTE,
        leaderOnly: cluster === null,
        atStart: true,
        ...(cluster !== null && { mayRun: () => cluster.leadsCluster() }),
        run: (signal) => licences.run(signal),
      },
    ],
  };
}
