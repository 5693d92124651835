import { toLedgerEvents } from '../cluster/events.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { openEvidence, type ServiceEvidence } from '../evidence/joined.ts';
import { openRetentionTime } from '../ledger/history.ts';
import { linkedPair } from '../processes/link.ts';
import { openReplayProcess, type ReplayProcess } from '../replay/process.ts';
import type { Opening } from '../running/opening.ts';
import type { RetentionClock } from '../running/retention-time.service.ts';
import { openFacts, type ServiceFacts } from '../service/facts.ts';
import { openLedger, type ServiceLedger } from '../service/ledger.ts';
import { openLicence, type ServiceLicence } from '../service/licence.ts';
import { openOperator, type ServiceOperator } from '../service/operator.ts';
import { joinParts, type ServiceParts } from '../service/parts.ts';
import { openRuntime, type ServiceRuntime } from '../service/runtime.ts';
import { openTrackers, type ServiceTrackers } from '../trackers/trackers.ts';
import { openWebhookPart, type WebhookPart } from '../webhook/webhook-part.ts';
import type { Foundation } from './foundation.ts';

/** ServiceMembers are what works in a service, behind its API and its jobs. */
export interface ServiceMembers {
  readonly replay: ReplayProcess;
  /** Null outside of a cluster. */
  readonly cluster: Cluster | null;
  readonly parts: ServiceParts;
  readonly trackers: ServiceTrackers;
  readonly ledger: ServiceLedger;
  /** The webhook's part, where it runs in this process. */
  readonly webhook: WebhookPart | null;
  readonly facts: ServiceFacts;
  readonly operator: ServiceOperator;
  readonly licence: ServiceLicence;
  readonly runtime: ServiceRuntime;
  readonly retention: RetentionClock;
  readonly evidence: ServiceEvidence;
  /** How rows of reviews wait for the database here; as the webhook's part told it last. */
  ledgerQueue(): { readonly queued: number; readonly spooled: number; readonly delayed: boolean };
}

/** openMembers opens them, each after what it needs. Nothing listens yet. Throws what keeps a service from starting. */
export async function openMembers(base: Foundation, opening: Opening): Promise<ServiceMembers> {
  const { fenced } = base;
  const replay = opening.adopt(openReplay(base), (one) => one.close());
  const cluster = await openCluster(base, opening);
  const parts = joinParts({ ...base, store: fenced, objects: cluster, replay });
  const policies = parts.inForce;
  const trackers = await openTrackers({ ...base, store: fenced, policies, leader: cluster?.leader });

  const ledgerQueue = () => operator.peer.status?.ledger ?? { queued: 0, spooled: 0, delayed: false };
  const ledger = await openLedger({
    ...base,
    parts,
    reviews: base.link === null,
    ...(cluster !== null && { refused: toLedgerEvents(cluster.events, cluster.namespace) }),
    spool: () => {
      const { spooled, delayed } = ledgerQueue();
      return { rows: spooled, delayed };
    },
  });
  const { appender, writer, watch } = ledger;
  opening.adopt(appender, () => appender.close());
  const [toService, toWebhook] = base.link === null ? linkedPair() : [null, base.link];
  const webhook =
    toService === null
      ? null
      : await openWebhookPart({ ...base, writer, watch, link: toService, counted: null });
  opening.unlessAnswered(async () => webhook?.drop());

  const facts = opening.adopt(await openFacts({ ...base, parts, cluster }), (one) => one.close());
  const operator = openOperator({
    ...base,
    parts,
    cluster,
    appender,
    link: toWebhook,
    tags: facts.tags,
    collect: (digests) => facts.collect(digests),
  });
  const licence = await openLicence({ ...base, parts, cluster, trackers });
  const runtime = openRuntime({ ...base, cluster, parts, replay });
  const retention = openRetentionTime(fenced, base);
  const evidence = await openEvidence({
    ...base,
    parts,
    retention,
    namespace: cluster?.namespace ?? null,
    checkpoint: () => ledger.routes.signing.checkpoint(),
    traffic: operator.peer.traffic,
  });
  return {
    replay,
    cluster,
    parts,
    trackers,
    ledger,
    webhook,
    facts,
    operator,
    licence,
    runtime,
    retention,
    evidence,
    ledgerQueue,
  };
}

function openReplay({ places, settings, log }: Foundation): ReplayProcess {
  const { coldImagePolicy } = settings.webhook;
  const { timeLimit, memory } = settings.whatif;
  return openReplayProcess({ url: places.databaseUrl, coldImagePolicy, timeLimit, memory, log });
}

/** The operator's part in its cluster; null outside of one, which loads nothing of it. */
async function openCluster(base: Foundation, opening: Opening): Promise<Cluster | null> {
  const { settings, fenced, version, clock, log, count } = base;
  if (settings.cluster === undefined) return null;
  const cluster = await (
    await import('../cluster/cluster.ts')
  ).openCluster({
    store: fenced,
    settings: settings.cluster,
    clusterName: settings.clusterName ?? null,
    version,
    clock,
    log,
    count,
  });
  return opening.adopt(cluster, () => cluster.close());
}
