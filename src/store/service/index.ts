/**
 * What a service keeps of itself: the id of the installation, and when its jobs ran.
 * It uses `sql`.
 */
export { installationId, signingSeed } from './installation.ts';
export { restoreEpoch, successorOrigin } from './restores.ts';
export { jobMarks, type JobMarks } from './job-marks.ts';
