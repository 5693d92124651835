import type { TestContext } from 'node:test';
import {
  holdOrigin,
  sessionCookieName,
  type IdentityProvider,
  type OidcRules,
} from '../../src/accounts/index.ts';
import { openApi, type Route } from '../../src/api/index.ts';
import { accountsRoutes } from '../../src/api/routes/accounts.ts';
import { auditRoutes } from '../../src/api/routes/audit.ts';
import { sessionRoutes } from '../../src/api/routes/session.ts';
import { setupRoutes } from '../../src/api/routes/setup.ts';
import { tokensRoutes } from '../../src/api/routes/tokens.ts';
import { keptLog } from '../api/service.ts';
import { openOn, type Opened } from './open.ts';
import { openSqlite } from './sqlite.ts';

/** Called is what the service answered. */
export interface Called {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // eslint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  readonly body: any;
}

export interface Served extends Opened {
  readonly databaseUrl: string;
  readonly url: string;
  readonly log: ReturnType<typeof keptLog>;
  /** Calls a route as somebody: a secret as bearer, headers of one's own, or nobody. */
  call(
    method: string,
    path: string,
    options?: { as?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Called>;
}

/** accountRoutes are all routes about accounts over opened accounts. */
export function accountRoutes(opened: Opened, https = true): Route[] {
  const parts = { accounts: opened.accounts, audit: opened.audit, clock: opened.clock, cookie: { https } };
  return [
    ...setupRoutes(parts),
    ...sessionRoutes(parts),
    ...tokensRoutes(parts),
    ...accountsRoutes(parts),
    ...auditRoutes(parts),
  ];
}

/** serve starts the service's own frame over a fresh database, with real accounts; it ends with the test. */
export async function serve(
  t: TestContext,
  options: { https?: boolean; oidc?: { provider: IdentityProvider; rules: OidcRules } } = {},
): Promise<Served> {
  const { store, url: databaseUrl } = await openSqlite(t);
  const opened = openOn(store, options);
  const https = options.https ?? true;
  const log = keptLog();
  const api = openApi({
    routes: accountRoutes(opened, https),
    signIn: {
      cookies: [sessionCookieName({ https })],
      principalOf: (secret, via) => opened.accounts.principalOf(secret, via),
      holdOrigin: ({ cookie, ...request }) =>
        holdOrigin(request, { origins: ['https://ipo.example.com'], cookie }),
    },
    log,
    https,
  });
  const { port } = await api.listen('127.0.0.1', 0);
  t.after(() => api.close(0));
  const url = `http://127.0.0.1:${port}`;
  return {
    ...opened,
    databaseUrl,
    url,
    log,
    async call(method, path, { as, body, headers = {} } = {}) {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(as !== undefined && { authorization: `Bearer ${as}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = /json/.test(response.headers.get('content-type') ?? '');
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson ? JSON.parse(text) : null,
      };
    },
  };
}
