/**
 * Evidence packages: made of an export or a database, and opened from a file.
 * It uses no other room.
 */
export { makeFromDatabase, type FromDatabase } from './from-database.ts';
export { makeFromExport, type FromExport } from './from-export.ts';
export type { MadeFile } from './made-file.ts';
export { withPackage } from './with-package.ts';
