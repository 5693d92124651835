import type { DoctorBody } from '../../src/api/contract/doctor.ts';
import type { StoredPolicyBody } from '../../src/api/contract/policies.ts';
import { isIpoError } from '../../src/base/index.ts';
import type { CheckResult } from '../../src/doctor/index.ts';
import { withService } from '../service/client.ts';
import type { ServiceFlags } from '../service/index.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { VERSION } from '../terminal/version.ts';

/** ExaminedService is what a service said of itself. */
export interface ExaminedService {
  readonly checks: readonly CheckResult[];
  /** Null where it did not answer. */
  readonly version: string | null;
  readonly health: unknown;
  readonly policies: readonly StoredPolicyBody[];
}

/** Faults of a service that does not answer; any other is thrown. */
const AWAY: readonly string[] = ['network', 'unavailable', 'server_fault'];

/** examineService lets a service examine itself. One that does not answer is a check that fails. Throws `unauthenticated`, `forbidden`. */
export async function examineService(options: ServiceFlags, terminal: Terminal): Promise<ExaminedService> {
  const line = (one: Omit<CheckResult, 'id' | 'subject'>): CheckResult => ({
    id: 'service.answers',
    subject: 'service',
    ...one,
  });
  try {
    return await withService(terminal, options, async (service) => {
      const { body } = await service.json<DoctorBody>('GET /system/doctor');
      const { body: health } = await service.json('GET /system/health');
      const { body: policies } = await service.json<{ readonly items: readonly StoredPolicyBody[] }>(
        'GET /policies',
      );
      const message = `${service.server} answers: release ${body.version}, this program is ${VERSION}`;
      return {
        checks: [line({ state: 'ok', message, hint: null }), ...(body.checks as readonly CheckResult[])],
        version: body.version,
        health,
        policies: policies.items,
      };
    });
  } catch (error) {
    if (!isIpoError(error) || !AWAY.includes(error.code)) throw error;
    const hint =
      'Check its address and the network; on its machine: ipo doctor --data DIR, in a cluster: ipo doctor --kubeconfig FILE';
    return {
      checks: [line({ state: 'fail', message: `the service does not answer: ${error.message}`, hint })],
      version: null,
      health: null,
      policies: [],
    };
  }
}
