import { RegistryError } from '../../image/index.ts';

interface Flight {
  readonly promise: Promise<unknown>;
  readonly cut: AbortController;
  waiting: number;
}

/** Flights let those who ask the same at once share one answer. */
export class Flights {
  readonly #flying = new Map<string, Flight>();
  readonly #longestMs: number;

  /** What is shared ends after this many milliseconds, however many wait for it. */
  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  /**
   * Waits for what is under way by this name, else starts it. Who no longer waits leaves the others waiting; when nobody does, it ends.
   * Throws what `start` throws, or RegistryError `cancelled`.
   */
  async join<T>(name: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (signal.aborted) throw cancelled(signal);
    const flight = this.#flying.get(name) ?? this.#start(name, start);
    flight.waiting += 1;
    const gone = Promise.withResolvers<never>();
    const leave = (): void => gone.reject(cancelled(signal));
    signal.addEventListener('abort', leave, { once: true });
    try {
      return (await Promise.race([flight.promise, gone.promise])) as T;
    } finally {
      signal.removeEventListener('abort', leave);
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        if (this.#flying.get(name) === flight) this.#flying.delete(name);
        flight.cut.abort(new RegistryError('cancelled', 'nobody waits for the registry any more'));
      }
    }
  }

  #start(name: string, start: (signal: AbortSignal) => Promise<unknown>): Flight {
    const cut = new AbortController();
    const seconds = this.#longestMs / 1000;
    const timer = setTimeout(
      () =>
        cut.abort(
          new RegistryError('unavailable', `the registry did not answer in full within ${seconds} seconds`),
        ),
      this.#longestMs,
    );
    const promise = start(cut.signal).finally(() => {
      clearTimeout(timer);
      if (this.#flying.get(name) === flight) this.#flying.delete(name);
    });
    promise.catch(() => undefined); // waiting callers are told; nobody may
    const flight: Flight = { promise, cut, waiting: 0 };
    this.#flying.set(name, flight);
    return flight;
  }
}

function cancelled(signal: AbortSignal): RegistryError {
  const { reason } = signal as { reason: unknown };
  return reason instanceof RegistryError
    ? reason
    : new RegistryError('cancelled', 'the registry was not waited for any longer', {
        remedy: 'reach',
        cause: reason,
      });
}
