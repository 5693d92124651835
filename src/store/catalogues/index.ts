/**
 * The catalogue of known exploited vulnerabilities, and how it marks findings.
 * It uses `facts`, `findings`, `scans` and `sql`.
 */
export { kevStore } from './kev.ts';
export { catalogueStates } from './states.ts';
