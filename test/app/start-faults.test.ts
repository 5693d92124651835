import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { loadConfig } from '../../src/app/config/config.ts';
import { asksNobody } from '../../src/app/running/offline.ts';
import type { RunningService } from '../../src/app/start/running-service.ts';
import { startService } from '../../src/app/start/service.ts';
import { Appender } from '../../src/ledger/index.ts';
import { openMetrics, Redactor } from '../../src/telemetry/index.ts';
import { keptLog } from '../api/service.ts';
import { makeCertificate, withoutOpenssl } from './certificate.ts';
import { oneRow } from './one-row.ts';
import { scratchDirectory } from './running.ts';

async function start(t: TestContext, env: Record<string, string>): Promise<RunningService> {
  const { settings } = await loadConfig({
    file: null,
    env: { IPO_LISTEN: '127.0.0.1:0', ...asksNobody(), ...env },
  });
  const service = await startService({
    settings,
    version: '0',
    log: keptLog(),
    metrics: openMetrics(),
    redactor: new Redactor(),
  });
  t.after(() => service.close(0));
  return service;
}

test('the first start makes everything, readable only by its owner', async (t) => {
  const data = join(scratchDirectory(t), 'below', 'ipo');
  const service = await start(t, { IPO_DATA: data });
  assert.match(service.setupCode ?? '', /^([a-z2-7]{5}-){4}[a-z2-7]{5}$/);
  assert.equal(statSync(data).mode & 0o777, 0o700);
  for (const name of ['ipo.db', 'ledger-key.pem'])
    assert.equal(statSync(join(data, name)).mode & 0o077, 0, name);
});

test('a data directory that cannot be made is named, and the start ends', async (t) => {
  await assert.rejects(start(t, { IPO_DATA: '/proc/x/ipo' }), {
    code: 'unwritable',
    message: 'the directory /proc/x/ipo cannot be made: its file system does not allow new directories',
    hint: 'Choose another directory with --data or the setting data',
  });
});

test('a start that fails behind its spool closes what appends to the ledger', async (t) => {
  const data = scratchDirectory(t);
  mkdirSync(join(data, 'spool', 'replica.json'), { recursive: true });
  const close = t.mock.method(Appender.prototype, 'close');
  await assert.rejects(start(t, { IPO_DATA: data }), /the name of this replica cannot be kept/);
  assert.equal(close.mock.callCount(), 2, 'that of the service, and that of the webhook');
});

test('outside of a cluster policies are kept in the database, written in one act with all else of an import', async (t) => {
  const service = await start(t, { IPO_DATA: scratchDirectory(t) });
  assert.equal(service.parts.inCluster, false);
});

test('a port of the webhook that is taken is said, and nothing goes on listening', async (t) => {
  const listening = async (): Promise<{ port: number; close: () => Promise<void> }> => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
    return { port: (server.address() as AddressInfo).port, close };
  };
  const [taken, api] = await Promise.all([listening(), listening()]);
  t.after(() => taken.close());
  await api.close();
  const env = {
    IPO_DATA: scratchDirectory(t),
    IPO_LISTEN: `127.0.0.1:${api.port}`,
    IPO_WEBHOOK_CERTIFICATES_SOURCE: 'files',
    IPO_WEBHOOK_CERTIFICATES_CERT_FILE: '/none/tls.crt',
    IPO_WEBHOOK_CERTIFICATES_KEY_FILE: '/none/tls.key',
  };
  await assert.rejects(start(t, { ...env, IPO_WEBHOOK_LISTEN: `127.0.0.1:${taken.port}` }), {
    code: 'port_taken',
    hint: 'Stop that program, or use another address: webhook.listen in the configuration',
  });
  await assert.rejects(fetch(`http://127.0.0.1:${api.port}/healthz`));
  await start(t, { ...env, IPO_WEBHOOK_LISTEN: '127.0.0.1:0' });
});

test('a port that is taken is said, and what was open is closed again', async (t) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.after(() => other.close());
  const { port } = other.address() as { port: number };
  const data = scratchDirectory(t);
  await assert.rejects(start(t, { IPO_DATA: data, IPO_LISTEN: `127.0.0.1:${port}` }), {
    code: 'port_taken',
    message: `127.0.0.1:${port} is taken by another program`,
  });
  await start(t, { IPO_DATA: data });
  await assert.rejects(
    start(t, {
      IPO_DATA: scratchDirectory(t),
      IPO_LISTEN: '192.0.2.1:8080',
      IPO_PUBLIC_URL: 'https://x.example',
    }),
    {
      code: 'port_taken',
      message: '192.0.2.1 is not an address of this machine',
    },
  );
});

test('two services never work on one directory', async (t) => {
  const data = scratchDirectory(t);
  const first = await start(t, { IPO_DATA: data });
  await assert.rejects(start(t, { IPO_DATA: data }), {
    code: 'unavailable',
    message: /another service works on this directory/,
  });
  await first.close(0);
  await start(t, { IPO_DATA: data });
});

