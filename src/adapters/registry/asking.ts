import type { Count } from '../../base/index.ts';
import { RegistryError, type Keychain, type RegistryAsk, type Repository } from '../../image/index.ts';
import { fingerprintOf } from './authorised.ts';
import { ExpiringCache } from './cache.ts';
import type { Flights } from './flights.ts';
import { isOwnFault } from './answers.ts';
import { isAway, type HostHealth, type Pass } from './host-health.ts';
import { ABSENT_MS, CACHE_BYTES, FAULT_MS, SILENT_MS } from './limits.ts';
import type { Newcomers } from './newcomers.ts';
import { patiently, type Patience } from './patience.ts';
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
  /** `prompt`: a review may wait for it. `long`: so much content that its fault says little of the host. */
  readonly pace?: 'prompt' | 'long' | undefined;
}

type Remembered = { readonly value: unknown } | { readonly error: RegistryError };

/** AskingDeps are what questions are asked with. */
export interface AskingDeps {
  readonly places: PlacesAsked;
  readonly keychain: Keychain;
  readonly patience: Patience;
  /** Milliseconds for a whole question. */
  readonly askMs: number;
  readonly flights: Flights;
  readonly health: HostHealth;
  readonly newcomers: Newcomers;
  /** Runs an act once after some milliseconds; gives what calls it off. */
  readonly after: (ms: number, act: () => void) => () => void;
  readonly count: Count | null;
}

/**
 * Asking answers a question from memory, else by a running question for the same, else by the registry. What one account was told is not
 * told to another.
 */
export class Asking {
  readonly #deps: AskingDeps;
  readonly #remembered: ExpiringCache<Remembered>;

  constructor(deps: AskingDeps) {
    this.#deps = deps;
    this.#remembered = new ExpiringCache({ maxSize: CACHE_BYTES, monotonic: deps.patience.monotonic });
  }

  /** Throws RegistryError. */
  async answer<T>(question: Question<T>): Promise<T> {
    const { places, keychain, flights, count, patience, askMs } = this.#deps;
    const { repository, name, ask, act, lifeMs, sizeOf, isNothing } = question;
    const asked = await places.placesOf(repository, ask.keychain ?? keychain);
    const who = asked.map(({ credentials, fault, without }) =>
      fault === null
        ? [...credentials.map(fingerprintOf), ...(without === null ? [] : [without.message])].join(' ')
        : `fault ${fault.message}`,
    );
    const key = JSON.stringify([repository.host, repository.path, name, who]);
    const known = this.#remembered.get(key);
    if (known !== undefined) {
      if ('error' in known) throw known.error;
      return known.value as T;
    }
    return flights.join(key, ask.signal, async (signal) => {
      try {
        const put = (): Promise<T> => places.put(asked, act(signal), isNothing);
        const { until } = ask;
        const asking =
          until === undefined
            ? put
            : () => patiently(put, patience, Math.min(until, patience.monotonic() + askMs), signal);
        const value = await this.#atHost(question, signal, asking);
        const nothing = isNothing?.(value) === true;
        this.#remembered.set(key, { value }, sizeOf(value), nothing ? Math.min(ABSENT_MS, lifeMs) : lifeMs);
        count?.add('svc_registry_asks_total', { outcome: nothing ? 'absent' : 'found' });
        return value;
      } catch (error) {
        if (!(error instanceof RegistryError)) throw error;
        const isHeldBack = isAway(error);
        count?.add('svc_registry_asks_total', { outcome: isHeldBack ? 'held_back' : error.fault });
        // Whether the host may be asked again is known for all that it has.
        if (error.fault !== 'cancelled' && !isHeldBack)
          this.#remembered.set(key, { error }, 512, lifeOf(error));
        throw error;
      }
    });
  }

  /** Asks where the host is not known to be away, and notes whether it answers. Throws what `put` throws, and RegistryError `unavailable`. */
  async #atHost<T>(
    { repository: { host, path }, pace, ask }: Question<T>,
    signal: AbortSignal,
    put: () => Promise<T>,
  ): Promise<T> {
    const { health, newcomers, after } = this.#deps;
    const pass = health.enter(host);
    // Who waits for a busy registry does not call it silent.
    const isPrompt = pace === 'prompt' && ask.until === undefined;
    const left: (() => void)[] = [];
    try {
      if (isPrompt) {
        left.push(await newcomers.enter(host, pass.away, signal));
        left.push(after(SILENT_MS, () => pass.failed()));
      }
      const value = await put();
      pass.answered();
      return value;
    } catch (error) {
      if (error instanceof RegistryError) heard(pass, error, pace === 'long', path);
      throw error;
    } finally {
      for (const leave of left) leave();
      pass.done();
    }
  }
}

/** What a fault says of the host: a denial is an answer too; what was never sent says nothing. */
function heard(pass: Pass, error: RegistryError, isLong: boolean, repository: string): void {
  const { fault } = error;
  if (isAway(error) || fault === 'cancelled' || fault === 'refused' || fault === 'credentials') return;
  if (fault !== 'unavailable') pass.answered();
  else if (!isLong) pass.failed(isOwnFault(error) ? repository : undefined, error);
}

function lifeOf({ fault, retryAfter }: RegistryError): number {
  if (fault === 'unavailable' || fault === 'rate_limited')
    return Math.min(Math.max((retryAfter ?? 0) * 1000, FAULT_MS), 60_000);
  return ABSENT_MS;
}
