/**
 * The API: a request becomes a call of a route, and its answer a response. Routes are data (`route.ts`); who may call one
 * stands in `accounts/access.ts`.
 * It uses `findings`, `policy`, `facts`, `ledger`, `admission`, `whatif`, `inventory`, `scan`, `accounts`, `render`, `channels`, `configuration`,
 * `doctor`, `catalogues`, `trackers`, `notify`, `runtime`, `replicas`, `licence`, `nodes`, `releases`, `supply-chain`, `backup` and
 * `evidence`.
 */
export {
  LISTENER_LIMITS,
  openListener,
  type AdmissionListener,
  type ListenerLimits,
  type ServingCertificate,
  Callers,
} from './admission/index.ts';
export {
  DROP_REASONS,
  openDetectorListener,
  type DetectorDoor,
  type DetectorListener,
  type DetectorTally,
  type DropReason,
} from './detector/index.ts';
export type { Apart, ApartCall } from './apart.ts';
export { formatAge, type ClusterHealth, type Health, type PartState, type WebhookHealth } from './health.ts';
export type { InEffect, WrittenPolicy } from './in-effect.ts';
export { listenFault } from './listen-fault.ts';
export { openApiDocument } from './openapi.ts';
export { BASE_PATH } from './paths.ts';
export { PLACE_LIMITS, Places, type PlaceLimits } from './places.ts';
export { probes, type ProbeParts } from './probes.ts';
export { answerApart, type ApartAnswer } from './answer-apart.ts';
export {
  route,
  WORKS,
  type Answered,
  type Route,
  type RouteAnswer,
  type RouteInput,
  type Work,
} from './route.ts';
export { openApi, type Api, type ApiOptions, type Probe, type ServedCall } from './server.ts';
export type { Headers, SignIn } from './sign-in.ts';
export { accountsRoutes, type AccountsParts } from './routes/accounts.ts';
export { auditRoutes, type AuditParts } from './routes/audit.ts';
export { licenceRoutes, type LicenceParts } from './routes/licence.ts';
export { releasesRoutes } from './routes/releases.ts';
export { configurationRoutes, type ConfigurationParts } from './routes/configuration.ts';
export { doctorRoutes, type DoctorParts } from './routes/doctor.ts';
export { backupRoutes, type BackupParts } from './routes/backups.ts';
export { evidenceRoutes, type EvidenceParts } from './routes/evidence.ts';
export { declarationsRoutes, type DeclarationsParts } from './routes/declarations.ts';
export { replicasRoutes, type ReplicasParts } from './routes/replicas.ts';
export { admissionDefaultsRoutes, type AdmissionDefaultsParts } from './routes/admission-defaults.ts';
export { nodesRoutes, type NodesParts } from './routes/nodes.ts';
export { healthRoutes, type HealthParts } from './routes/health.ts';
export { imageRoutes, type ImageParts } from './routes/images.ts';
export { ledgerRoutes, type LedgerParts } from './routes/ledger.ts';
export { openApiRoutes } from './routes/openapi.ts';
export { catalogueRoutes, type CatalogueParts } from './routes/catalogues.ts';
export { channelRoutes, type ChannelParts } from './routes/channels.ts';
export { policyRoutes, type PolicyParts } from './routes/policies.ts';
export { runtimeWhatIfRoutes, type RuntimeWhatIfParts } from './routes/runtime-whatif.ts';
export { runtimePolicyRoutes, type RuntimePolicyParts } from './routes/runtime-policies.ts';
export {
  detectorRoutes,
  type DetectorBundle,
  type DetectorParts,
  type DetectorStanding,
} from './routes/detector.ts';
export { runtimeEventRoutes, type RuntimeEventParts } from './routes/runtime-events.ts';
export { runtimeRuleRoutes, type RuntimeRuleParts } from './routes/runtime-rules.ts';
export { scanRoutes, type ScanParts } from './routes/scans.ts';
export { sessionRoutes, type SessionParts } from './routes/session.ts';
export { setupRoutes, type SetupParts } from './routes/setup.ts';
export { tokensRoutes, type TokensParts } from './routes/tokens.ts';
export { notificationRoutes, toMuteBody, type NotificationParts } from './routes/notifications.ts';
export type { ChannelBody } from './contract/channels.ts';
export { trackingRoutes, type TrackingParts } from './routes/tracking.ts';
export { triageRoutes, type TriageParts } from './routes/triage.ts';
export { vulnerabilityRoutes, type VulnerabilityParts } from './routes/vulnerabilities.ts';
export { whatIfRoutes, type WhatIfParts } from './routes/whatif.ts';
export { toImportedScans } from './scan-bodies.ts';
export type { ImportedScansBody } from './contract/scans.ts';
export { UntrustedProxies, type UntrustedProxy } from './untrusted-proxies.ts';
