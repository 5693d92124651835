/**
 * Images and vulnerabilities as they are listed and searched, and when an image was seen last.
 * It uses `cells`, `facts`, `findings`, `ledger`, `scans` and `sql`.
 */
export { imageStore } from './images.ts';
export { vulnerabilityStore } from './vulnerabilities.ts';
