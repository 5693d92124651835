import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startFakeLicence } from '../../fakes/index.ts';
import type { AuditBody } from '../../src/api/contract/audit.ts';
import type { LicenceBody } from '../../src/api/contract/licence.ts';
import { DAY_MS } from '../../src/base/index.ts';
import { toSigner } from '../../src/ledger/index.ts';
import { issueCertificate, Licences, type LicenceWarning } from '../../src/licence/index.ts';
import { licenceStore, storedCeilings } from '../../src/store/cluster/licences.ts';
import { openShell } from '../accounts/cli.ts';
import { forEachEngine } from '../store/engines.ts';
import { run } from '../../src/store/sql/run.ts';
import { scratchDirectory, startRunning } from './running.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');

test('offline: a key, a request, a certificate, its activation and its end, each by the command line', async (t) => {
  const folder = scratchDirectory(t);
  const file = (name: string): string => join(folder, name);
  const { env, ipo } = openShell(t);
  const made = await ipo(['licence', 'keygen', '--name', 'acme', '--out', file('key.pem')]);
  assert.equal(made.code, 0, made.err);
  assert.equal(statSync(file('key.pem')).mode & 0o777, 0o600);
  assert.equal(
    (await ipo(['licence', 'keygen', '--out', file('key.pem')])).code,
    2,
    'no key is written over',
  );
  const publicKey = made.out.trim();
  let now = Date.now(); // the command line issues by the time of this machine
  const running = await startRunning(t, {
    clock: { now: () => now },
    env: { IPO_LICENCE_PUBLIC_KEYS: publicKey, IPO_CLUSTER_NAME: 'eu' },
  });
  Object.assign(env, { IPO_SERVER: running.url, IPO_TOKEN: running.secretOf('administrator') ?? '' });
  const read = async (): Promise<LicenceBody> =>
    JSON.parse((await ipo(['licence', 'show', '-o', 'json'])).out) as LicenceBody;
  assert.equal((await read()).state, 'none');
  assert.match((await ipo(['licence', 'show'])).out, /no certificate: there is no ceiling/);

  const ask = async (): Promise<void> =>
    assert.equal((await ipo(['licence', 'request', '--out', file('request.json')])).code, 0);
  const issue = (...more: readonly string[]) =>
    ipo([
      'licence',
      'issue',
      '--key',
      file('key.pem'),
      '--name',
      'acme',
      '--request',
      file('request.json'),
      '--customer',
      'Acme',
      '--out',
      file('licence.txt'),
      ...more,
    ]);
  await ask();
  const issued = await issue('--nodes', '10', '--image-names', '2');
  assert.equal(issued.code, 0, issued.err);
  assert.equal((await ipo(['licence', 'check', file('licence.txt'), '--server'])).code, 0);
  const active = await ipo(['licence', 'activate', file('licence.txt')]);
  assert.equal(active.code, 0, active.err);
  assert.match(active.out, /image names of \d{4}-\d\d +0 of 2\n/);
  const { ceiling, state, certificate } = await read();
  assert.deepEqual(
    [ceiling, state, certificate?.signed_by],
    [{ nodes: 10, image_names: 2, clusters: null }, 'active', 'acme'],
  );
  assert.deepEqual(await storedCeilings(running.service.store, 'eu').current(), { nodes: 10, imageNames: 2 });
  assert.deepEqual(await storedCeilings(running.service.store, 'us').current(), {
    nodes: null,
    imageNames: null,
  });

  await ask(); // the certificate answers the request before from now on
  const stale = await ipo(['licence', 'activate', file('licence.txt')]);
  assert.equal(stale.code, 2);
  assert.match(stale.err, /certificate answers another activation request/);
  const text = readFileSync(file('licence.txt'), 'utf8');
  writeFileSync(file('bad.txt'), text.replace('Acme', 'Acne'));
  assert.match(
    (await ipo(['licence', 'activate', file('bad.txt')])).err,
    /certificate is not signed by a key of licence\.publicKeys/,
  );
  const checked = await ipo(['licence', 'check', file('bad.txt'), '--public-key', publicKey]);
  assert.equal(checked.code, 1);
  assert.equal((await ipo(['licence', 'check', file('licence.txt'), '--cluster-id', 'other'])).code, 1);

  // A viewer sees it and changes nothing.
  Object.assign(env, { IPO_TOKEN: running.secretOf('viewer') ?? '' });
  assert.equal((await ipo(['licence', 'show'])).code, 0);
  assert.equal((await ipo(['licence', 'activate', file('licence.txt')])).code, 3);
  Object.assign(env, { IPO_TOKEN: running.secretOf('administrator') ?? '' });

  // It runs out: its ceilings stay, what is used is still shown, and only a new one can be activated.
  now = Date.now();
  await issue('--days', '1', '--nodes', '3');
  now = Date.now();
  assert.equal((await ipo(['licence', 'activate', file('licence.txt')])).code, 0);
  assert.match((await ipo(['licence', 'show'])).out, /! the certificate ends in 1 day\n/);
  now += 2 * DAY_MS;
  await running.signIn('administrator');
  Object.assign(env, { IPO_TOKEN: running.secretOf('administrator') ?? '' });
  const ended = await read();
  assert.deepEqual([ended.state, ended.ceiling.nodes], ['expired', 3]);
  assert.match(ended.warnings.join(), /ran out; its ceilings stay, and nothing stops/);
  assert.match((await ipo(['licence', 'activate', file('licence.txt')])).err, /certificate expired at 20/);
  assert.equal((await ipo(['licence', 'deactivate', '--yes'])).code, 0);
  assert.deepEqual([(await read()).state, (await read()).ceiling.nodes], ['none', null]);
  assert.equal((await ipo(['licence', 'deactivate', '--yes'])).code, 1);
  assert.equal((await ipo(['licence', 'activate'])).code, 3, 'no licence service is set up');
  const { body } = await running.as('administrator').json<AuditBody>('GET /audit');
  const actions = body.items.map(({ action }) => action).filter((action) => action.startsWith('licence_'));
  assert.deepEqual(actions, [
    'licence_deactivate',
    'licence_activate',
    'licence_request',
    'licence_activate',
    'licence_request',
  ]);
  const nodes = await ipo(['system', 'nodes']);
  assert.deepEqual([nodes.code, nodes.out], [0, 'No cluster was counted yet.\n']);
  assert.ok(existsSync(file('licence.txt')));
});

