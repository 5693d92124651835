/**
 * The store: one implementation of the domain's ports over SQLite and PostgreSQL. SQL stands here alone, what differs between
 * the engines in `dialect.ts`.
 */
export { adoptionStore } from './channels-adopt.ts';
export { channelStore } from './channels.ts';
export { accountStore } from './accounts.ts';
export { anchorStates } from './anchor-states.ts';
export { auditLog } from './audit.ts';
export { catalogueStates, type CatalogueStates } from './catalogue-states.ts';
export { imageStore } from './images.ts';
export { importFacts } from './import-facts.ts';
export { installationId } from './installation.ts';
export { kevStore } from './kev.ts';
export { kevDueDates } from './kev-entries.ts';
export { ledgerWriter } from './ledger-append.ts';
export { ledgerExport } from './ledger-export.ts';
export { importExport, type Imported, type ImportOptions } from './ledger-import.ts';
export { ledgerReader } from './ledger-rows.ts';
export { ledgerTree } from './ledger-tree.ts';
export { recordSweep, type ClusterSweep } from './cluster-sweeps.ts';
export { accountSweeper, codeStore } from './one-time-codes.ts';
export { openStore, type StoreOptions } from './open.ts';
export { planMigrations, runMigrations, type MigrationPlan, type PlannedMigration } from './plan.ts';
export { policyStore } from './policies.ts';
export { lockFile } from './process-lock.ts';
export { FactsCache } from './recorded-facts.ts';
export { recordedPolicies } from './recorded-policies.ts';
export { replaySource, type ReplaySourceOptions } from './replay-source.ts';
export { runStore } from './runs.ts';
export { scanQueue } from './scan-queue.ts';
export { recordProofs, recordScan, scanStore } from './scans.ts';
export { sessionStore } from './sessions.ts';
export { failureStore } from './sign-in-failures.ts';
export { StoreError, type StoreErrorCode } from './store-error.ts';
export type { Store } from './store.ts';
export { raiseFence, standsFence } from './tracking-fence.ts';
export { filingStore } from './tracking-filing.ts';
export { trackingHistory } from './tracking-history.ts';
export { issueFacts } from './tracking-issue-facts.ts';
export { runningImages } from './tracking-running.ts';
export { sweepStore } from './tracking-sweep.ts';
export { tokenStore } from './tokens.ts';
export { triageStore } from './triage.ts';
export { vulnerabilityStore } from './vulnerabilities.ts';
