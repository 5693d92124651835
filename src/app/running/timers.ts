import type { Timers } from '../../ledger/index.ts';

/** timers are those of this process; one that waits does not keep the process alive. */
export const timers: Timers = {
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** keptTimers are those of this process, which lives on as long as one waits. */
export const keptTimers: Timers = {
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

/** endsWithin waits for what ends, this many milliseconds at most; true if it ended. Its fault is thrown. */
export async function endsWithin(
  end: Promise<unknown>,
  ms: number,
  { after }: Timers = timers,
): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const cancel = after(ms, () => late.resolve(false));
  try {
    return await Promise.race([end.then(() => true), late.promise]);
  } finally {
    cancel();
  }
}
