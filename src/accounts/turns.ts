import { AccountError } from './account-error.ts';

/** Turns let a bounded number of acts run at once, and of acts with the same key only one; the others wait, in order. */
export interface Turns {
  /** Runs an act when its turn comes. Throws `unavailable` when too many wait already. */
  take<T>(key: string, act: () => Promise<T>): Promise<T>;
}

/** openTurns makes turns; `atOnce` acts run, `waiting` more may wait. */
export function openTurns({ atOnce, waiting }: { readonly atOnce: number; readonly waiting: number }): Turns {
  const busy = new Set<string>();
  const queue: { readonly key: string; readonly start: () => void }[] = [];
  return {
    async take(key, act) {
      if (busy.size >= atOnce || busy.has(key)) {
        if (queue.length >= waiting) {
          throw new AccountError('unavailable', 'too many sign-ins at once', {
            hint: 'Try again in a moment',
            retryAfter: 2,
          });
        }
        await new Promise<void>((start) => queue.push({ key, start }));
      } else {
        busy.add(key);
      }
      try {
        return await act();
      } finally {
        busy.delete(key);
        next();
      }
    },
  };

  /** The place that became free goes to the first whose key rests; a key that ran may free one more. */
  function next(): void {
    while (busy.size < atOnce) {
      const place = queue.findIndex(({ key }) => !busy.has(key));
      const [first] = place === -1 ? [] : queue.splice(place, 1);
      if (first === undefined) return;
      busy.add(first.key);
      first.start();
    }
  }
}
