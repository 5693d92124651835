/**
 * The ledger of reviews: appending, the tree over its rows, uids that are known, lists, exports and imports.
 * It uses `cells`, `engine`, `history`, `leadership`, `scans` and `sql`.
 */
export { anchorStates } from './anchor-states.ts';
export { ledgerWriter, type StoreLedgerWriter } from './append.ts';
export { ledgerExport } from './export.ts';
export { importExport, type Imported } from './import.ts';
export { FactsCache } from './recorded-facts.ts';
export { acceptClock, recordedTimes } from './recorded-times.ts';
export { ledgerReader } from './rows.ts';
export { ledgerTree, treeReader } from './tree.ts';
