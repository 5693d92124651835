/** Catalogues that others publish: known exploited vulnerabilities. */
export { MAX_CATALOGUE_BYTES, parseKevCatalogue } from './kev-catalogue.ts';
