/**
 * The part that answers reviews: what it holds in memory, and what it is told.
 * It uses `config`, `ledger`, `processes`, `programs`, `running` and `scanning`.
 */
export {};
