import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Role } from '../../src/accounts/index.ts';
import { openServiceClient, type ServiceClient } from '../../src/adapters/service/index.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { asksNobody } from '../../src/app/running/offline.ts';
import { secretsOf } from '../../src/app/start/serve.ts';
import type { RunningService } from '../../src/app/start/running-service.ts';
import { startService } from '../../src/app/start/service.ts';
import type { Clock } from '../../src/base/index.ts';
import { openLog, openMetrics, Redactor } from '../../src/telemetry/index.ts';
import { useBuiltPrograms } from '../built-programs.ts';

useBuiltPrograms();

/** Somebody is who a test calls a service as. */
export type Somebody = 'anonymous' | Role | 'disabled';

/** PASSWORD is that of every account of a service under test. */
export const PASSWORD = 'plover-lathe-umber-93';

/** Running is a whole service under test, on a database and a port of its own. */
export interface Running {
  readonly service: RunningService;
  readonly url: string;
  /** Directory of the service. */
  readonly data: string;
  /** Lines of its log. */
  readonly log: string[];
  /** The secret of somebody's session; null for nobody. */
  secretOf(somebody: Somebody): string | null;
  as(somebody: Somebody): ServiceClient;
  /** Signs somebody in anew. */
  signIn(somebody: Role): Promise<void>;
}

/** scratchDirectory is a directory that goes with its test. */
export function scratchDirectory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'ipo-service-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/**
 * startRunning starts a whole service with an administrator, a deployer, a viewer and one who was disabled while signed in; it
 * ends with its test. `env` are settings as the environment gives them.
 */
export async function startRunning(
  t: TestContext,
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly clock?: Clock;
    /** The first administrator comes from the settings, instead of from the setup code. */
    readonly admin?: { readonly email: string; readonly password: string };
    /** Directory of a service that ended, to start it again: its people are there. */
    readonly again?: string;
  } = {},
): Promise<Running> {
  const data = options.again ?? scratchDirectory(t);
  const env: Record<string, string> = {
    ...{ IPO_DATA: data, IPO_LISTEN: '127.0.0.1:0', IPO_LOG_LEVEL: 'debug' },
    ...asksNobody(),
    ...options.env,
  };
  // Migrating is tested elsewhere, and would be most of what a start costs.
  const template = process.env['IPO_TEST_SQLITE_TEMPLATE'];
  if (template !== undefined && options.again === undefined && env['IPO_DATABASE_URL'] === undefined)
    copyFileSync(template, join(data, 'ipo.db'));
  if (options.admin !== undefined) {
    Object.assign(env, { IPO_ADMIN_EMAIL: options.admin.email, IPO_ADMIN_PASSWORD: options.admin.password });
  }
  const { settings } = await loadConfig({ file: null, env });
  const redactor = new Redactor();
  for (const secret of secretsOf(settings)) redactor.add(secret);
  const lines: string[] = [];
  const log = openLog({ level: 'debug', format: 'json', redactor, write: (line) => void lines.push(line) });
  const { clock } = options;
  const service = await startService({
    settings,
    version: '0.0.0-test',
    log,
    metrics: openMetrics(),
    redactor,
    ...(clock !== undefined && { clock }),
  });
  t.after(() => service.close(0));
  const secrets =
    options.again === undefined
      ? await makePeople(service, options.admin?.password ?? null)
      : new Map<Somebody, string>([['viewer', await signIn(service, 'viewer')]]);
  const clients: ServiceClient[] = [];
  t.after(() => Promise.all(clients.map((client) => client.close())));
  return {
    service,
    url: service.url,
    data,
    log: lines,
    secretOf: (somebody) => secrets.get(somebody) ?? null,
    as: (somebody) => {
      const client = openServiceClient({
        server: service.url,
        token: secrets.get(somebody) ?? null,
        again: 0,
      });
      clients.push(client);
      return client;
    },
    signIn: async (somebody) => void secrets.set(somebody, await signIn(service, somebody)),
  };
}

async function makePeople(
  service: RunningService,
  adminPassword: string | null,
): Promise<Map<Somebody, string>> {
  const { parts } = service;
  const { setup, life } = parts.accounts;
  const secrets = new Map<Somebody, string>();
  if (adminPassword === null) {
    const first = await setup.complete({
      code: service.setupCode ?? '',
      email: 'administrator@example.com',
      name: 'An Administrator',
      password: PASSWORD,
      address: '127.0.0.1',
      path: 'POST /api/v1/setup',
    });
    secrets.set('administrator', first.secret);
  } else secrets.set('administrator', await signIn(service, 'administrator', adminPassword));
  const act = { by: null, path: null };
  for (const somebody of ['deployer', 'viewer', 'disabled'] as const) {
    const { account } = await life.create(act, {
      email: `${somebody}@example.com`,
      name: `A ${somebody}`,
      role: somebody === 'disabled' ? 'administrator' : somebody,
      password: PASSWORD,
    });
    secrets.set(somebody, await signIn({ parts }, somebody));
    if (somebody === 'disabled') await life.update(act, account.id, { enabled: false });
  }
  return secrets;
}

async function signIn(
  { parts }: Pick<RunningService, 'parts'>,
  somebody: string,
  password: string = PASSWORD,
): Promise<string> {
  const { secret } = await parts.accounts.signIn.withPassword({
    email: `${somebody}@example.com`,
    password,
    address: '127.0.0.1',
    path: 'POST /api/v1/session',
  });
  return secret;
}
