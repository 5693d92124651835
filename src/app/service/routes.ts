import {
  accountsRoutes,
  admissionDefaultsRoutes,
  auditRoutes,
  backupRoutes,
  catalogueRoutes,
  configurationRoutes,
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

/** serviceRoutes are all routes of the service; the description of the API is made from them. */
export function serviceRoutes(
  parts: ServiceParts,
  ledger: LedgerParts,
  trackers: ServiceTrackers['routes'],
  health: HealthParts,
  nodes: NodesParts,
  replicas: ReplicasParts['replicas'],
  backups: BackupParts['backups'],
  licence: LicenceParts,
  facts: {
    readonly database: CatalogueParts['database'];
    readonly collected: Required<ImageParts>['collected'];
  },
  version: string,
): Route[] {
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
    ...imageRoutes({ ...parts, collected: facts.collected }),
    ...scanRoutes(parts),
    ...vulnerabilityRoutes(parts),
    ...triageRoutes(parts),
    ...channelRoutes({ ...parts, ...trackers }),
    ...notificationRoutes({ ...parts, ...trackers }),
    ...trackingRoutes({ ...parts, ...trackers }),
    ...runtimeRuleRoutes(parts),
    ...runtimeEventRoutes({ events: parts.runtimeEvents }),
    ...catalogueRoutes({ ...parts, database: facts.database }),
    ...ledgerRoutes(ledger),
    ...healthRoutes(health),
    ...admissionDefaultsRoutes(parts),
    ...nodesRoutes(nodes),
    ...licenceRoutes(licence),
    ...releasesRoutes(),
    ...replicasRoutes({ replicas }),
    ...backupRoutes({ backups }),
    ...configurationRoutes({ configuration: serviceConfiguration({ ...parts, ...trackers }) }),
  ];
  document = JSON.stringify(openApiDocument(routes, version));
  return routes;
}
