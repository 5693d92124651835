import { isLoopback } from '../../base/index.ts';
import { RegistryError, type Repository } from '../../image/index.ts';

/** Mirror is where images of a registry are also kept: `mirror.example:5000`, with a path before theirs where it has one. */
export interface Mirror {
  readonly host: string;
  /** `proxy/hub`, or empty. */
  readonly prefix: string;
}

/** HostSettings say how one registry is reached; a registry without them is called over https, with the system's authorities. */
export interface HostSettings {
  /** As references name it: `docker.io`, `registry.example:5000`. */
  readonly host: string;
  /** Called over plain HTTP. A credential then crosses the network as it is. */
  readonly plainHttp?: boolean | undefined;
  /** Authorities in PEM that are trusted for it beside the system's. */
  readonly ca?: string | undefined;
  /** Asked first, in order. */
  readonly mirrors?: readonly Mirror[] | undefined;
  /** Whether only the mirrors are asked. */
  readonly mirrorsOnly?: boolean | undefined;
  /** Hosts of token services that may be shown its credential, beside those of its own domain. */
  readonly tokenHosts?: readonly string[] | undefined;
}

/** Endpoint is one place where a repository is asked for. */
export interface Endpoint {
  /** The host as it is named in settings and sentences; whose credentials are used. */
  readonly host: string;
  /** Where its API is: `https://registry-1.docker.io`. */
  readonly origin: URL;
  /** Path of the repository there, which a mirror may put behind another one. */
  readonly path: string;
  /** The registry that a mirror answers for; null for the registry itself. */
  readonly mirrorOf: string | null;
}

/** Reach is how a host may be called. */
export interface Reach {
  readonly plainHttp: boolean;
  /** Whether this name may stand for this machine itself. */
  readonly loopback: boolean;
  readonly ca: string | null;
  readonly tokenHosts: readonly string[];
}

/** Docker Hub's API is on another host than its name. */
const API_HOSTS: Readonly<Record<string, string>> = { 'docker.io': 'registry-1.docker.io' };

/** Hosts knows how each registry is reached. */
export class Hosts {
  readonly #settings: ReadonlyMap<string, HostSettings>;
  readonly #loopback: boolean;
  readonly #ca: string | null;

  /**
   * `loopback`: registries of this machine may be called, over plain HTTP, also without settings, as Docker does on a laptop. `ca`:
   * authorities in PEM for hosts that have none of their own, beside the system's.
   */
  constructor(settings: readonly HostSettings[], loopback: boolean, ca: string | null = null) {
    const byName = settings.map((one) => [one.host, one] as const);
    // Addresses leave out the port that their scheme has anyway: `registry.example:443` is called as `registry.example`.
    const byAddress = settings.flatMap((one) => {
      const text = `${one.plainHttp === true ? 'http' : 'https'}://${one.host}`;
      return URL.canParse(text) ? [[new URL(text).host, one] as const] : [];
    });
    this.#settings = new Map([...byAddress, ...byName]);
    this.#loopback = loopback;
    this.#ca = ca;
  }

  /** Where a repository is asked for, in order. Throws RegistryError `refused` for a host that no address can have. */
  endpointsOf({ host, path }: Repository): readonly Endpoint[] {
    const { mirrors = [], mirrorsOnly = false } = this.#settings.get(host) ?? {};
    const places = mirrors.map(({ host: mirror, prefix }) =>
      this.#endpoint(mirror, prefix === '' ? path : `${prefix}/${path}`, host),
    );
    return mirrorsOnly && places.length > 0 ? places : [...places, this.#endpoint(host, path, null)];
  }

  /** How the host of an address may be called; `host` is with its port, as addresses have it. */
  reachOf(host: string): Reach {
    const name = Object.entries(API_HOSTS).find(([, api]) => api === host)?.[0] ?? host;
    const settings = this.#settings.get(name);
    const hostname = hostnameOf(host);
    const isLocal = isLoopback(hostname);
    return {
      plainHttp: settings?.plainHttp ?? (this.#loopback && (isLocal || hostname.endsWith('.localhost'))),
      loopback: this.#loopback || (isLocal && settings !== undefined),
      ca: settings?.ca ?? this.#ca,
      tokenHosts: settings?.tokenHosts ?? [],
    };
  }

  #endpoint(host: string, path: string, mirrorOf: string | null): Endpoint {
    const api = Object.hasOwn(API_HOSTS, host) ? (API_HOSTS[host] ?? host) : host;
    const text = `${this.reachOf(host).plainHttp ? 'http' : 'https'}://${api}`;
    if (!URL.canParse(text))
      throw new RegistryError('refused', `${host} is not a valid host`, {
        hint: 'Write the registry as a host name with an optional port up to 65535',
      });
    return { host, origin: new URL(text), path, mirrorOf };
  }
}

/** isTokenHost tells whether the token service of a registry may be shown the credential for it: its own host, its domain, or as set. */
export function isTokenHost(
  realm: URL,
  { origin }: Pick<Endpoint, 'origin'>,
  allowed: readonly string[],
): boolean {
  const own = origin.hostname;
  if (realm.hostname === own || allowed.includes(realm.host) || allowed.includes(realm.hostname)) return true;
  if (!/[a-z]/.test(own.slice(own.lastIndexOf('.') + 1)) || own.startsWith('[')) return false; // an address has no domain
  // `auth.docker.io` for `registry-1.docker.io`, but nothing of `io`.
  const parent = own.slice(own.indexOf('.') + 1);
  return realm.hostname.endsWith(`.${own}`) || (parent.includes('.') && within(realm.hostname, parent));
}

function within(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

function hostnameOf(host: string): string {
  return host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1) : host.replace(/:\d+$/, '');
}
