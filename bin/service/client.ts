import { openServiceClient, parseServer, type ServiceClient } from '../../src/app/index.ts';
import { IpoError, isIpoError } from '../../src/base/index.ts';
import { VERSION } from '../terminal/version.ts';
import { openParts } from '../terminal/parts.ts';
import { readServiceConfig, type KnownServer } from './config.ts';
import type { ServiceFlags } from './flags.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { commandHint } from './command-hint.ts';
import { UsageError } from '../terminal/usage.ts';

/** ServiceTarget is which service is called, and as whom; the token is null where none is known. */
export interface ServiceTarget {
  readonly server: string;
  readonly token: string | null;
  /** PEM text, or undefined for the authorities that Node brings. */
  readonly ca: string | undefined;
  /** Path of the PEM file, to be kept beside the server by `ipo login`. */
  readonly caPath: string | undefined;
}

/**
 * findService settles which service is meant: the flag, then `IPO_SERVER`, then the one signed in to last; and its token: stdin, then
 * `IPO_TOKEN`, then the one kept for it. A stored token is sent only to its own service. Throws `usage`, FileError, `invalid_config`.
 */
export async function findService(
  terminal: Terminal,
  options: ServiceFlags,
  named?: string,
  hint = 'Sign in with `ipo login SERVER`, or give --server URL or IPO_SERVER',
): Promise<ServiceTarget> {
  const { env } = terminal;
  const config = readServiceConfig(env);
  const address = named ?? options.server ?? given(env['IPO_SERVER']) ?? config.current;
  if (address === null || address === undefined) {
    throw new UsageError('no service given', hint);
  }
  const server = await parseServer(address);
  const kept: KnownServer | undefined = config.servers[server];
  const caPath = options.ca ?? given(env['IPO_CA']) ?? kept?.ca;
  const parts = openParts(terminal);
  const own = given(env['IPO_TOKEN']);
  let token = own === undefined ? (kept?.token ?? null) : null;
  if (options.tokenStdin) token = checked(await parts.readText('-', 4096), 'stdin');
  else if (own !== undefined) token = checked(own, 'IPO_TOKEN');
  return {
    server,
    token,
    ca: caPath === undefined ? undefined : await parts.readText(caPath, 1_048_576),
    caPath,
  };
}

/** knowsService tells whether a service is meant that no flag names: by `IPO_SERVER`, or the one signed in to last. */
export function knowsService({ env }: Pick<Terminal, 'env'>): boolean {
  return given(env['IPO_SERVER']) !== undefined || (readServiceConfig(env).current ?? null) !== null;
}

/**
 * openService opens the client of the service that a command calls, signed in. Close it in the end. Throws what findService
 * throws, and `unauthenticated` where no token is known.
 */
export async function openService(terminal: Terminal, options: ServiceFlags): Promise<ServiceClient> {
  const { server, token, ca } = await findService(terminal, options);
  if (token === null) {
    throw new IpoError('unauthenticated', `not signed in to ${server}`, {
      hint: `Sign in with \`ipo login ${server}\`, or give a token with IPO_TOKEN or --token-stdin`,
    });
  }
  return openServiceClient({ server, token, ca, userAgent: `ipo/${VERSION}` });
}

/** withService runs an act with the client of the service that a command calls, and closes it whatever comes. */
export async function withService<T>(
  terminal: Terminal,
  options: ServiceFlags,
  act: (service: ServiceClient) => Promise<T>,
): Promise<T> {
  const service = await openService(terminal, options);
  try {
    return await act(service);
  } catch (error) {
    throw refused(error, terminal, options);
  } finally {
    await service.close();
  }
}

/**
 * refused gives what a call threw; of a token that is not taken, with where it came from. Signing in helps nobody whose token comes
 * from elsewhere: that token would go before the session.
 */
export function refused(error: unknown, { env }: Pick<Terminal, 'env'>, options: ServiceFlags): unknown {
  if (!isIpoError(error)) return error;
  if (error.code !== 'unauthenticated') return inCommands(error);
  const variable = given(env['IPO_TOKEN']) === undefined ? null : 'IPO_TOKEN';
  const source = options.tokenStdin ? 'stdin' : variable;
  if (source === null) return error;
  return new IpoError('unauthenticated', `the service does not know the token from ${source}`, {
    cause: error,
    hint: `It has expired, was revoked, or belongs to another service; create one with \`ipo token create NAME\`${source === 'stdin' ? '' : ', or unset IPO_TOKEN to use your sign-in'}`,
  });
}

const NOTHING_AT = 'there is nothing at ';

/** Where the service lacks the path itself, nothing that was named is missing: the address or the release is wrong. */
function misplaced({ message, cause }: IpoError): IpoError {
  const path = message.slice(NOTHING_AT.length);
  const hint =
    path.lastIndexOf('/api/v1/') > 0
      ? 'The service does not answer at the path of this address; give the address as https://HOST[:PORT]'
      : 'It may be of an earlier release than this program: see `ipo version`, and `ipo doctor` for the release of the service';
  return new IpoError('unavailable', `the service has nothing at ${path}`, { cause, hint });
}

/** A fault of the service, its hint in commands. */
function inCommands(error: IpoError): IpoError {
  const { code, message, hint, cause, retryAfter } = error;
  if (code === 'not_found' && message.startsWith(NOTHING_AT)) return misplaced(error);
  if (hint === undefined) return error;
  const said = commandHint(hint);
  return said === hint ? error : new IpoError(code, message, { cause, retryAfter, hint: said ?? undefined });
}

/** An empty variable counts as one that is not set, as shells and CI systems leave them. */
function given(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

function checked(text: string, source: string): string {
  const token = text.trim();
  if (/^[!-~]{1,512}$/.test(token)) return token;
  throw new UsageError(
    token === '' ? `${source} contains no token` : `${source} does not contain a valid token`,
    'A token is one line of letters and digits; create one with `ipo token create NAME`',
  );
}
