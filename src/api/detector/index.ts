/**
 * The port of the runtime detector.
 * It uses `admission`.
 */
export {
  openDetectorListener,
  type DetectorDoor,
  type DetectorListener,
  type DetectorTally,
  type DropReason,
} from './listener.ts';
