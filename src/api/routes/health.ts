import { healthSchema } from '../contract/health.ts';
import { toHealthBody, type Health } from '../health.ts';
import { route, type Route } from '../route.ts';

/** HealthParts are what the health of the service is asked of. */
export interface HealthParts {
  health(): Promise<Health>;
}

/** healthRoutes tells how the service stands, with every part; it answers while the database does not. */
export function healthRoutes(parts: HealthParts): Route[] {
  return [
    route({
      key: 'GET /system/health',
      id: 'showHealth',
      tag: 'system',
      summary: 'Show how the service and its parts stand',
      answers: { 200: { description: 'The health', schema: healthSchema } },
      handle: async () => ({ body: toHealthBody(await parts.health()) }),
    }),
  ];
}
