import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse, stringify } from 'yaml';
import { openFakeCluster, type FakeCluster } from './fake-cluster.ts';
import { CHART, helm, withHelm } from './helm.ts';

let cluster: FakeCluster;
/** The chart as an earlier one may have been: without most of the values that there are now. */
let earlier = '';

before(async () => {
  cluster = await openFakeCluster();
  earlier = await mkdtemp(join(tmpdir(), 'ipo-chart-'));
  await cp(CHART, earlier, { recursive: true });
  const { clusterName, replicaCount, image } = parse(await readFile(join(CHART, 'values.yaml'), 'utf8'));
  await writeFile(join(earlier, 'values.yaml'), stringify({ clusterName, replicaCount, image }));
});
after(async () => {
  await cluster.close();
  await rm(earlier, { recursive: true });
});

const run = (...args: readonly string[]) =>
  helm([...args, '--namespace', 'ipo-system'], { kubeconfig: cluster.kubeconfig });
const upgrade = (...args: readonly string[]) =>
  run('upgrade', 'prod', CHART, '--disable-openapi-validation', ...args);
const secret = (name: string) => cluster.object('Secret', name)?.['data'];

test('an install makes the keys, upgrades keep them, and an uninstall leaves them', withHelm, async () => {
  const installed = await run(
    ...['install', 'prod', earlier, '--disable-openapi-validation', '--set', 'clusterName=prod-eu1'],
  );
  assert.match(installed, /helm --namespace ipo-system test prod/);
  const dataKey = secret('prod-data-key').DATA_KEY;
  const sealing = Buffer.from(dataKey, 'base64').toString();
  assert.equal(Buffer.from(sealing, 'base64').length, 32);
  const ledgerKey = secret('prod-ledger-key')['ledger-key.pem'];
  assert.equal(createPrivateKey(Buffer.from(ledgerKey, 'base64')).asymmetricKeyType, 'ed25519');

  // From the values of the earlier chart, which lack most of what the templates of this one ask for.
  await upgrade('--reuse-values');
  const config = cluster.object('ConfigMap', 'prod-image-policy-operator')?.['data']['config.yaml'];
  assert.equal(parse(config).clusterName, 'prod-eu1');
  assert.equal(parse(config).reconcile.interval, '1h');
  const many = await upgrade(
    ...['--reuse-values', '--set', 'database.existingSecret=pg,database.startEmpty=true'],
  );
  assert.doesNotMatch(many, /clusterName is empty/);
  const unnamed = await upgrade('--reuse-values', '--set', 'database.existingSecret=pg,clusterName=');
  assert.match(unnamed, /clusterName is empty\. Set it before a second cluster uses this database/);
  await upgrade('--reuse-values', '--set', 'rbac.allowEnforce=true');
  assert.ok(cluster.object('ClusterRole', 'prod-image-policy-operator-enforce.ipo-system'));
  await upgrade('--reset-values', '--set', 'database.startEmpty=true');
  assert.equal(secret('prod-data-key').DATA_KEY, dataKey);
  assert.equal(secret('prod-ledger-key')['ledger-key.pem'], ledgerKey);
  const evidenceKey = secret('prod-evidence-key')['evidence-key.pem'];
  assert.deepEqual(createPrivateKey(Buffer.from(evidenceKey, 'base64')).asymmetricKeyDetails, {
    namedCurve: 'prime256v1',
  });

  await run('uninstall', 'prod');
  assert.deepEqual([...new Set(cluster.kinds())].toSorted(), [
    'ConfigMap',
    'CustomResourceDefinition',
    'Secret',
  ]);
  assert.ok(cluster.object('ConfigMap', 'prod-checkpoint'));

  await run('install', 'prod', CHART, '--disable-openapi-validation');
  assert.equal(secret('prod-data-key').DATA_KEY, dataKey);
  assert.equal(secret('prod-ledger-key')['ledger-key.pem'], ledgerKey);
  assert.equal(secret('prod-evidence-key')['evidence-key.pem'], evidenceKey);
});

test(
  'an upgrade to a database that does not have the ledger is refused before a pod is replaced',
  withHelm,
  async () => {
    const own = await openFakeCluster();
    const ask = (...args: readonly string[]): Promise<string> =>
      helm([...args, '--namespace', 'ipo-system', '--disable-openapi-validation'], {
        kubeconfig: own.kubeconfig,
      });
    const config = (): { database?: object } =>
      parse(own.object('ConfigMap', 'prod-image-policy-operator')?.['data']['config.yaml']) as object;
    try {
      await ask('install', 'prod', CHART);
      const values = (...set: readonly string[]): string[] => [
        'upgrade',
        'prod',
        CHART,
        '--set',
        set.join(','),
      ];
      const [postgres, empty] = ['database.existingSecret=pg', 'database.startEmpty=true'];
      await assert.rejects(
        ask(...values(postgres, 'replicaCount=3')),
        /keeps its ledger and accounts in SQLite, and PostgreSQL does not have them: .*database\.startEmpty=true/,
      );
      assert.deepEqual(config().database, { startEmpty: false }, 'nothing was changed');
      const notes = await ask(...values(postgres, empty));
      assert.match(
        notes,
        /database\.startEmpty is true: .* Take it out of your values once the service runs/,
      );
      assert.deepEqual(config().database, { startEmpty: true, poolSize: 10 });
      assert.doesNotMatch(await ask(...values(postgres)), /startEmpty/);
      await assert.rejects(
        ask('upgrade', 'prod', CHART, '--reset-values'),
        /keeps its ledger and accounts in PostgreSQL, and SQLite does not have them/,
      );
      await ask('upgrade', 'prod', CHART, '--reset-values', '--set', empty);
    } finally {
      await own.close();
    }
  },
);

test('keys of one’s own are named, and none is made', withHelm, async () => {
  const folder = await openFakeCluster();
  try {
    await helm(
      [
        ...['install', 'prod', CHART, '--disable-openapi-validation', '--namespace', 'ipo-system'],
        ...['--set', 'api.dataKey.existingSecret=mine,ledger.existingSecret=mine-too'],
      ],
      { kubeconfig: folder.kubeconfig },
    );
    assert.equal(folder.object('Secret', 'prod-data-key'), undefined);
    const installed = folder.object('StatefulSet', 'prod-image-policy-operator') ?? assert.fail();
    const { spec } = installed['spec'].template;
    const [container] = spec.containers;
    const found = container.env.find(({ name }: { name: string }) => name === 'DATA_KEY');
    assert.deepEqual(found.valueFrom.secretKeyRef, { name: 'mine', key: 'DATA_KEY' });
    const volume = spec.volumes.find(({ name }: { name: string }) => name === 'ledger-key');
    assert.equal(volume.secret.secretName, 'mine-too');
  } finally {
    await folder.close();
  }
});
