import { openProbe } from '../../adapters/tracker-probe/index.ts';
import type { TrackerDoor, TrackerDoorOptions } from './tracker-door.ts';
import { loadAdapter } from '../trackers/adapters.ts';
import { openLine, REAL_PACE } from '../trackers/tracker-line.ts';
import { openOwnOutbound } from './own-outbound.ts';

/** openTrackerReads opens the door of tracker-door.ts. */
export async function openTrackerReads({
  testLoopback,
  userAgent,
  env,
}: TrackerDoorOptions): Promise<TrackerDoor> {
  const outbound = await openOwnOutbound(env);
  const rules = { testLoopback, privateNetworks: 'allow' } as const;
  const line = openLine(rules, userAgent, { now: () => Date.now() }, REAL_PACE, outbound);
  return {
    ...openProbe(line),
    async test(channel, credential) {
      const { open } = await loadAdapter(channel.kind);
      return open(channel, credential, () => false, line).test();
    },
  };
}
