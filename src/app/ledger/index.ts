/**
 * The ledger's key and anchors, and the history beside it.
 * It uses `config` and `running`.
 */
export {};
