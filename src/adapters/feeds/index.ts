/**
 * Catalogues that others publish: known exploited vulnerabilities.
 * It uses `transport`.
 */
export { FeedError } from './feed-error.ts';
export { MAX_CATALOGUE_BYTES, parseKevCatalogue, readKevCatalogue } from './kev-catalogue.ts';
export { readReleaseData } from './release-data.ts';
export { openReleaseSource } from './release-source.ts';
export { openKevSource } from './kev-source.ts';
export { openVexSource } from './vex-source.ts';