test('online: one check at once, asked again by hand; what the licence service answers wrongly changes nothing', async (t) => {
  const fake = await startFakeLicence({ now: () => NOW });
  t.after(() => fake.close());
  const running = await startRunning(t, {
    clock: { now: () => NOW },
    env: { IPO_LICENCE_PUBLIC_KEYS: fake.publicKey, IPO_LICENCE_URL: fake.url, IPO_LICENCE_KEY: fake.key },
  });
  const client = running.as('administrator');
  const check = async (): Promise<LicenceBody> =>
    (await client.json<LicenceBody>('POST /system/licence/check')).body;
  const first = await check();
  assert.deepEqual([first.state, first.ceiling.nodes, first.online], ['active', 10, true]);
  const wrong: readonly (readonly [set: () => void, why: RegExp])[] = [
    [() => (fake.fault = 503), /answers 503: as it was told to/],
    [() => (fake.fault = 302), /redirects are not followed/],
    [() => (fake.fault = 'hello'), /this is not a licence certificate/],
    [() => (fake.fault = 'x'.repeat(100_000)), /more than any certificate has/],
    [
      () => ((fake.fault = null), (fake.change = (body) => ({ ...body, cluster_id: 'other' }))),
      /certificate is for cluster other/,
    ],
    [() => (fake.change = (body) => ({ ...body, key_id: 'k' })), /certificate is for another licence key/],
    [
      () => (fake.change = (body) => ({ ...body, request_id: 'aaaaaaaa' })),
      /certificate answers another activation request/,
    ],
    [
      () => (fake.change = (body) => ({ ...body, ceiling: { image_names: 1, clusters: 1 } })),
      /re-activate with a key issued by licence service 1\.3\.0 or later/,
    ],
    [
      () => (fake.change = (body) => ({ ...body, not_after: '2026-01-01T00:00:00Z' })),
      /certificate expired at 2026-01-01T00:00:00Z/,
    ],
  ];
  for (const [set, why] of wrong) {
    set();
    await assert.rejects(check(), why);
    const { body } = await client.json<LicenceBody>('GET /system/licence');
    assert.deepEqual([body.state, body.ceiling.nodes], ['active', 10]);
    assert.match(body.last_error ?? '', why);
  }
  fake.change = (body) => body;
  fake.ceiling = { nodes: 4, image_names: null, clusters: null };
  assert.deepEqual([(await check()).ceiling.nodes, (await check()).last_error], [4, null]);
  assert.ok(!running.log.join('\n').includes(fake.key), 'the key stands in no line of the log');
});

