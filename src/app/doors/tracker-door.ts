import type { TrackerDoorOptions, TrackerDoor } from './tracker-reads.ts';

/** openTrackerDoor opens it; nothing is sent before the first call. Throws `invalid_config`, FileError. */
export async function openTrackerDoor(options: TrackerDoorOptions): Promise<TrackerDoor> {
  return (await import('./tracker-reads.ts')).openTrackerReads(options);
}
