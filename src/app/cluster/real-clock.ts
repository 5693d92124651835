import type { ElectionClock } from '../../leadership/index.ts';

/** REAL_CLOCK is the time of this process. */
export const REAL_CLOCK: ElectionClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      timer.unref();
      signal.addEventListener('abort', done, { once: true });
    }),
};
