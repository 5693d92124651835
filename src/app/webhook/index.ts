/**
 * The part that answers reviews: what it holds in memory, and what it is told.
 * It uses `config`, `ledger`, `processes`, `running` and `scanning`.
 */
export {};
