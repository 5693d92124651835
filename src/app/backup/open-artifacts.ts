import type { Count, Log } from '../../base/index.ts';
import type { Settings } from '../config/settings.ts';
import { openOwnArtifacts } from '../registry/registry-door.ts';
import { openServiceOutbound } from '../running/outbound.ts';
import { openServiceRegistry } from '../scanning/registry.ts';
import type { OpenArtifacts } from '../registry/ports.ts';

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
const UNCOUNTED: Count = { add() {} };

/**
 * openArtifacts opens registries for a command: as a service reaches them where its settings are given, else as the person that runs the
 * command, by its docker config. Throws FileError, `invalid_config`.
 */
export async function openArtifacts(
  settings: Pick<Settings, 'registries' | 'outbound'> | null,
  env: Readonly<Record<string, string | undefined>>,
  version: string,
): Promise<OpenArtifacts> {
  if (settings === null) return openOwnArtifacts(env, `ipo/${version}`);
  const way = await openServiceOutbound(settings.outbound, env);
  const { artifacts, close } = await openServiceRegistry({
    settings: settings.registries,
    version,
    pullSecrets: null,
    outbound: way.outbound,
    clock: { now: () => Date.now() },
    log: SILENT,
    count: UNCOUNTED,
  });
  return {
    artifacts,
    close: async () => {
      await close();
      way.close();
    },
  };
}
