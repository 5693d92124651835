import type { DigestLookup } from '../../admission/index.ts';
import type { Health } from '../../api/index.ts';
import type { Clock, Digest, Log } from '../../base/index.ts';
import type { Artifacts } from '../../image/index.ts';
import type { Store } from '../../store/index.ts';
import type { CollectionState } from '../../supply-chain/index.ts';
import type { Metrics } from '../../telemetry/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Job } from '../running/jobs.ts';
import type { ServiceOutbound } from '../running/outbound.ts';
import { podKeychains } from '../cluster/pod-keychains.ts';
import type { ServiceParts } from './parts.ts';
import { openServiceRegistry, type ServiceRegistry } from '../scanning/registry.ts';
import { openScanning, type ServiceScanning } from '../scanning/scanning.ts';
import { openSignatures } from './signatures.ts';
import { openSupplyChain, type SupplyChain, type SupplyChainDeps } from './supply-chain.ts';
import type { Settings } from '../config/settings.ts';

/** FactsDeps are what brings facts of images in. */
export interface FactsDeps {
  /** As it was opened, and as leader jobs write through it. */
  readonly store: Store;
  readonly fenced: Store;
  readonly parts: Pick<ServiceParts, 'scanQueue' | 'scans'>;
  readonly settings: Settings;
  readonly version: string;
  /** Null outside a cluster. */
  readonly cluster: Pick<Cluster, 'pullSecrets' | 'podOf' | 'reads' | 'leadsCluster'> | null;
  /** The environment, of which scanners see what they need. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How calls leave; directly unless given. */
  readonly way?: ServiceOutbound | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** ServiceFacts is what a service finds out about images: what tags stand for, scans, and what is signed and stated. */
export interface ServiceFacts {
  /** What tags stand for; null where registries are not asked for it. */
  readonly tags: DigestLookup | null;
  readonly scanning: ServiceScanning;
  /** How registries keep files. */
  readonly artifacts: Artifacts;
  readonly jobs: readonly Job[];
  /** Has what is signed and stated of digests looked for, soon. */
  collect(digests: readonly Digest[]): Promise<void>;
  /** How that stands; null where it was never looked for. */
  collected(digest: Digest): Promise<CollectionState | null>;
  /** How what scans images here stands; null where nothing does. */
  health(): Health['scanner'];
  /** Registries that do not answer. */
  registries(): Health['registries'];
  /** Ends what is under way; to be called before the store is closed. */
  close(): Promise<void>;
}

/** Registries that the health lists. */
const MOST_SHOWN = 20;

/** openFacts joins registries, verification and scanning. Nothing is called before the jobs run. Throws FileError, `invalid_config`, StoreError. */
export async function openFacts(deps: FactsDeps): Promise<ServiceFacts> {
  const { store, parts, settings, version, cluster, env, way, clock, log, metrics } = deps;
  const outbound = way?.outbound;
  const count = metrics;
  await using opened = new AsyncDisposableStack();
  const registries = opened.adopt(
    await openServiceRegistry({
      settings: settings.registries,
      version,
      clock,
      log,
      count,
      pullSecrets: cluster?.pullSecrets ?? null,
      outbound,
    }),
    (one) => one.close(),
  );
  metrics.collect(async () => {
    const away = registries.away();
    const known = away.filter(({ answeredBefore }) => answeredBefore).length;
    metrics.set('svc_registry_hosts_away', known, { known: 'yes' });
    metrics.set('svc_registry_hosts_away', away.length - known, { known: 'no' });
  });
  const verifier = opened.adopt(await openSignatures({ settings, clock, log }), (one) => one.close());
  const scanning = opened.adopt(
    await openScanning({
      store,
      queue: parts.scanQueue,
      scans: parts.scans,
      settings: settings.scanner,
      data: settings.data,
      keychain: registries.keychain,
      registry: registries.registry,
      places: registries.places,
      env,
      way,
      clock,
      log,
      metrics,
      nodes:
        cluster === null
          ? null
          : {
              cluster: settings.clusterName ?? '',
              platforms: () => cluster.reads.nodePlatforms(),
              isLeader: () => cluster.leadsCluster(),
            },
    }),
    (one) => one.close(),
  );
  const supplyChain = openProofs(deps, registries, verifier);
  const held = opened.move();
  return {
    tags: registries.lookup,
    scanning,
    artifacts: registries.artifacts,
    jobs: [...scanning.jobs, ...(supplyChain?.jobs ?? [])],
    collect: async (digests) => supplyChain?.request(digests),
    collected: async (digest) => (await supplyChain?.state(digest)) ?? null,
    health: () => scannerHealth(scanning),
    registries: () => registriesHealth(registries.away(), clock.now()),
    close: () => held.disposeAsync(),
  };
}

/** What finds out what is signed and stated; null where nobody is to look. */
function openProofs(
  { fenced, settings, cluster, way, clock, log, metrics }: FactsDeps,
  registries: ServiceRegistry,
  verifier: SupplyChainDeps['verifier'],
): SupplyChain | null {
  if (settings.registries.proofs === 'ignore') return null;
  return openSupplyChain({
    store: fenced,
    registry: registries.registry,
    verifier,
    vex: settings.vex,
    outbound: way?.outbound,
    keychainOf:
      cluster === null || !settings.registries.podSecrets
        ? null
        : podKeychains({
            running: cluster.reads.runningPods,
            podOf: (namespace, name) => cluster.podOf(namespace, name),
            keychainOf: (pod) => registries.keychainOf(pod),
            log,
          }),
    clock,
    monotonic: { now: () => performance.now() },
    log,
    count: metrics,
  });
}

function scannerHealth(scanning: ServiceScanning): Health['scanner'] {
  const scanner = scanning.health();
  if (scanner === null) return null;
  const { name, running, message } = scanner;
  return {
    name,
    running,
    status: message === null ? 'ok' : 'degraded',
    ...(message !== null && { message }),
  };
}

function registriesHealth(away: ReturnType<ServiceRegistry['away']>, now: number): Health['registries'] {
  return {
    // Hosts that never answered are whatever somebody wrote into a pod.
    status: away.some(({ answeredBefore }) => answeredBefore) ? 'degraded' : 'ok',
    more: Math.max(0, away.length - MOST_SHOWN),
    away: away.slice(0, MOST_SHOWN).map(({ host, awayMs, againMs, answeredBefore }) => ({
      host,
      answeredBefore,
      since: now - awayMs,
      againAt: now + againMs,
    })),
  };
}
