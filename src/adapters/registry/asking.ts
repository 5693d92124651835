import type { Count } from '../../base/index.ts';
import { RegistryError, type Keychain, type RegistryAsk, type Repository } from '../../image/index.ts';
import { fingerprintOf } from './authorised.ts';
import { ExpiringCache } from './cache.ts';
import type { Flights } from './flights.ts';
import { ABSENT_MS, CACHE_BYTES, FAULT_MS } from './limits.ts';
import type { Act, PlacesAsked } from './places-asked.ts';

/** Question is what is asked, and how long its answer holds. */
export interface Question<T> {
  readonly repository: Repository;
  /** Names the question among those on this repository. */
  readonly name: string;
  readonly ask: RegistryAsk;
  readonly act: (signal: AbortSignal) => Act<T>;
  readonly lifeMs: number;
  /** Bytes that an answer takes in memory. */
  readonly sizeOf: (value: T) => number;
  /** Whether an answer says that there is nothing. */
  readonly isNothing?: ((value: T) => boolean) | undefined;
}

type Remembered = { readonly value: unknown } | { readonly error: RegistryError };

/** AskingDeps are what questions are asked with. */
export interface AskingDeps {
  readonly places: PlacesAsked;
  readonly keychain: Keychain;
  readonly monotonic: () => number;
  readonly flights: Flights;
  readonly count: Count | null;
}

/**
 * Asking answers a question from memory, else by whoever asks the same just now, else by the registry. What one account was told is not
 * told to another.
 */
export class Asking {
  readonly #deps: AskingDeps;
  readonly #remembered: ExpiringCache<Remembered>;

  constructor(deps: AskingDeps) {
    this.#deps = deps;
    this.#remembered = new ExpiringCache({ maxSize: CACHE_BYTES, monotonic: deps.monotonic });
  }

  /** Throws RegistryError. */
  async answer<T>(question: Question<T>): Promise<T> {
    const { places, keychain, flights, count } = this.#deps;
    const { repository, name, ask, act, lifeMs, sizeOf, isNothing } = question;
    const asked = await places.placesOf(repository, ask.keychain ?? keychain);
    const who = asked.map(({ credentials, fault }) =>
      fault === null ? credentials.map(fingerprintOf).join(' ') : `fault ${fault.message}`,
    );
    const key = JSON.stringify([repository.host, repository.path, name, who]);
    const known = this.#remembered.get(key);
    if (known !== undefined) {
      if ('error' in known) throw known.error;
      return known.value as T;
    }
    return flights.join(key, ask.signal, async (signal) => {
      try {
        const value = await places.put(asked, act(signal), isNothing);
        const nothing = isNothing?.(value) === true;
        this.#remembered.set(key, { value }, sizeOf(value), nothing ? Math.min(ABSENT_MS, lifeMs) : lifeMs);
        count?.add('svc_registry_asks_total', { outcome: nothing ? 'absent' : 'found' });
        return value;
      } catch (error) {
        if (!(error instanceof RegistryError)) throw error;
        count?.add('svc_registry_asks_total', { outcome: error.fault });
        if (error.fault !== 'cancelled') this.#remembered.set(key, { error }, 512, lifeOf(error));
        throw error;
      }
    });
  }
}

function lifeOf({ fault, retryAfter }: RegistryError): number {
  if (fault === 'unavailable' || fault === 'rate_limited')
    return Math.min(Math.max((retryAfter ?? 0) * 1000, FAULT_MS), 60_000);
  return ABSENT_MS;
}