forEachEngine('the licences of a database', (engine) => {
  test('of replicas that ask for the check of a day at once, one gets it', async (t) => {
    const store = licenceStore(await engine.open(t));
    const take = (last: number | null, at: number) =>
      Promise.all(Array.from({ length: 5 }, () => store.takeCheck('eu', 'uid', last, at)));
    assert.equal((await take(null, NOW)).filter(Boolean).length, 1);
    assert.equal((await take(NOW, NOW + DAY_MS)).filter(Boolean).length, 1);
    assert.deepEqual(await take(NOW, NOW + 2 * DAY_MS), [false, false, false, false, false]);
    assert.equal(
      await store.takeCheck('us', 'uid-2', null, NOW),
      true,
      'another cluster has checks of its own',
    );
    assert.equal(await store.deactivate('eu'), false);
  });

  test('a clock that is set back makes no certificate good again: the ledger has signed a later time', async (t) => {
    const database = await engine.open(t);
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const signer = toSigner('acme', pem);
    const warned: LicenceWarning[] = [];
    const licences = new Licences({
      ...{ cluster: 'eu', clusterId: async () => 'uid', installationId: 'i', store: licenceStore(database) },
      ...{ keys: [signer], keyId: null, service: null, audit: { record: async () => {} } },
      together: (act) => act(),
      warn: async (warning) => void warned.push(warning),
      ...{ clock: { now: () => NOW }, log: { debug() {}, info() {}, warn() {}, error() {} } },
    });
    const certificate = (not_after: string): string =>
      issueCertificate(
        {
          ...{
            id: 'c',
            customer: 'Acme',
            key_id: 'k',
            cluster_id: 'uid',
            issued_at: '2026-11-01T00:00:00Z',
            not_after,
          },
          ceiling: { nodes: 1, image_names: null, clusters: 0 },
        },
        signer,
      );
    assert.equal(
      (await licences.activate(certificate('2026-11-25T00:00:00Z'), null, 'test')).state,
      'active',
    );
    const { signal } = new AbortController();
    await licences.run(signal);
    assert.deepEqual(
      warned.map(({ step, daysLeft }) => [step, daysLeft]),
      [[7, 5]],
    );
    const later = NOW + 10 * DAY_MS;
    await database.write((transaction) =>
      run(
        transaction,
        sql`insert into checkpoints (size, root, note, at) values (1, ${Buffer.alloc(32)}, ${'n'}, ${later})`,
      ),
    );
    assert.equal((await licences.view()).state, 'expired');
    await assert.rejects(
      licences.activate(certificate('2026-11-26T00:00:00Z'), null, 'test'),
      /certificate expired at/,
    );
    await licences.run(signal);
    assert.equal(warned.length, 1, 'what has ended is not warned of any more');
    assert.deepEqual(await storedCeilings(database, 'eu').current(), { nodes: 1, imageNames: null });
  });
});
