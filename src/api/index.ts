/**
 * The API: a request becomes a call of a route, and its answer a response. Routes are data (`route.ts`); who may call one
 * stands in `accounts/access.ts`.
 * It uses `findings`, `policy`, `facts`, `ledger`, `admission`, `whatif`, `inventory`, `scan`, `accounts`, `render`, `channels`, `configuration`,
 * `doctor`, `catalogues`, `trackers`, `notify`, `runtime`, `replicas`, `licence`, `nodes`, `releases`, `supply-chain`, `backup` and
 * `evidence`.
 */
export { openListener, type ServingCertificate, Callers } from './admission/index.ts';
export {
  openDetectorListener,
  type DetectorDoor,
  type DetectorListener,
  type DetectorTally,
  type DropReason,
} from './detector/index.ts';
export type { Apart, ApartCall } from './apart.ts';
export { formatAge, type ClusterHealth, type Health, type PartState, type WebhookHealth } from './health.ts';
export type { WrittenPolicy } from './in-effect.ts';
export { listenFault } from './listen-fault.ts';
export { openApiDocument } from './openapi.ts';
export { BASE_PATH } from './paths.ts';
export { probes } from './probes.ts';
export { answerApart } from './answer-apart.ts';
export { route, type Route, type RouteAnswer, type Work } from './route.ts';
export { openApi, type Api, type ApiOptions } from './server.ts';
export type { SignIn } from './sign-in.ts';
export { accountsRoutes } from './routes/accounts.ts';
export { auditRoutes } from './routes/audit.ts';
export { licenceRoutes, type LicenceParts } from './routes/licence.ts';
export { releasesRoutes } from './routes/releases.ts';
export { configurationRoutes } from './routes/configuration.ts';
export { doctorRoutes, type DoctorParts } from './routes/doctor.ts';
export { backupRoutes, type BackupParts } from './routes/backups.ts';
export { evidenceRoutes, type EvidenceParts } from './routes/evidence.ts';
export { declarationsRoutes, type DeclarationsParts } from './routes/declarations.ts';
export { replicasRoutes, type ReplicasParts } from './routes/replicas.ts';
export { admissionDefaultsRoutes } from './routes/admission-defaults.ts';
export { nodesRoutes, type NodesParts } from './routes/nodes.ts';
export { healthRoutes, type HealthParts } from './routes/health.ts';
export { imageRoutes, type ImageParts } from './routes/images.ts';
export { ledgerRoutes, type LedgerParts } from './routes/ledger.ts';
export { openApiRoutes } from './routes/openapi.ts';
export { catalogueRoutes, type CatalogueParts } from './routes/catalogues.ts';
export { channelRoutes, type ChannelParts } from './routes/channels.ts';
export { policyRoutes } from './routes/policies.ts';
export { runtimeWhatIfRoutes, type RuntimeWhatIfParts } from './routes/runtime-whatif.ts';
export { runtimePolicyRoutes } from './routes/runtime-policies.ts';
export { detectorRoutes, type DetectorParts, type DetectorStanding } from './routes/detector.ts';
export { runtimeEventRoutes } from './routes/runtime-events.ts';
export { runtimeRuleRoutes } from './routes/runtime-rules.ts';
export { scanRoutes } from './routes/scans.ts';
export { sessionRoutes } from './routes/session.ts';
export { setupRoutes } from './routes/setup.ts';
export { tokensRoutes } from './routes/tokens.ts';
export { notificationRoutes, toMuteBody, type NotificationParts } from './routes/notifications.ts';
export type { ChannelBody } from './contract/channels.ts';
export { trackingRoutes, type TrackingParts } from './routes/tracking.ts';
export { triageRoutes } from './routes/triage.ts';
export { vulnerabilityRoutes } from './routes/vulnerabilities.ts';
export { whatIfRoutes } from './routes/whatif.ts';
export { toImportedScans } from './scan-bodies.ts';
export { UntrustedProxies } from './untrusted-proxies.ts';
