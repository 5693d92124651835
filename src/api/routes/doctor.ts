import { toReport, type CheckResult } from '../../doctor/index.ts';
import { doctorSchema, type DoctorBody } from '../contract/doctor.ts';
import { route, type Route } from '../route.ts';

/** DoctorParts are what the route of the doctor asks. */
export interface DoctorParts {
  readonly version: string;
  examine(): Promise<readonly CheckResult[]>;
}

/** doctorRoutes examine the service. */
export function doctorRoutes({ version, examine }: DoctorParts): Route[] {
  return [
    route({
      key: 'GET /system/doctor',
      id: 'examineService',
      tag: 'system',
      summary: 'Examine the service: every check with its state and what to do',
      description: 'Calls nothing outside but the proxy of outbound calls, and changes nothing.',
      answers: { 200: { description: 'What was found', schema: doctorSchema } },
      handle: async () => {
        const { state, checks } = toReport(await examine());
        const body: DoctorBody = { version, state, checks: [...checks], total: checks.length };
        return { body };
      },
    }),
  ];
}
