/**
 * Catalogues that others publish and findings are judged by: where each comes from, when a new one is believed, and how findings and
 * scans follow it. What they share is `Catalogue`; a kind says what is its own.
 * It uses no other folder.
 */
export { CatalogueError } from './catalogue-error.ts';
export type { CatalogueRefresh } from './catalogue.service.ts';
export {
  checkReleaseData,
  hasEnded,
  RELEASE_PRODUCTS,
  releaseNames,
  type OsRelease,
  type ReleaseData,
} from './end-of-life.ts';
export { EndOfLife, type ReleaseChange } from './end-of-life.service.ts';
export { checkCatalogue, type KevCatalogue, type KevEntry } from './kev.ts';
export { KnownExploited, type KevChange } from './kev.service.ts';
export type { CatalogueSource, CatalogueState, CatalogueStore, Fetched, Validators } from './ports.ts';
export { CISA_KEV, readKevSource, type KevPlace } from './source.ts';
