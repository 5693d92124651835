import { openProbe } from '../../adapters/tracker-probe/index.ts';
import type { TrackerDoor, TrackerDoorOptions } from './tracker-door.ts';
import { loadAdapter } from '../trackers/adapters.ts';
import { openLine } from '../trackers/tracker-line.ts';

/** openTrackerReads opens the door of tracker-door.ts. */
export function openTrackerReads({ testLoopback, userAgent }: TrackerDoorOptions): TrackerDoor {
  const line = openLine({ testLoopback, privateNetworks: 'allow' }, userAgent);
  return {
    ...openProbe(line),
    async test(channel, credential) {
      const { open } = await loadAdapter(channel.kind);
      return open(channel, credential, () => false, line).test();
    },
  };
}
