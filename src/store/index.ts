/**
 * The store: one implementation of the domain's ports over SQLite and PostgreSQL. SQL stands only here; what differs between the engines is
 * in `dialect.ts`. It uses `image`, `findings`, `policy`, `facts`, `ledger`, `admission`, `whatif`, `inventory`, `scan`, `accounts`,
 * `channels`, `catalogues`, `history`, `evidence`, `trackers`, `notify`, `leadership`, `runtime`, `cluster`, `replicas`, `reconcile`, `licence`, `nodes`,
 * `supply-chain` and `backup`.
 */
export * from './accounts/index.ts';
export * from './admission/index.ts';
export * from './backup/index.ts';
export * from './catalogues/index.ts';
export * from './channels/index.ts';
export * from './cluster/index.ts';
export * from './engine/index.ts';
export * from './evidence/index.ts';
export * from './facts/index.ts';
export * from './findings/index.ts';
export * from './history/index.ts';
export * from './images/index.ts';
export * from './leadership/index.ts';
export * from './ledger/index.ts';
export * from './notify/index.ts';
export * from './outbox/index.ts';
export * from './policies/index.ts';
export * from './replay/index.ts';
export * from './runtime/index.ts';
export * from './scans/index.ts';
export * from './service/index.ts';
export * from './sql/index.ts';
export * from './tracking/index.ts';
