/**
 * Evidence packages: made of an export or a database, opened from a file, and made for a service in a process of their own.
 * It uses `config`, `ledger`, `processes`, `programs` and `running`.
 */
export { writeStreamWhole as writeBytesWhole } from '../../adapters/files/index.ts';
export { makeFromDatabase, type FromDatabase } from './from-database.ts';
export { makeFromExport, type FromExport } from './from-export.ts';
export type { MadeFile } from './made-file.ts';
export { withPackage } from './with-package.ts';
export { evidenceJobs, type EvidenceJobsParts } from './jobs.ts';
export { runEvidenceWorker } from './worker.ts';
