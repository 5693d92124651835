import {
  accountsRoutes,
  admissionDefaultsRoutes,
  auditRoutes,
  backupRoutes,
  catalogueRoutes,
  configurationRoutes,
  declarationsRoutes,
  evidenceRoutes,
  detectorRoutes,
  doctorRoutes,
  healthRoutes,
  nodesRoutes,
  licenceRoutes,
  releasesRoutes,
  replicasRoutes,
  imageRoutes,
  ledgerRoutes,
  openApiDocument,
  openApiRoutes,
  policyRoutes,
  runtimeEventRoutes,
  runtimeWhatIfRoutes,
  runtimePolicyRoutes,
  runtimeRuleRoutes,
  scanRoutes,
  channelRoutes,
  notificationRoutes,
  sessionRoutes,
  setupRoutes,
  tokensRoutes,
  trackingRoutes,
  triageRoutes,
  vulnerabilityRoutes,
  whatIfRoutes,
  type BackupParts,
  type CatalogueParts,
  type DeclarationsParts,
  type EvidenceParts,
  type DetectorParts,
  type DoctorParts,
  type HealthParts,
  type ImageParts,
  type LedgerParts,
  type LicenceParts,
  type NodesParts,
  type ReplicasParts,
  type Route,
} from '../../api/index.ts';
import { serviceConfiguration } from './configuration.ts';
import type { ServiceParts } from './parts.ts';
import type { ServiceTrackers } from '../trackers/trackers.ts';

/** RoutesParts are what the routes of a service are asked of. */
export interface RoutesParts
  extends
    Pick<BackupParts, 'backups'>,
    Pick<DoctorParts, 'examine'>,
    Pick<CatalogueParts, 'database'>,
    Pick<DetectorParts, 'detector'>,
    Pick<ReplicasParts, 'replicas'>,
    Pick<Required<ImageParts>, 'collected'> {
  readonly parts: ServiceParts;
  readonly ledger: LedgerParts;
  readonly trackers: ServiceTrackers['routes'];
  readonly health: HealthParts;
  readonly nodes: NodesParts;
  readonly licence: LicenceParts;
  readonly evidence: EvidenceParts & DeclarationsParts;
}

/** serviceRoutes are all routes of the service; the description of the API is made from them. */
export function serviceRoutes(all: RoutesParts, version: string): Route[] {
  const { parts, trackers, evidence } = all;
  let document = '';
  const routes = [
    ...openApiRoutes({ document: () => document }),
    ...setupRoutes(parts),
    ...sessionRoutes(parts),
    ...tokensRoutes(parts),
    ...accountsRoutes(parts),
    ...auditRoutes(parts),
    ...policyRoutes(parts),
    ...runtimePolicyRoutes(parts),
    ...whatIfRoutes(parts),
    ...imageRoutes({ ...parts, collected: all.collected }),
    ...scanRoutes(parts),
    ...vulnerabilityRoutes(parts),
    ...triageRoutes(parts),
    ...channelRoutes({ ...parts, ...trackers }),
    ...notificationRoutes({ ...parts, ...trackers }),
    ...trackingRoutes({ ...parts, ...trackers }),
    ...detectorRoutes({ ...parts, detector: all.detector }),
    ...runtimeRuleRoutes(parts),
    ...runtimeEventRoutes({ events: parts.runtimeEvents, clock: parts.clock }),
    ...runtimeWhatIfRoutes(parts.runtimeWhatIf),
    ...catalogueRoutes({ ...parts, database: all.database }),
    ...ledgerRoutes(all.ledger),
    ...healthRoutes(all.health),
    ...admissionDefaultsRoutes(parts),
    ...nodesRoutes(all.nodes),
    ...licenceRoutes(all.licence),
    ...releasesRoutes(),
    ...replicasRoutes({ replicas: all.replicas }),
    ...backupRoutes({ backups: all.backups }),
    ...doctorRoutes({ examine: all.examine, version }),
    ...configurationRoutes({ configuration: serviceConfiguration({ ...evidence, ...parts, ...trackers }) }),
    ...evidenceRoutes(evidence),
    ...declarationsRoutes(evidence),
  ];
  document = JSON.stringify(openApiDocument(routes, version));
  return routes;
}
