/**
 * Evidence packages: made of an export, and opened from a file.
 * It uses no other room.
 */
export { makeFromExport, type FromExport, type MadeFile } from './from-export.ts';
export { withPackage } from './with-package.ts';
