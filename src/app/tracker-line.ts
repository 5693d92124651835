import { setTimeout } from 'node:timers/promises';
import { openWriterQueues, type Line } from '../adapters/transport/index.ts';
import type { TrackerClock } from '../trackers/index.ts';
import type { Settings } from './settings.ts';

/** What makes the processes of one service, and those of its command line, wait for each other's writes is one line per process. */
export function openLine(
  { testLoopback, privateNetworks }: Pick<Settings['trackers'], 'testLoopback' | 'privateNetworks'>,
  userAgent: string,
  clock: TrackerClock = { now: () => Date.now(), monotonic: () => performance.now() },
): Line {
  const { KUBERNETES_SERVICE_HOST: apiServer } = process.env;
  return {
    // A tracker's address is a person's to write, and what is called with it must never be the cluster's own API server.
    rules: { testLoopback, privateNetworks, denied: apiServer === undefined ? [] : [apiServer] },
    queues: openWriterQueues({ clock, wait: async (ms) => setTimeout(ms) }),
    clock,
    userAgent,
  };
}
