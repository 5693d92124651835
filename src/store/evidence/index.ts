/**
 * What evidence packages are made from: the rows of a period and the records beside them, at one moment; and the packages of a service,
 * their keys, and declarations.
 * It uses `history`, `ledger` and `sql`.
 */
export { declarationStore } from './declarations.ts';
export { keyRecords } from './keys.ts';
export { packageStore } from './packages.ts';
export { atOneMoment } from './snapshot.ts';
export { evidenceSource } from './source.ts';
export { packageWork } from './work.ts';
