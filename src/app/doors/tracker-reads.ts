import { openProbe } from '../../adapters/tracker-probe/index.ts';
import { loadAdapter } from '../trackers/adapters.ts';
import { openLine, REAL_PACE } from '../trackers/tracker-line.ts';
import { openOwnOutbound } from './own-outbound.ts';
import type { Secret } from '../../base/index.ts';
import type { ChannelTest, TrackerChannel } from '../../channels/index.ts';
import type { SetupProbe } from '../../trackers/index.ts';

/** TrackerDoorOptions say how trackers are reached. */
export interface TrackerDoorOptions {
  /** `trackers.testLoopback`: this machine is let through, also over plain HTTP, for tests and the demo. */
  readonly testLoopback: boolean;
  /** Name and version of the caller, as providers ask for. */
  readonly userAgent: string;
  /** Its variables `IPO_OUTBOUND_*` say how calls leave, as to a service. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** TrackerDoor is a tracker as the command line reaches it by itself, without a service. It only reads. */
export interface TrackerDoor extends SetupProbe {
  /** Exactly one read that writes nothing; what is wrong is in the answer. */
  test(channel: TrackerChannel, credential: Secret): Promise<ChannelTest>;
}

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
