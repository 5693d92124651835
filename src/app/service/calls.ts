import type { ApiOptions, LedgerParts } from '../../api/index.ts';
import type { Clock, Log } from '../../base/index.ts';
import { openCallThreads, type CallThreads } from '../calls/threads.ts';
import type { Traffic } from '../programs/pace.ts';
import type { Places } from '../running/data-directory.ts';
import type { ServiceFacts } from './facts.ts';
import type { ServiceParts } from './parts.ts';
import type { Settings } from '../config/settings.ts';

/** ServiceCallsDeps are what the costly calls of a service are answered with. */
export interface ServiceCallsDeps {
  readonly places: Pick<Places, 'databaseUrl'>;
  readonly settings: Pick<Settings, 'calls' | 'cluster' | 'runtime' | 'clusterName' | 'evidence' | 'webhook'>;
  readonly parts: Pick<ServiceParts, 'images' | 'audit'>;
  readonly ledger: Pick<LedgerParts, 'signing'>;
  readonly facts: Pick<ServiceFacts, 'collected'>;
  readonly traffic: Traffic;
  readonly clock: Clock;
  readonly log: Log;
}

/** ServiceCalls are the threads, and what the API is told of them. */
export interface ServiceCalls extends Pick<CallThreads, 'start' | 'close'> {
  readonly api: Pick<ApiOptions, 'apart' | 'places'>;
}

/** openServiceCalls joins the threads that answer costly calls with what they leave to the loop. */
export function openServiceCalls(deps: ServiceCallsDeps): ServiceCalls {
  const { places, settings, parts, ledger, facts, traffic, clock, log } = deps;
  const { signing } = ledger;
  const { readers, perAccount, exportsPerAccount } = settings.calls;
  const threads = openCallThreads({
    setup: {
      url: places.databaseUrl,
      origin: signing.origin,
      vkey: signing.vkey,
      coldImagePolicy: settings.webhook.coldImagePolicy,
      cluster: settings.clusterName ?? null,
      maxStops: settings.runtime.maxStops,
      ownNamespace: settings.cluster?.namespace ?? null,
      evidenceDays: settings.evidence.retentionDays,
    },
    asks: {
      refresh: () => parts.images.refresh(),
      collected: (digest) => facts.collected(digest),
      record: (entry) => parts.audit.record(entry),
      checkpoint: () => signing.checkpoint(),
    },
    readers,
    traffic,
    clock,
    log,
  });
  return {
    api: { apart: threads, places: { perAccount, exports: exportsPerAccount } },
    start: () => threads.start(),
    close: () => threads.close(),
  };
}
