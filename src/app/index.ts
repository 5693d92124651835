/**
 * Where the parts are joined, for the command line and for tests.
 * It uses `image`, `findings`, `syntax`, `policy`, `ledger`, `pods`, `admission`, `whatif`, `inventory`, `scan`, `checks`, `accounts`, `channels`, `configuration`, `doctor`,
 * `catalogues`, `history`, `evidence`, `trackers`, `notify`, `leadership`, `runtime`, `cluster`, `certificates`, `replicas`, `reconcile`,
 * `licence`, `nodes`, `supply-chain`, `backup`, `store`, `adapters`, `api` and `telemetry`.
 */
export type { ServiceClient } from '../adapters/service/index.ts';
export * from './backup/index.ts';
export * from './config/index.ts';
export * from './demo/index.ts';
export * from './doors/index.ts';
export * from './evidence/index.ts';
export * from './registry/index.ts';
export * from './replay/index.ts';
export * from './running/index.ts';
export * from './service/index.ts';
export * from './start/index.ts';
