import type { Role } from './principal.ts';

/** Access is who may call a route: everybody, or a role and those above it. */
export type Access = 'anonymous' | Role;

/**
 * ACCESS is the one table of role by route (paths under `/api/v1`). The checks of the service, the OpenAPI document and
 * the documentation come from it; a route that is not here cannot be registered.
 */
export const ACCESS = {
  'GET /openapi.json': 'anonymous',
  'POST /setup': 'anonymous',
  'POST /session': 'anonymous',
  'POST /session/password': 'anonymous',
  'GET /session/oidc': 'anonymous',
  'GET /session/oidc/callback': 'anonymous',
  'GET /session': 'viewer',
  'DELETE /session': 'viewer',
  'PUT /session/password': 'viewer',
  'GET /tokens': 'viewer',
  'POST /tokens': 'viewer',
  'DELETE /tokens/{id}': 'viewer',
  'GET /accounts': 'administrator',
  'POST /accounts': 'administrator',
  'GET /accounts/{id}': 'administrator',
  'PATCH /accounts/{id}': 'administrator',
  'DELETE /accounts/{id}': 'administrator',
  'POST /accounts/{id}/password-code': 'administrator',
  'POST /accounts/{id}/anonymise': 'administrator',
  'GET /audit': 'viewer',
  'GET /audit.csv': 'viewer',
  'GET /policies': 'viewer',
  'POST /policies': 'administrator',
  'PUT /policies': 'administrator',
  'GET /policies/{name}': 'viewer',
  'PUT /policies/{name}': 'administrator',
  'DELETE /policies/{name}': 'administrator',
  'GET /policies/{name}/revisions': 'viewer',
  'GET /policies/{name}/revisions/{revision}': 'viewer',
  'POST /policies/whatif': 'viewer',
  'GET /policies/whatif/runs': 'deployer',
  'GET /policies/whatif/runs/{id}': 'deployer',
  'GET /policies/whatif/runs/{id}/download': 'deployer',
  'GET /images': 'viewer',
  'GET /images/{digest}': 'viewer',
  'POST /images/scan': 'deployer',
  'POST /scans': 'deployer',
  'GET /vulnerabilities': 'viewer',
  'GET /triage': 'viewer',
  'POST /triage': 'deployer',
  'DELETE /triage/{id}': 'deployer',
  'GET /ledger': 'viewer',
  'GET /ledger/rows': 'viewer',
  'GET /ledger/rows/{id}': 'viewer',
  'GET /ledger/rows/{id}/proof': 'viewer',
  'GET /ledger/export': 'viewer',
  'GET /ledger/checkpoint': 'viewer',
  'GET /ledger/checkpoints': 'viewer',
  'GET /ledger/consistency': 'viewer',
  'GET /system/health': 'viewer',
} as const satisfies Readonly<Record<string, Access>>;

/** RouteKey names a route of the service: its method and its path under `/api/v1`. */
export type RouteKey = keyof typeof ACCESS;
