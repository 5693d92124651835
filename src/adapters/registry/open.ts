import type { LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Count, Log } from '../../base/index.ts';
import {
  normalisePlatform,
  RegistryError,
  type Artifacts,
  type Keychain,
  type Platform,
  type Registry,
} from '../../image/index.ts';
import { readAuthorities, type Outbound } from '../transport/index.ts';
import { ArtifactsClient } from './artifacts.ts';
import { Asking } from './asking.ts';
import { Authorised } from './authorised.ts';
import { Caller } from './call.ts';
import { RegistryClient } from './client.ts';
import { Lines } from './connect.ts';
import { Flights } from './flights.ts';
import { HostHealth, type HostState } from './host-health.ts';
import { Hosts, type HostSettings } from './hosts.ts';
import { NO_KEYS } from './keychains.ts';
import { ASK_MS, CALL_MS } from './limits.ts';
import { Newcomers } from './newcomers.ts';
import type { Patience } from './patience.ts';
import { PlacesAsked } from './places-asked.ts';
import { Quiet } from './quiet.ts';
import { Reading } from './reading.ts';

/** RegistryOptions say how registries are called. */
export interface RegistryOptions {
  readonly hosts?: readonly HostSettings[] | undefined;
  /** Authorities in PEM for every host that has none of its own, beside the system's. */
  readonly ca?: string | undefined;
  /** Used where a question brings none; without it, registries are asked anonymously. */
  readonly keychain?: Keychain | undefined;
  /** As registries are told: `ipo/1.2.3`. */
  readonly userAgent: string;
  /** Whether registries of this machine may be called without settings, over plain HTTP: on a laptop, never in a cluster. */
  readonly loopback?: boolean | undefined;
  /** Addresses that are never called, whatever a name resolves to, such as the cluster's API server. */
  readonly denied?: readonly string[] | undefined;
  /** For which images are looked up where nobody says; this machine's architecture under Linux unless given. */
  readonly platform?: Platform | undefined;
  readonly count?: Count | undefined;
  /** Told of hosts that do not answer. */
  readonly log?: Log | undefined;
  /** Runs an act once after some milliseconds, and gives what calls it off; real time unless given. */
  readonly after?: ((ms: number, act: () => void) => () => void) | undefined;
  /** A number from 0 to 1, for spreading. */
  readonly random?: (() => number) | undefined;
  /** Milliseconds by a clock that no one sets. */
  readonly monotonic?: (() => number) | undefined;
  /** Waits for a registry that is busy; real time unless given. */
  readonly wait?: Patience['wait'] | undefined;
  /** Milliseconds for one call and for a whole question; 20,000 and 60,000 unless given. */
  readonly callMs?: number | undefined;
  readonly askMs?: number | undefined;
  /** Resolves names; the system's unless given. */
  readonly lookup?: LookupFunction | undefined;
  /** Through which proxy, and whom TLS trusts; directly and the authorities of the system unless given. */
  readonly outbound?: Outbound | undefined;
}

/** OpenRegistry is a Registry, and its end. */
export interface OpenRegistry extends Registry {
  readonly artifacts: Artifacts;
  /** The hosts that do not answer, the longest first. */
  away(): readonly HostState[];
  isAway(host: string): boolean;
  /** Ends its connections, and what is under way. */
  close(): Promise<void>;
}

/** openRegistry makes a client of registries; nothing is called before it is asked. Throws RegistryError `refused` for a `ca` that is none. */
export function openRegistry(options: RegistryOptions): OpenRegistry {
  const { userAgent, callMs = CALL_MS, askMs = ASK_MS, monotonic = () => performance.now() } = options;
  for (const ca of [options.ca, ...(options.hosts ?? []).map((host) => host.ca)])
    if (ca !== undefined) assertAuthorities(ca);
  const hosts = new Hosts(options.hosts ?? [], options.loopback ?? false, options.ca ?? null);
  const lines = new Lines(options);
  const caller = new Caller({ hosts, lines, userAgent, callMs });
  const flights = new Flights(askMs);
  const authorised = new Authorised({ caller, hosts, flights, monotonic });
  const health = new HostHealth({ monotonic, log: options.log ?? null, random: options.random });
  const places = new PlacesAsked(hosts, monotonic);
  const keychain = options.keychain ?? NO_KEYS;
  const asking = new Asking({
    health,
    newcomers: new Newcomers((host) => health.isProven(host)),
    after: options.after ?? later,
    places,
    flights,
    askMs,
    patience: { monotonic, wait: options.wait ?? waitFor, random: options.random ?? Math.random },
    keychain,
    count: options.count ?? null,
  });
  const reading = new Reading(authorised, new Quiet(monotonic));
  const client = new RegistryClient({
    asking,
    reading,
    platform: options.platform ?? thisPlatform(),
  });
  return Object.assign(client, {
    artifacts: new ArtifactsClient({ authorised, reading, places, keychain }),
    away: () => health.away(),
    isAway: (host: string) => health.isAway(host),
    close: () => lines.close(),
  });
}

function later(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}

/** The architecture of this machine under Linux, which is what clusters run. */
function thisPlatform(): Platform {
  const names: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };
  const { arch } = process;
  return normalisePlatform({
    os: 'linux',
    architecture: names[arch] ?? arch,
    variant: null,
    osVersion: null,
  });
}

function assertAuthorities(ca: string): void {
  if (readAuthorities(ca) !== null) return;
  throw new RegistryError(
    'refused',
    'the authorities that are to be trusted for a registry are not all certificates',
    {
      hint: 'They have to be in PEM: -----BEGIN CERTIFICATE-----',
    },
  );
}
