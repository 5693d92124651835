import type { ServiceParts } from './parts.ts';
import type { Settings } from '../config/settings.ts';

/** prepareSetup makes the first administrator of the settings, and gives the code that makes one where there is none; else null. */
export async function prepareSetup({ accounts }: ServiceParts, { admin }: Settings): Promise<string | null> {
  if (admin !== undefined) {
    await accounts.setup.fromEnvironment({ email: admin.email, password: admin.password.reveal() });
  }
  return (await accounts.setup.prepare())?.code ?? null;
}
