/**
 * Catalogues that others publish and findings are judged by: where the one of known exploited vulnerabilities comes from, when a new
 * one is believed, and how findings follow it.
 * It uses no other folder.
 */
export { CatalogueError } from './catalogue-error.ts';
export { type Accepted, type Edition } from './edition.ts';
export {
  checkReleaseData,
  hasEnded,
  RELEASE_PRODUCTS,
  releaseNames,
  type OsRelease,
  type ReleaseData,
} from './end-of-life.ts';
export { EndOfLife, type EndOfLifeDeps, type ReleaseRefresh } from './end-of-life.service.ts';
export type { FetchedReleases, ReleaseSource, ReleaseState, ReleaseStore } from './end-of-life-ports.ts';
export { checkCatalogue, MIN_SHARE, type KevCatalogue, type KevEntry } from './kev.ts';
export { KnownExploited, type KevRefresh, type KnownExploitedDeps } from './kev.service.ts';
export type { FetchedKev, KevChange, KevSource, KevState, KevStore, Validators } from './ports.ts';
export { CISA_KEV, readKevSource, type KevPlace } from './source.ts';