test('a place that cannot be worked in is said', async (t) => {
  const file = join(scratchDirectory(t), 'file');
  writeFileSync(file, '');
  await assert.rejects(start(t, { IPO_DATA: file }), { code: 'unwritable', message: /is a file/ });
  await assert.rejects(start(t, { IPO_DATA: join(file, 'below') }), {
    code: 'unwritable',
    message: /is a file, or is below one/,
  });
});

test('once something is signed, the key must be there, and be the one that signed', async (t) => {
  const data = scratchDirectory(t);
  const key = join(data, 'ledger-key.pem');
  const first = await start(t, { IPO_DATA: data });
  await first.close(0);
  renameSync(key, `${key}.first`);
  const second = await start(t, { IPO_DATA: data });
  assert.ok(existsSync(key), 'nothing was signed, so another key does no harm');
  await second.append.append(oneRow('6f7b8c1e-0000-4000-8000-000000000001'));
  await second.close(0);
  renameSync(key, `${key}.second`);
  await assert.rejects(start(t, { IPO_DATA: data }), { code: 'key_missing', message: /is not there/ });
  copyFileSync(`${key}.first`, key);
  await assert.rejects(start(t, { IPO_DATA: data }), {
    code: 'key_missing',
    message: /is not the one of the ledger's checkpoints/,
  });
  renameSync(`${key}.second`, key);
  const third = await start(t, { IPO_DATA: data });
  assert.equal((await third.parts.tree.newestCheckpoint())?.size, 1, 'signed on shutdown');
  await third.close(0);
  await assert.rejects(start(t, { IPO_DATA: data, IPO_LEDGER_ORIGIN: 'another.example/log' }), {
    code: 'key_missing',
  });
});

test('the key of evidence may be another one until a package was signed, and must be there from then on', async (t) => {
  const data = scratchDirectory(t);
  const key = join(data, 'evidence-key.pem');
  await (await start(t, { IPO_DATA: data })).close(0);
  renameSync(key, `${key}.first`);
  const second = await start(t, { IPO_DATA: data });
  assert.ok(existsSync(key), 'nothing was signed, so another key does no harm');
  await second.store.write((transaction) =>
    sql`insert into evidence_packages (id, created_at, account_id, period_from, period_to, request, state)
      values ('a', 1, 'a', 0, 1, '{}', 'done')`.execute(transaction),
  );
  await second.close(0);
  renameSync(key, `${key}.second`);
  await assert.rejects(start(t, { IPO_DATA: data }), {
    code: 'key_missing',
    message: /the key that signed evidence packages is not there/,
  });
  renameSync(`${key}.second`, key);
  await (await start(t, { IPO_DATA: data })).close(0);
});

test('a key that is none is said', async (t) => {
  const data = scratchDirectory(t);
  writeFileSync(join(data, 'ledger-key.pem'), 'nonsense', { mode: 0o600 });
  await assert.rejects(
    start(t, { IPO_DATA: data }),
    (error: Error) => 'code' in error && !/nonsense/.test(error.message),
  );
});

test('a database of a later release is refused and left as it is', async (t) => {
  const data = scratchDirectory(t);
  const first = await start(t, { IPO_DATA: data });
  await first.store.write((transaction) =>
    sql`insert into migrations (name, release, applied_at) values ('0099-later', '9.9.9', 0)`.execute(
      transaction,
    ),
  );
  await first.close(0);
  await assert.rejects(start(t, { IPO_DATA: data }), { code: 'migration' });
});

test('a database that does not answer, or is none, is said without its password', async (t) => {
  const data = scratchDirectory(t);
  const url = 'postgres://ipo:canary-password@127.0.0.1:1/ipo';
  await assert.rejects(
    start(t, { IPO_DATA: data, IPO_DATABASE_URL: url }),
    (error: Error & { code?: string }) => {
      assert.equal(error.code, 'unavailable');
      assert.doesNotMatch(error.message, /canary/);
      return true;
    },
  );
  mkdirSync(join(data, 'x'));
  writeFileSync(
    join(data, 'x', 'ipo.db'),
    'this is no database, and long enough to be read as the head of one'.repeat(20),
  );
  await assert.rejects(start(t, { IPO_DATA: join(data, 'x') }), { code: 'damaged' });
});

test(
  'certificate and key must be there, be such, and belong together',
  { skip: withoutOpenssl },
  async (t) => {
    const data = scratchDirectory(t);
    const [one, two] = [makeCertificate(data, 'one'), makeCertificate(data, 'two')];
    const tls = (cert: string, key: string) => ({
      IPO_DATA: join(data, 'ipo'),
      IPO_TLS_CERT_FILE: cert,
      IPO_TLS_KEY_FILE: key,
    });
    await assert.rejects(start(t, tls(join(data, 'none'), one.key)), { code: 'unreadable' });
    await assert.rejects(start(t, tls(one.key, one.key)), {
      code: 'invalid_config',
      message: /not a certificate/,
    });
    await assert.rejects(start(t, tls(one.cert, one.cert)), {
      code: 'invalid_config',
      message: /not a usable private key/,
    });
    await assert.rejects(start(t, tls(one.cert, two.key)), {
      code: 'invalid_config',
      message: /is not the key of the certificate/,
    });
    const service = await start(t, tls(one.cert, one.key));
    assert.match(service.url, /^https:\/\/127\.0\.0\.1:/);
  },
);
