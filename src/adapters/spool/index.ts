/**
 * The spool of the ledger on this machine's disk: what the database does not take for a while, kept durably and in order.
 */
export { openFileSpool, type FileSpoolOptions } from './file-spool.ts';
export { SpoolError } from './spool-error.ts';
