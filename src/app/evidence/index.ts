/**
 * Evidence packages: made of an export or a database, opened from a file, and made for a service in a process of their own.
 * It uses `config`, `ledger`, `processes`, `programs` and `running`.
 */
export { writeStreamWhole as writeBytesWhole } from '../../adapters/files/index.ts';
export { makeFromDatabase } from './from-database.ts';
export { makeFromExport } from './from-export.ts';
export type { MadeFile } from './made-file.ts';
export { withPackage } from './with-package.ts';
