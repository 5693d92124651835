import type { Timers } from '../ledger/index.ts';

/** timers are those of this process; one that waits does not keep the process alive. */
export const timers: Timers = {
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
