import type { Health } from '../../api/index.ts';
import {
  hostFault,
  hostOfSettings,
  isTracker,
  isTrackerKind,
  type Channels,
  type StoredChannel,
} from '../../channels/index.ts';
import type { BackupHistory } from '../../backup/index.ts';
import type { ServiceFacts } from '../../doctor/index.ts';
import type { LicenceView } from '../../licence/index.ts';
import type { MuteStore } from '../../notify/index.ts';
import { mayHold } from '../../replicas/index.ts';
import type { NodeStanding } from '../../nodes/index.ts';
import type { Feed } from '../notify/notice-jobs.ts';
import type { ServiceParts } from '../service/parts.ts';

/** FactsDeps are what the facts of a running service are gathered from. */
export interface FactsDeps {
  readonly health: { health(): Promise<Health> };
  readonly parts: Pick<ServiceParts, 'policies' | 'runtimePolicies' | 'runtimeRules' | 'kev' | 'endOfLife'>;
  readonly channels: Pick<Channels, 'list'>;
  readonly mutes: Pick<MuteStore, 'current'>;
  readonly backups: Pick<BackupHistory, 'list' | 'lastDone'>;
  /** Milliseconds between two backups; null without a schedule. */
  readonly backupEvery: number | null;
  readonly licence: { view(): Promise<LicenceView> };
  readonly database: { readonly off: boolean };
  /** How the nodes of this cluster stand; null where they were never counted. */
  nodes(): Promise<NodeStanding | null>;
  /** Other clusters that report under the name of this one. */
  sameName(): Promise<readonly string[]>;
  runtimeEvents(): Promise<ServiceFacts['runtimeEvents']>;
  /** Why the database takes no writes; null where it does. */
  writeFault(): Promise<string | null>;
  proxyFault(): Promise<string | null>;
  readonly guarded: boolean;
  readonly hasDataKey: boolean;
  /** `trackers.allowedHosts`; none is any. */
  readonly allowedHosts: readonly string[];
  readonly scannerOff: boolean;
}

const EVERYTHING = { limit: null, offset: 0 } as const;

/** serviceFacts gathers what a running service knows of itself. What the database does not tell is left out where it does not answer. */
export async function serviceFacts(deps: FactsDeps, now: number): Promise<ServiceFacts> {
  const health = await deps.health.health();
  const { parts } = deps;
  const up = health.database.status !== 'down';
  const [
    readOnly,
    notifyingRules,
    policies,
    channels,
    backups,
    view,
    nodes,
    sameName,
    endOfLife,
    runtimeEvents,
  ] = await Promise.all([
    up ? deps.writeFault() : null,
    up ? notifyingRulesOf(parts) : 0,
    up ? policiesOf(parts) : [],
    up ? channelsOf(deps, now) : [],
    up ? backupsOf(deps) : { lastDoneAt: null, lastError: null },
    up ? deps.licence.view() : null,
    up ? deps.nodes() : null,
    up ? deps.sameName() : [],
    up && !parts.endOfLife.off ? parts.endOfLife.state() : null,
    up ? deps.runtimeEvents() : { events: 0, byField: 0, byPod: 0 },
  ]);
  const proxyFault = await deps.proxyFault();
  return {
    version: health.version,
    startedAt: health.startedAt,
    policies,
    channels,
    proxyFault,
    notifyingRules,
    runtimeEvents,
    database: { engine: health.database.engine, fault: health.database.message ?? null, readOnly },
    ledger: ledgerOf(health),
    webhook: webhookOf(health, deps.guarded),
    cluster: clusterOf(health, sameName, nodes),
    jobs: health.jobs.map(({ name, message }) => ({ name, fault: message ?? null })),
    vulnerabilityDatabase: toFeed(deps.database.off, health.trivyDb),
    knownExploited: toFeed(parts.kev.off, health.kev),
    endOfLife: toFeed(parts.endOfLife.off, endOfLife),
    ...reachesOf(health),
    hasDataKey: deps.hasDataKey,
    scannerOff: deps.scannerOff,
    backups: { every: deps.backupEvery, ...backups },
    licence: licenceOf(view),
  };
}

function reachesOf({
  scanner,
  scanFailures,
  registries,
  untrustedProxies,
  notifications,
}: Health): Pick<
  ServiceFacts,
  'scanner' | 'unscannable' | 'registries' | 'untrustedProxies' | 'notifications'
