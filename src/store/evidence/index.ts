/**
 * What evidence packages are made from: the rows of a period and the records beside them, at one moment.
 * It uses `history`, `ledger` and `sql`.
 */
export { type Installation } from './facts.ts';
export { atOneMoment } from './snapshot.ts';
export { evidenceSource } from './source.ts';
