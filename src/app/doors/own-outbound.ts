import { DIRECT, type Outbound } from '../../adapters/transport/index.ts';
import { loadConfig } from '../config/config.ts';
import { openServiceOutbound } from '../running/outbound.ts';

/**
 * openOwnOutbound reads how calls leave a command that tries what a service will do: by the variables of the same settings. Other
 * variables of a service may be absent or wrong on this machine. Throws `invalid_config`, FileError.
 */
export async function openOwnOutbound(env: Readonly<Record<string, string | undefined>>): Promise<Outbound> {
  const own = Object.entries(env).filter(([name]) => name.startsWith('IPO_OUTBOUND_'));
  if (own.length === 0) return DIRECT;
  const { settings } = await loadConfig({
    file: null,
    env: Object.fromEntries(own),
    // A service needs a directory; nothing is read or written there.
    standards: [{ path: 'data', value: '.' }],
  });
  const { outbound, close } = await openServiceOutbound(settings.outbound, env);
  // What is called by `fetch` in this process is not part of what is tried.
  close();
  return outbound;
}
