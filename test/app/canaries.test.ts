import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openServiceClient, type ServiceClient } from '../../src/adapters/service/index.ts';
import { listSettings } from '../../src/app/config/list.ts';
import { forEachEngine } from '../store/engines.ts';
import { oneRow } from './one-row.ts';
import { PASSWORD, startRunning } from './running.ts';

/** A secret for each setting that is one; the list of settings says which there are. */
const CANARIES: Readonly<Record<string, string>> = {
  'oidc.clientSecret': 'canary/oidc+secret="äö"',
  'admin.password': 'canary-admin-plover-71',
  dataKey: Buffer.from('canary-data-key/\u00ff\u00feof-32\u0001 bytes').toString('base64'),
  'scanner.serverToken': 'canary-scanner-token',
  'ledger.anchors': 'canary.anchor.token',
  'database.url': 'canary%2Fdatabase%2Fpassword',
  'outbound.proxy': 'canary%2Fproxy%2Fpassword',
  'licence.key': 'canary-licence-key-0123456789',
};

forEachEngine('no secret leaves the service', (engine) => {
  test('in its log, its answers, its metrics, its description or its store', async (t) => {
    const database = new URL((await engine.migrated()).replace(/^sqlite:/, 'file:'));
    if (engine.name === 'postgres') database.password = CANARIES['database.url'] ?? '';
    const { url, as, secretOf, log, data, service } = await startRunning(t, {
      admin: { email: 'administrator@example.com', password: CANARIES['admin.password'] ?? '' },
      env: {
        IPO_DATABASE_URL: engine.name === 'postgres' ? database.href : `sqlite:${database.pathname}`,
        IPO_PUBLIC_URL: 'https://ipo.example.com',
        IPO_OIDC_ISSUER: 'http://127.0.0.1:1/realm',
        IPO_OIDC_CLIENT_ID: 'ipo',
        IPO_OIDC_CLIENT_SECRET: CANARIES['oidc.clientSecret'] ?? '',
        IPO_OUTBOUND_PROXY: `http://ipo:${CANARIES['outbound.proxy']}@127.0.0.1:1`,
        IPO_LICENCE_URL: 'https://licences.proxied.test',
        IPO_LICENCE_KEY: CANARIES['licence.key'] ?? '',
        IPO_KEV_SOURCE: 'https://feeds.proxied.test/kev.json',
        DATA_KEY: CANARIES['dataKey'] ?? '',
        IPO_SCANNER_SERVER: 'http://127.0.0.1:1',
        IPO_SCANNER_SERVER_TOKEN: CANARIES['scanner.serverToken'] ?? '',
        IPO_LEDGER_ANCHORS: JSON.stringify([
          { kind: 'http', url: 'https://127.0.0.1:1/checkpoint', token: CANARIES['ledger.anchors'] },
        ]),
      },
    });
    const settings = listSettings();
    assert.deepEqual(
      settings
        .filter(({ isSecret }) => isSecret)
        .map(({ path }) => path)
        .toSorted(),
      Object.keys(CANARIES)
        .filter((path) => path !== 'ledger.anchors')
        .toSorted(),
      'every secret setting has its canary',
    );

    const answers: string[] = [];
    const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
      const answer = await fetch(`${url}${path}`, { redirect: 'manual', ...init });
      const text = await answer.clone().text();
      answers.push(text, JSON.stringify([...answer.headers].filter(([name]) => name !== 'set-cookie')));
      return answer;
    };
    const post = (path: string, body: unknown, token: string | null = null): Promise<Response> =>
      call(path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token !== null && { authorization: `Bearer ${token}` }),
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    const secrets = [
      ...Object.values(CANARIES),
      'canary/database/password',
      'canary/proxy/password',
      btoa('ipo:canary/proxy/password'),
      PASSWORD,
      'canary-wrong-password',
    ];
    for (const somebody of ['administrator', 'deployer', 'viewer', 'disabled'] as const) {
      const secret = secretOf(somebody);
      assert.ok(secret);
      secrets.push(secret);
      for (const path of [
        '/session',
        '/policies',
        '/accounts',
        '/tokens',
        '/audit',
        '/audit.csv',
        '/system/health',
        '/nothing',
      ])
        await call(`/api/v1${path}`, { headers: { authorization: `Bearer ${secret}` } });
      await call('/api/v1/policies', { headers: { cookie: `__Host-ipo_session=${secret}` } });
    }
    await post('/api/v1/session', { email: 'viewer@example.com', password: 'canary-wrong-password' });
    await post('/api/v1/session', '{"email":"viewer@example.com","password":"canary-wrong-password');
    await post('/api/v1/session', {
      email: 'viewer@example.com',
      password: 'canary-wrong-password',
      more: 1,
    });
    await call('/api/v1/session/oidc');
    await call('/api/v1/session/oidc/callback?code=canary-wrong-password&state=x');
    await call('/metrics');
    await call('/readyz');
    await call('/api/v1/openapi.json');
    const made = await tokenOf(as('administrator'));
    secrets.push(made);
    const pipeline = openServiceClient({ server: url, token: made });
    await pipeline.json('GET /policies');
    await pipeline.close();
    await service.append.append(oneRow('6f7b8c1e-0000-4000-8000-00000000000b'));
    await service.checkpoint();
    assert.match(log.join(''), /An anchor could not be told/, 'the anchor was tried');
    assert.match(log.join(''), /the proxy 127\.0\.0\.1:1 refuses connections/, 'the proxy was tried');
    await service.close(0);

    const kept = readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'service.lock')
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    const stored = engine.name === 'sqlite' ? [readFileSync(database.pathname, 'latin1')] : [];
    for (const [name, texts] of Object.entries({ log, answers, kept, stored })) {
      const text = texts.join('\n');
      assert.ok(name === 'stored' || text.length > 0, name);
      for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} stands in: ${name}`);
    }
  });
});

async function tokenOf(client: ServiceClient): Promise<string> {
  const { body } = await client.json<{ secret?: string; token?: string }>('POST /tokens', {
    body: { name: 'pipeline' },
  });
  const secret = [body.secret, body.token].find(
    (text) => typeof text === 'string' && text.startsWith('ipo_'),
  );
  assert.ok(secret);
  return secret;
}
