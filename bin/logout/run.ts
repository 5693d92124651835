import { openServiceClient } from '../../src/app/index.ts';
import { isIpoError } from '../../src/base/index.ts';
import { EXIT, report, type ExitCode } from '../terminal/exit.ts';
import { forgetServer, readServiceConfig } from '../service/config.ts';
import { findService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { VERSION } from '../terminal/version.ts';

/** LogoutOptions are the flags of `ipo logout`. */
export interface LogoutOptions {
  readonly ca?: string;
}

/** runLogout is `ipo logout`: what is kept is forgotten whatever the service says. */
export async function runLogout(
  named: string | undefined,
  options: LogoutOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { server, ca } = await findService(terminal, options, named);
  const say = (text: string): void => {
    if (!globals.quiet) terminal.err(`ipo: ${text}\n`);
  };
  const token = readServiceConfig(terminal.env).servers[server]?.token ?? null;
  if (!forgetServer(terminal.env, server) || token === null) {
    say(`not signed in to ${server}`);
    return EXIT.done;
  }
  if (!token.startsWith('ipos_')) {
    say(`the token for ${server} is deleted here; it stays valid until ipo token revoke`);
    return EXIT.done;
  }
  const service = await openServiceClient({ server, token, ca, userAgent: `ipo/${VERSION}` });
  try {
    await service.json('DELETE /session');
  } catch (error) {
    // A session that has ended by itself is what was wanted.
    if (!isIpoError(error) || error.code !== 'unauthenticated') {
      say(`deleted here, but the service could not be reached; the session expires within half an hour`);
      return report(error, terminal, globals);
    }
  } finally {
    await service.close();
  }
  say(`signed out of ${server}`);
  return EXIT.done;
}
