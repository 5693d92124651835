import {
  accountsToTry,
  RegistryError,
  type Credential,
  type Keychain,
  type Repository,
} from '../../image/index.ts';
import { fingerprintOf } from './authorised.ts';
import { ExpiringCache } from './cache.ts';
import type { Endpoint, Hosts } from './hosts.ts';
import { DOWN_MS, MAX_CREDENTIALS } from './limits.ts';

/** AskedPlace is one endpoint with the credentials to try there, or why those cannot be had. */
export interface AskedPlace {
  readonly endpoint: Endpoint;
  readonly credentials: readonly (Credential | null)[];
  readonly fault: RegistryError | null;
  /** What to say where it is denied: why it is asked anonymously although a config names a credential; else null. */
  readonly without: RegistryError | null;
}

/** Act is one question, put to one place as one account. Throws RegistryError. */
export type Act<T> = (endpoint: Endpoint, credential: Credential | null) => Promise<T>;

const PATH = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;

/** PlacesAsked puts questions: to the mirrors of a registry and to itself, with each credential there is, until one is answered. */
export class PlacesAsked {
  readonly #hosts: Hosts;
  /** The credential with which a repository was read last. */
  readonly #working: ExpiringCache<string>;
  /** Mirrors that could not be asked a moment ago. */
  readonly #down: ExpiringCache<true>;

  constructor(hosts: Hosts, monotonic: () => number) {
    this.#hosts = hosts;
    this.#working = new ExpiringCache({ maxSize: 2000, monotonic });
    this.#down = new ExpiringCache({ maxSize: 2000, monotonic });
  }

  /** Where a repository is asked for, and as whom. Throws RegistryError `refused`. */
  async placesOf(repository: Repository, keychain: Keychain): Promise<readonly AskedPlace[]> {
    if (repository.path.length > 255 || !PATH.test(repository.path))
      throw new RegistryError('refused', 'the name of a repository is not valid in any registry');
    return Promise.all(
      this.#hosts.endpointsOf(repository).map(async (endpoint): Promise<AskedPlace> => {
        try {
          const place = { host: endpoint.host, path: endpoint.path };
          const { credentials, without } = await accountsToTry(keychain, place);
          return { endpoint, credentials: credentials.slice(0, MAX_CREDENTIALS), fault: null, without };
        } catch (error) {
          if (!(error instanceof RegistryError)) throw error;
          return { endpoint, credentials: [], fault: error, without: null };
        }
      }),
    );
  }

  /**
   * The first answer that says something. "Not there" is believed only from the registry itself, or from all its mirrors where only they
   * are asked: a mirror may not have it yet, or not know of such things. Throws the RegistryError that says most.
   */
  async put<T>(
    places: readonly AskedPlace[],
    act: Act<T>,
    isNothing: (value: T) => boolean = () => false,
  ): Promise<T> {
    let nothing: { readonly value: T } | null = null;
    let absent: RegistryError | null = null;
    let fault: RegistryError | null = null;
    const hasItself = places.some(({ endpoint }) => endpoint.mirrorOf === null);
    for (const place of places) {
      const isItself = place.endpoint.mirrorOf === null;
      const { host } = place.endpoint.origin;
      // One that hangs would take the time of every question.
      if (!isItself && hasItself && this.#down.get(host) !== undefined) continue;
      try {
        const value = await this.#as(place, act, isNothing);
        if (isItself || !isNothing(value)) return value;
        nothing ??= { value };
      } catch (error) {
        if (!(error instanceof RegistryError) || error.fault === 'cancelled' || isItself) throw error;
        if (error.fault === 'unavailable') this.#down.set(host, true, 1, DOWN_MS);
        if (error.fault === 'absent') absent ??= error;
        else fault ??= error;
      }
    }
    // Only mirrors were asked.
    if (fault !== null) throw fault;
    if (nothing !== null) return nothing.value;
    throw absent ?? new RegistryError('refused', 'no place of the registry may be asked');
  }

  /** With each credential in turn, the one that could read the repository before first. */
  async #as<T>(
    { endpoint, credentials, fault, without }: AskedPlace,
    act: Act<T>,
    isNothing: (value: T) => boolean,
  ): Promise<T> {
    if (fault !== null) throw fault;
    const key = `${endpoint.origin.host} ${endpoint.path} ${credentials.map(fingerprintOf).join(' ')}`;
    const working = this.#working.get(key);
    const order = credentials.toSorted(
      (a, b) => Number(fingerprintOf(b) === working) - Number(fingerprintOf(a) === working),
    );
    let [absent, denied]: (RegistryError | null)[] = [null, null];
    let nothing: { readonly value: T } | null = null;
    for (const credential of order) {
      try {
        const value = await act(endpoint, credential);
        if (isNothing(value) && fingerprintOf(credential) !== working) {
          nothing ??= { value };
          continue;
        }
        this.#working.set(key, fingerprintOf(credential), 1, Number.POSITIVE_INFINITY);
        return value;
      } catch (error) {
        if (!(error instanceof RegistryError)) throw error;
        // Who may read a repository is told what is not in it; a registry may tell another that nothing is there at all.
        if (error.fault === 'absent' && fingerprintOf(credential) === working) throw error;
        if (error.fault === 'absent') absent ??= error;
        else if (error.fault === 'denied' || error.fault === 'credentials')
          denied ??= error.fault === 'denied' && without !== null ? without : error;
        else throw error;
      }
    }
    if (nothing !== null) return nothing.value;
    // One account is told that it is not there, another was not heard: which of them may see it nobody knows.
    throw denied ?? absent ?? new RegistryError('denied', `${endpoint.host} was asked with no credential`);
  }
}
