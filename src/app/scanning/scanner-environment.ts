import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withSystemAuthorities } from '../../adapters/program/index.ts';
import type { ServiceOutbound } from '../running/outbound.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * scannerEnvironment gives the environment from which scanners take what they need: with the proxy of the settings instead of one that it
 * names, and with the authorities of the settings in a file in `directory`, beside those of the system.
 */
export async function scannerEnvironment(
  env: Environment,
  way: Pick<ServiceOutbound, 'variables' | 'extra'> | undefined,
  directory: string,
): Promise<Environment> {
  if (way === undefined) return env;
  const proxied = { ...env, ...way.variables };
  if (way.extra.length === 0) return proxied;
  const file = join(directory, 'authorities.pem');
  await writeFile(file, await withSystemAuthorities(`${way.extra.join('\n')}\n`, env), { mode: 0o600 });
  return { ...proxied, SSL_CERT_FILE: file };
}