> {
  return {
    scanner: scanner === null ? null : { name: scanner.name, fault: scanner.message ?? null },
    unscannable: scanFailures.images,
    registries: registries.away.map(({ host, since }) => ({ host, since })),
    untrustedProxies: untrustedProxies.map(({ address }) => address),
    notifications:
      notifications === null ? null : { failed: notifications.failed, oldest: notifications.oldest },
  };
}

function licenceOf(view: LicenceView | null): ServiceFacts['licence'] {
  if (view === null) return { state: 'none', warnings: [], lastError: null };
  return { state: view.state, warnings: view.warnings, lastError: view.stored?.lastError ?? null };
}

function ledgerOf({ ledger }: Health): ServiceFacts['ledger'] {
  return {
    rows: ledger.rows,
    signedRows: ledger.treeSize,
    signedAt: ledger.checkpoint?.at ?? null,
    spooledRows: ledger.spool?.rows ?? 0,
    holding: ledger.spool?.holding ?? false,
    clockBehindMs: ledger.clock.behind,
    broken: ledger.clock.behind === 0 ? (ledger.message ?? null) : null,
    anchors: ledger.anchors.map(({ name, message }) => ({ name, error: message ?? null })),
  };
}

function webhookOf({ webhook }: Health, guarded: boolean): ServiceFacts['webhook'] {
  if (webhook === null) return null;
  return { fault: webhook.message ?? null, certificateEndsAt: webhook.certificateEndsAt, guarded };
}

function clusterOf(
  { cluster }: Health,
  sameName: readonly string[],
  nodes: NodeStanding | null,
): ServiceFacts['cluster'] {
  if (cluster === null) return null;
  return {
    name: cluster.name,
    sameName,
    nodesOverSince: nodes?.overSince ?? null,
    fault: cluster.message ?? null,
    stale: cluster.reads.flatMap(({ kind, staleSince }) =>
      staleSince === null ? [] : [{ kind, since: staleSince }],
    ),
    holding: cluster.replicas.flatMap(({ name, state, since }) =>
      mayHold(state) && since !== null ? [{ name, since }] : [],
    ),
  };
}

function toFeed(off: boolean, feed: Feed | null): ServiceFacts['endOfLife'] {
  const times = [feed?.checkedAt ?? null, feed?.fetchedAt ?? null].filter((at) => at !== null);
  return { off, freshAt: times.length === 0 ? null : Math.max(...times), lastError: feed?.lastError ?? null };
}

async function notifyingRulesOf({ runtimeRules }: FactsDeps['parts']): Promise<number> {
  const { items } = await runtimeRules.list();
  return items.filter(({ rule, fault }) => fault === null && rule.enabled && rule.action === 'notify').length;
}

async function policiesOf({
  policies,
  runtimePolicies,
}: FactsDeps['parts']): Promise<ServiceFacts['policies']> {
  const [images, runtime] = await Promise.all([policies.list(EVERYTHING), runtimePolicies.list(EVERYTHING)]);
  return [
    ...images.items.map(({ name, invalid }) => ({
      name,
      kind: 'ImagePolicy',
      fault: invalid?.fault ?? null,
    })),
    ...runtime.items.map(({ name, invalid }) => ({
      name,
      kind: 'RuntimePolicy',
      fault: invalid?.fault ?? null,
    })),
  ];
}

/** What the service would say of a call to it; mail has no address. */
function hostFaultOf({ settings }: StoredChannel, allowed: readonly string[]): string | null {
  const host = hostOfSettings(settings);
  return host === null ? null : hostFault(host, allowed);
}

async function channelsOf(
  { channels, mutes, allowedHosts }: FactsDeps,
  now: number,
): Promise<ServiceFacts['channels']> {
  const { items } = await channels.list(EVERYTHING);
  return Promise.all(
    items.map(async ({ channel, secrets }) => {
      const { id, name, kind, enabled, fault, lastError, paused, subscriptions } = channel;
      return {
        name,
        kind,
        enabled,
        fault,
        hostFault: hostFaultOf(channel, allowedHosts),
        secrets,
        lastError,
        events: subscriptions,
        isTracker: isTracker(channel) || isTrackerKind(kind),
        mutedUntil: (await mutes.current(id, now))?.until ?? null,
        paused: paused !== undefined,
      };
    }),
  );
}

async function backupsOf({ backups }: FactsDeps): Promise<Omit<ServiceFacts['backups'], 'every'>> {
  const { items } = await backups.list({ limit: 1, offset: 0 });
  return { lastDoneAt: await backups.lastDone(), lastError: items[0]?.error ?? null };
}
