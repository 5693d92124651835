import {
  accountsRoutes,
  auditRoutes,
  healthRoutes,
  imageRoutes,
  ledgerRoutes,
  openApiDocument,
  openApiRoutes,
  policyRoutes,
  scanRoutes,
  sessionRoutes,
  setupRoutes,
  tokensRoutes,
  triageRoutes,
  vulnerabilityRoutes,
  whatIfRoutes,
  type HealthParts,
  type LedgerParts,
  type Route,
} from '../api/index.ts';
import type { ServiceParts } from './service-parts.ts';

/** serviceRoutes are all routes of the service; the description of the API is made from them. */
export function serviceRoutes(
  parts: ServiceParts,
  ledger: LedgerParts,
  health: HealthParts,
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
    ...ledgerRoutes(ledger),
    ...healthRoutes(health),
  ];
  document = JSON.stringify(openApiDocument(routes, version));
  return routes;
}
