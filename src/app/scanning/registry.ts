import { isIP } from 'node:net';
import { readBounded } from '../../adapters/files/index.ts';
import {
  chainKeychains,
  digestLookup,
  fileKeychain,
  NO_KEYS,
  openRegistry,
  pullPlaces,
  pullSecretKeychain,
  type HostState,
  type Ignoring,
} from '../../adapters/registry/index.ts';
import type { Outbound } from '../../adapters/transport/index.ts';
import type { DigestLookup } from '../../admission/index.ts';
import type { Clock, Count, Log } from '../../base/index.ts';
import {
  parseMirror,
  parsePlatform,
  parseRegistryHost,
  type Artifacts,
  type Keychain,
  type PullPlaces,
  type PullingPod,
  type PullSecrets,
  type Registry,
} from '../../image/index.ts';

/** RegistryPlaces are the settings by which registries are asked; `settings.registries` is one. */
export interface RegistryPlaces {
  readonly hosts: readonly {
    readonly host: string;
    readonly plainHttp: boolean;
    readonly caFile?: string | undefined;
    /** `HOST[:PORT][/PATH]` */
    readonly mirrors: readonly string[];
    readonly mirrorsOnly: boolean;
    readonly tokenHosts: readonly string[];
  }[];
  readonly caFile?: string | undefined;
  readonly dockerConfigFile?: string | undefined;
  /** Whether the webhook asks what a tag stands for. */
  readonly tags: 'resolve' | 'ignore';
  /** Whether the pull secrets of pods are used; not unless said. */
  readonly podSecrets?: boolean | undefined;
  /** `OS/ARCHITECTURE[/VARIANT]`; Linux on the architecture of this machine unless said. */
  readonly platform?: string | undefined;
}

/** ServiceRegistryDeps are what registries are asked with. */
export interface ServiceRegistryDeps {
  readonly settings: RegistryPlaces;
  /** Of the service, as registries are told. */
  readonly version: string;
  /** Of the cluster; null outside a cluster, or where the service may not read them. */
  readonly pullSecrets: PullSecrets | null;
  /** How calls leave; directly unless given. */
  readonly outbound?: Outbound | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
}

/** ServiceRegistry is how a service asks registries. */
export interface ServiceRegistry {
  readonly registry: Registry;
  readonly artifacts: Artifacts;
  /** Hosts that do not answer and are not called for a while, the longest first. */
  away(): readonly HostState[];
  /** For the webhook and the reconciliation; null where nobody is asked. */
  readonly lookup: DigestLookup | null;
  /** Where and how callers that do not use `registry` ask for images. */
  readonly places: PullPlaces;
  /** The credentials of the service. */
  readonly keychain: Keychain;
  /** The credentials of a pod's pull secrets, then those of the service. */
  keychainOf(pod: PullingPod): Promise<Keychain>;
  close(): Promise<void>;
}

/** openServiceRegistry joins the client of registries. Nothing is called yet. Throws FileError, and `invalid_config` for authorities that are none. */
export async function openServiceRegistry(deps: ServiceRegistryDeps): Promise<ServiceRegistry> {
  const { settings, pullSecrets, clock, log } = deps;
  const { dockerConfigFile, caFile, platform, podSecrets = false } = settings;
  const ignoring = ignoringHelpers(log);
  const keychain =
    dockerConfigFile === undefined ? NO_KEYS : fileKeychain(dockerConfigFile, { required: true, ignoring });
  const hosts = await Promise.all(
    settings.hosts.map(async ({ host, plainHttp, mirrors, mirrorsOnly, tokenHosts, caFile }) => ({
      host: parseRegistryHost(host) ?? host,
      mirrors: mirrors.flatMap((text) => parseMirror(text) ?? []),
      plainHttp,
      mirrorsOnly,
      tokenHosts,
      ...(caFile !== undefined && { ca: await readAuthorities(caFile) }),
    })),
  );
  const ca = caFile === undefined ? undefined : await readAuthorities(caFile);
  const registry = openRegistry({
    hosts,
    keychain,
    userAgent: `ipo/${deps.version}`,
    count: deps.count,
    denied: apiServer(),
    log,
    outbound: deps.outbound,
    ...(ca !== undefined && { ca }),
    ...(platform !== undefined && { platform: parsePlatform(platform) ?? undefined }),
  });
  return {
    registry,
    artifacts: registry.artifacts,
    away: () => registry.away(),
    lookup: settings.tags === 'resolve' ? digestLookup({ registry, clock, log }) : null,
    keychain,
    places: pullPlaces(hosts, ca),
    async keychainOf(pod) {
      if (!podSecrets || pullSecrets === null) return keychain;
      return chainKeychains(pullSecretKeychain(await pullSecrets.of(pod), ignoring), keychain);
    },
    close: () => registry.close(),
  };
}

/** Configs of which it is said; beyond them nobody reads one line more. */
const MAX_IGNORED = 1000;

/** Says once of each config that the programs which it names are not run: anyone who may write a Secret would choose what runs here. */
function ignoringHelpers(log: Log): Ignoring {
  const said = new Set<string>();
  return (config) => {
    if (said.has(config) || said.size === MAX_IGNORED) return;
    said.add(config);
    log.warn('credential helpers are ignored: the service runs none; only auths counts', { config });
  };
}

/** Certificates of some hundred authorities have less. */
function readAuthorities(path: string): Promise<string> {
  return readBounded(path, 4 * 1_048_576);
}

/** Nobody who names an image has the API server called. */
function apiServer(): string[] {
  const { KUBERNETES_SERVICE_HOST: host = '' } = process.env;
  return isIP(host) === 0 ? [] : [host];
}
