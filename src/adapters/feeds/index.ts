/** Catalogues that others publish: known exploited vulnerabilities. */
export { FeedError } from './feed-error.ts';
export { MAX_CATALOGUE_BYTES, parseKevCatalogue } from './kev-catalogue.ts';
