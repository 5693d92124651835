import {
  accountsRoutes,
  auditRoutes,
  catalogueRoutes,
  healthRoutes,
  nodesRoutes,
  imageRoutes,
  ledgerRoutes,
  openApiDocument,
  openApiRoutes,
  policyRoutes,
  scanRoutes,
  channelRoutes,
  sessionRoutes,
  setupRoutes,
  tokensRoutes,
  trackingRoutes,
  triageRoutes,
  vulnerabilityRoutes,
  whatIfRoutes,
  type HealthParts,
  type LedgerParts,
  type NodesParts,
  type Route,
} from '../api/index.ts';
import type { ServiceParts } from './service-parts.ts';
import type { ServiceTrackers } from './service-trackers.ts';

/** serviceRoutes are all routes of the service; the description of the API is made from them. */
export function serviceRoutes(
  parts: ServiceParts,
  ledger: LedgerParts,
  trackers: ServiceTrackers['routes'],
  health: HealthParts,
  nodes: NodesParts,
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
    ...whatIfRoutes(parts),
    ...imageRoutes(parts),
    ...scanRoutes(parts),
    ...vulnerabilityRoutes(parts),
    ...triageRoutes(parts),
    ...channelRoutes({ ...parts, ...trackers }),
    ...trackingRoutes({ ...parts, ...trackers }),
    ...catalogueRoutes(parts),
    ...ledgerRoutes(ledger),
    ...healthRoutes(health),
    ...nodesRoutes(nodes),
  ];
  document = JSON.stringify(openApiDocument(routes, version));
  return routes;
}
