/**
 * The spool of the ledger on this machine's disk: what the database does not take for a while, kept durably and in order; and the name of
 * the replica that it belongs to.
 * It uses no other adapter.
 */
export { openFileSpool } from './file-spool.ts';
export { isOnDiskOf } from './on-disk-of.ts';
export { nextLife, readReplicaName } from './replica-name.ts';
export { SpoolError } from './spool-error.ts';
