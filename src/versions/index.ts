/**
 * The order of versions, as the package managers of each ecosystem have it, and ranges of them in the form `vers`. What cannot be compared
 * is said so, never guessed: a statement about vulnerabilities must not cover a version that it may not mean.
 * It uses no other folder.
 */
export { compareVersions } from './compare.ts';
export { isInRange } from './range.ts';
