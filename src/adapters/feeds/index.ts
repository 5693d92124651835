/** Catalogues that others publish: known exploited vulnerabilities. */
export { FeedError } from './feed-error.ts';
export { MAX_CATALOGUE_BYTES, parseKevCatalogue, readKevCatalogue } from './kev-catalogue.ts';
export { openKevSource, type KevSourceOptions } from './kev-source.ts';
