import type { Timers } from '../../src/ledger/index.ts';

/** VirtualTime is a clock and its timers that only a test moves. */
export interface VirtualTime extends Timers {
  /** UTC milliseconds. */
  now(): number;
  /** Lets time go by: each timer goes off at its own time, and what it sets off goes on before the next. */
  pass(ms: number): Promise<void>;
  /** Lets time go by until a promise has settled; gives how long that took. Throws after a virtual hour. */
  passUntil(settled: Promise<unknown>): Promise<number>;
}

const HOUR = 3_600_000;

/** virtualTime begins at a time. */
export function virtualTime(start: number): VirtualTime {
  let now = start;
  let pending: { readonly at: number; readonly act: () => void }[] = [];
  const turns = async (): Promise<void> => {
    for (let i = 0; i < 10; i += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const next = (until: number): boolean => {
    const due = pending.toSorted((a, b) => a.at - b.at)[0];
    if (due === undefined || due.at > until) return false;
    pending = pending.filter((timer) => timer !== due);
    now = Math.max(now, due.at);
    due.act();
    return true;
  };
  return {
    now: () => now,
    after(ms, act) {
      const timer = { at: now + ms, act };
      pending.push(timer);
      return () => {
        pending = pending.filter((other) => other !== timer);
      };
    },
    async pass(ms) {
      const end = now + ms;
      await turns();
      while (next(end)) await turns();
      now = end;
    },
    async passUntil(settled) {
      const began = now;
      const state = { over: false };
      const ended = settled.finally(() => (state.over = true));
      ended.catch(() => {});
      await turns();
      while (!state.over) {
        if (!next(began + HOUR)) throw new Error('nothing is left that could end it within an hour');
        await turns();
      }
      await ended;
      return now - began;
    },
  };
}
