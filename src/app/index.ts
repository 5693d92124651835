/** Where the parts are joined, for the command line and for tests. */
export { buildCli, type CliParts } from './build.ts';
export type { TrivyReport } from '../adapters/trivy/index.ts';
export { ConfigError } from './config-error.ts';
export { loadConfig, type Config, type ConfigSources } from './config.ts';
export { probeHealth } from './probe.ts';
export { serve, type ServeOptions } from './serve.ts';
export { supervise, type SuperviseOptions } from './supervise.ts';
export { runServicePart } from './processes/service-entry.ts';
export { runWebhookPart } from './processes/webhook-entry.ts';
export type { RunningService } from './running-service.ts';
export { openServiceClient, parseServer } from './service-client.ts';
export type {
  ServiceAnswer,
  ServiceClient,
  ServiceRequest,
  ServiceStream,
} from '../adapters/service/index.ts';
export { runVerifyWorker } from './verify-door.ts';
export { keepLog, type KeepLogOptions, type KeptLog } from './keep-log.ts';
export { runLogWorker } from './log-worker.ts';
export { runHashWorker } from './hash-worker.ts';
export { runCallWorker } from './call-door.ts';
export { runReplayWorker } from './replay-door.ts';
export { acceptClockOf, type AcceptedClock } from './accept-clock.ts';
export { putBack, type PutBack } from './put-back.ts';
export { migrateDatabase, planDatabase, type MigrationPlan, type PlannedMigration } from './database.ts';
export { openReplayDatabase, type ReplayDatabase } from './replay-database.ts';
export {
  describeScans,
  openScanDatabase,
  readReportText,
  readTrivyDatabase,
  type DescribedScans,
  type ImportTarget,
  type ScanDatabase,
} from './scan-door.ts';
export { ASKS_NOBODY, asksNobody } from './offline.ts';
export { fillDemo } from './demo.ts';
export { DemoTime } from './demo-time.ts';
export { startTrackerDemo, type TrackerDemo } from './tracker-demo.ts';
export { withMemoryDirectory } from './memory-directory.ts';
export {
  decompressed,
  openBytes,
  openLedgerDatabase,
  writeLong,
  type LedgerDatabase,
} from './ledger-database.ts';
export { openTrackerDoor, type TrackerDoor, type TrackerDoorOptions } from './tracker-door.ts';
export { issuePasswordCode } from './account-database.ts';
export {
  openRegistryFacts,
  type RegistryAnswer,
  type ResolvedTag,
  type RegistryFacts,
  type RegistryFactsOptions,
} from './registry-door.ts';
