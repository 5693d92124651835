import type { TestContext } from 'node:test';
import type { Principal, Role } from '../../src/accounts/index.ts';
import { openServiceClient, type ServiceClient } from '../../src/adapters/service/index.ts';
import { openApi, type Api, type ApiOptions, type Route, type SignIn } from '../../src/api/index.ts';
import { checkedRoutes } from './checked-routes.ts';
import { IpoError, type Keys, type Log } from '../../src/base/index.ts';

/** Somebody is who a test calls a service as. */
export type Somebody = 'anonymous' | Role | 'disabled';

/** principal is a made-up person of a role. */
export function principal(role: Role): Principal {
  return {
    accountId: `${role}aaaaaaaaaaaaaaaa`.slice(0, 16),
    name: `a ${role}`,
    role,
    via: 'token',
    tokenId: null,
  };
}

/** signIn proves the tokens `viewer-token`, `deployer-token` and `administrator-token`, and no other. */
export const signIn: SignIn = {
  cookies: ['__Host-ipo', 'ipo'],
  principalOf: async (secret) => {
    const [, role] = /^(viewer|deployer|administrator)-token$/.exec(secret) ?? [];
    return role === undefined ? null : principal(role as Role);
  },
  holdOrigin: ({ method, headers, cookie }) => {
    if (method !== 'GET' && cookie && headers['sec-fetch-site'] !== 'same-origin')
      throw new IpoError('forbidden', 'this request comes from another site');
  },
};

/** Line is one line that a part logged. */
export interface Line {
  readonly level: keyof Log;
  readonly message: string;
  readonly keys: Keys;
}

/** keptLog is a log that keeps its lines. */
export function keptLog(): Log & { readonly lines: Line[] } {
  const lines: Line[] = [];
  const at =
    (level: keyof Log) =>
    (message: string, keys: Keys = {}) =>
      void lines.push({ level, message, keys });
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Started is a server of some routes, listening on loopback until its test ends. */
export interface Started {
  readonly url: string;
  readonly api: Api;
  readonly log: ReturnType<typeof keptLog>;
  /** A client that calls as somebody; a disabled account's token proves nothing. */
  as(somebody: Somebody): ServiceClient;
}

/** startApi starts a server of the given routes on loopback, with made-up persons, and ends it with the test. */
export async function startApi(
  t: TestContext,
  routes: readonly Route[],
  options: Partial<Omit<ApiOptions, 'routes'>> = {},
): Promise<Started> {
  const log = keptLog();
  const api = openApi({ signIn, log, ...options, routes: checkedRoutes(routes) });
  const { port } = await api.listen('127.0.0.1', 0);
  const url = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const clients: ServiceClient[] = [];
  t.after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await api.close(0);
  });
  const as = (somebody: Somebody): ServiceClient => {
    const token = somebody === 'anonymous' ? null : `${somebody}-token`;
    const client = openServiceClient({ server: url, token, again: 0 });
    clients.push(client);
    return client;
  };
  return { url, api, log, as };
}
