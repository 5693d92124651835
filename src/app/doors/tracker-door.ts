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

/** openTrackerDoor opens it; nothing is sent before the first call. Throws `invalid_config`, FileError. */
export async function openTrackerDoor(options: TrackerDoorOptions): Promise<TrackerDoor> {
  return (await import('./tracker-reads.ts')).openTrackerReads(options);
}
