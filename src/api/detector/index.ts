/**
 * The port of the runtime detector.
 * It uses `admission`.
 */
export {
  DROP_REASONS,
  openDetectorListener,
  type DetectorDoor,
  type DetectorListener,
  type DetectorTally,
  type DropReason,
} from './listener.ts';
