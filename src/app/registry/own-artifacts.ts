import { openCredentialHelpers } from '../../adapters/credential-helpers/index.ts';
import { dockerKeychain, openRegistry } from '../../adapters/registry/index.ts';
import { findProgram } from '../running/find-program.ts';
import type { OpenArtifacts } from './ports.ts';

/** Milliseconds that a credential helper may take. */
const HELPER_MS = 20_000;

/** openOwnArtifacts opens registries as the person that runs a command. */
export function openOwnArtifacts(
  env: Readonly<Record<string, string | undefined>>,
  userAgent: string,
): OpenArtifacts {
  const helpers = openCredentialHelpers({
    env,
    cwd: process.cwd(),
    timeoutMs: HELPER_MS,
    find: (program) => findProgram(program, env),
  });
  const keychain = dockerKeychain(env, env['HOME'] ?? '', helpers);
  const registry = openRegistry({ userAgent, loopback: true, keychain });
  return {
    artifacts: registry.artifacts,
    close: async () => {
      helpers.close();
      await registry.close();
    },
  };
}
