import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { openWriterQueues, type Line, type Outbound } from '../../adapters/transport/index.ts';
import type { Clock } from '../../base/index.ts';
import type { Settings } from '../config/settings.ts';

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

/** LineRules are the settings of where calls may lead; any host unless said. */
type LineRules = Pick<Settings['trackers'], 'testLoopback' | 'privateNetworks'> &
  Partial<Pick<Settings['trackers'], 'allowedHosts'>>;

/** openLine makes what all calls of a process to trackers share, so that they keep to a provider's limits together. */
export function openLine(
  { testLoopback, privateNetworks, allowedHosts }: LineRules,
  userAgent: string,
  clock: Clock = { now: () => Date.now() },
  pace: Pace = REAL_PACE,
  outbound?: Outbound,
): Line {
  const both = { now: () => clock.now(), monotonic: () => pace.monotonic() };
  return {
    rules: { testLoopback, privateNetworks, denied: apiServer() },
    allowedHosts,
    queues: openWriterQueues({ clock: both, wait: (ms) => pace.wait(ms) }),
    clock: both,
    userAgent,
    outbound,
  };
}

/**
 * A tracker's address is a person's to write, and what is called with it must never be the cluster's own API server. Some clouds give it by
 * its name: its addresses are looked up once, and hold for every channel that is opened from then on.
 */
function apiServer(): readonly string[] {
  const { KUBERNETES_SERVICE_HOST: host } = process.env;
  if (host === undefined || host === '') return [];
  if (isIP(host) !== 0) return [host];
  const found: string[] = [];
  lookup(host, { all: true }, (error, addresses) => {
    if (error === null) found.push(...addresses.map(({ address }) => address));
  });
  return found;
}
