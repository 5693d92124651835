import type { Appender } from '../../ledger/index.ts';
import { Meter } from '../../nodes/index.ts';
import { meterStore, nodeStore, storedCeilings } from '../../store/index.ts';
import { parseListen } from '../config/settings.ts';
import { timers } from '../running/timers.ts';
import { openAdmission, type ServiceAdmission } from './admission.ts';
import { knownCallers } from './known-callers.ts';
import type { WebhookPartDeps } from './part-deps.ts';
import { RememberedTags } from './remembered-tags.ts';
import type { ServicePeer } from './service-peer.ts';

/** PartAdmission is what decides reviews in the webhook's part. */
export interface PartAdmission {
  /** Null where nothing listens. */
  readonly admission: ServiceAdmission | null;
  /** What the names of a cluster are counted by; null outside of one. */
  readonly meter: Meter | null;
}

/** openPartAdmission joins the port with what the service's part tells and is asked. Nothing listens yet. */
export function openPartAdmission(
  deps: WebhookPartDeps,
  { peer, told, events }: ServicePeer,
  appender: Appender,
): PartAdmission {
  const { settings, store, clock, log, metrics, takesOver } = deps;
  const { webhook, clusterName } = settings;
  const isCluster = settings.cluster !== undefined;
  const meter = isCluster ? openMeter(deps, peer) : null;
  const at = webhook.listen === undefined ? null : parseListen(webhook.listen);
  if (at === null) return { admission: null, meter };
  const tags =
    settings.registries.tags === 'resolve'
      ? new RememberedTags({
          ask: (reference, signal) => peer.ask('digestOf', reference, { signal }),
          monotonic: () => performance.now(),
        })
      : null;
  const admission = openAdmission({
    store,
    ledger: appender,
    ...at,
    certificate: null,
    cluster: clusterName ?? null,
    coldImagePolicy: webhook.coldImagePolicy,
    failurePolicy: webhook.failurePolicy,
    known: knownCallers(webhook, isCluster),
    clock,
    timers,
    log,
    metrics,
    ...(isCluster && {
      policies: told.policies,
      exposure: told.exposure,
      events,
      platformOf: (node: string) => told.platformOf(node),
    }),
    ...(meter !== null && { names: meter }),
    ...(tags !== null && { lookup: tags }),
    listensFirst: takesOver,
    requestScans: (digests, at) => peer.ask('requestScans', { digests, at }),
    collect: (digests, at) => peer.ask('collect', { digests, at }),
  });
  return { admission, meter };
}

function openMeter({ settings, store, clock, log }: WebhookPartDeps, peer: ServicePeer['peer']): Meter {
  const cluster = settings.clusterName ?? '';
  return new Meter({
    cluster,
    meter: meterStore(store),
    nodes: nodeStore(store),
    ceilings: storedCeilings(store, cluster),
    running: { names: () => peer.ask('runningNames', null) },
    clock,
    log,
  });
}
