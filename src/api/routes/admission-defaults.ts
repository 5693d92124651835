import type { AdmissionDefaultsBody } from '../contract/admission-defaults.ts';
import { admissionDefaultsSchema } from '../contract/admission-defaults.ts';
import { route, type Route } from '../route.ts';

/** AdmissionDefaultsParts are the settings of the installation that decide where a policy does not say. */
export interface AdmissionDefaultsParts {
  readonly coldImagePolicy: AdmissionDefaultsBody['cold_image_policy'];
}

/** admissionDefaultsRoutes show them, so that a decision made elsewhere is the webhook's also for images that the service never met. */
export function admissionDefaultsRoutes({ coldImagePolicy }: AdmissionDefaultsParts): Route[] {
  return [
    route({
      key: 'GET /system/admission',
      id: 'showAdmissionDefaults',
      tag: 'system',
      summary: 'Show what the webhook decides by where a policy does not say',
      answers: { 200: { description: 'The defaults', schema: admissionDefaultsSchema } },
      handle: async () => ({ body: { cold_image_policy: coldImagePolicy } }),
    }),
  ];
}
