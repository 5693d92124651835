/**
 * The releases of the service: the catalogue, what an upgrade from one to another asks for, and what a release must show to be believed.
 * It uses `facts`.
 */
export { findRelease, NEWEST, releasesBetween, RELEASES } from './catalogue.ts';
export { releaseBody, releasesBody, type ReleaseBody } from './body.ts';
export { planUpgrade, type UpgradePlan } from './plan.ts';
export type { Release, ReleaseNote } from './release.ts';
export { judgeValues, type ValueFinding } from './values.ts';
export { judgeRelease, judgeReleaseFile, type ReleaseCheck, type ReleaseSigners } from './verify.ts';
