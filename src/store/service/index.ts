/**
 * What a service keeps of itself: the id of the installation, when its jobs ran, and since when it does something.
 * It uses `sql`.
 */
export { firstTime, installationId, signingSeed } from './installation.ts';
export { restoreEpoch, successorOrigin } from './restores.ts';
export { jobMarks } from './job-marks.ts';
export { clusterIds } from './cluster-ids.ts';
export { writeFault } from './writable.ts';
