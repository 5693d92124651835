/**
 * How rows of the ledger are packed into cells: shapes, numbers for texts that come again, and uids.
 * It uses `sql` and `tables`.
 */
export {};
