import { RegistryError } from '../../image/index.ts';

/** Milliseconds before a registry that says it is busy, and not for how long, is asked again: this, then twice as much each time. */
const FIRST_MS = 500;
const LONGEST_MS = 8_000;
/** Where it says for how long, so much later at most, so that those who were told the same do not come at once. */
const SPREAD_MS = 500;
const MOST_TRIES = 8;

/** Patience is by what a busy registry is waited for. */
export interface Patience {
  /** Milliseconds by a clock that no one sets. */
  readonly monotonic: () => number;
  /** Waits this many milliseconds; rejects with the signal's reason once it is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
}

/**
 * patiently asks again where a registry says that it is busy (429, 502, 503, 504), when it says, as long as the answer can be there by
 * `until`. What would come too late is not waited for. Throws what the last try throws.
 */
export async function patiently<T>(
  ask: () => Promise<T>,
  { monotonic, wait, random }: Patience,
  until: number,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof RegistryError) || !error.isBusy || tries === MOST_TRIES) throw error;
      const ms = delayOf(error, tries, random());
      if (monotonic() + ms >= until) throw error;
      await wait(ms, signal);
    }
  }
}

function delayOf({ retryAfter }: RegistryError, tries: number, random: number): number {
  if (retryAfter !== undefined) return retryAfter * 1000 + Math.round(random * SPREAD_MS);
  const ms = Math.min(FIRST_MS * 2 ** tries, LONGEST_MS);
  return Math.round(ms * (0.5 + random / 2));
}
