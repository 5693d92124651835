import { setTimeout } from 'node:timers/promises';
import { openWriterQueues, type Line } from '../adapters/transport/index.ts';
import type { Clock } from '../base/index.ts';
import type { Settings } from './settings.ts';

/** Pace is how one waits: by a time that nobody sets, in milliseconds from any beginning. */
export interface Pace {
  monotonic(): number;
  wait(ms: number): Promise<void>;
}

/** REAL_PACE is that of this machine. */
export const REAL_PACE: Pace = {
  monotonic: () => performance.now(),
  wait: async (ms) => setTimeout(ms),
};

/** openLine makes what all calls of a process to trackers share, so that they keep to a provider's limits together. */
export function openLine(
  { testLoopback, privateNetworks }: Pick<Settings['trackers'], 'testLoopback' | 'privateNetworks'>,
  userAgent: string,
  clock: Clock = { now: () => Date.now() },
  pace: Pace = REAL_PACE,
): Line {
  const { KUBERNETES_SERVICE_HOST: apiServer } = process.env;
  const both = { now: () => clock.now(), monotonic: () => pace.monotonic() };
  return {
    // A tracker's address is a person's to write, and what is called with it must never be the cluster's own API server.
    rules: { testLoopback, privateNetworks, denied: apiServer === undefined ? [] : [apiServer] },
    queues: openWriterQueues({ clock: both, wait: (ms) => pace.wait(ms) }),
    clock: both,
    userAgent,
  };
}
