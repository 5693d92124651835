import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../../src/app/index.ts';
import { EVERYTHING, GIVEN } from './every-value.ts';
import { find, render, withHelm } from './helm.ts';

/** What Secrets of the cluster would give the container. */
const SECRET: Readonly<Record<string, string>> = {
  IPO_LICENCE_KEY: 'licence-key',
  DATA_KEY: randomBytes(32).toString('base64'),
  IPO_DATABASE_URL: 'postgres://ipo@db.example.com/ipo',
  IPO_ADMIN_EMAIL: 'admin@example.com',
  IPO_ADMIN_PASSWORD: randomBytes(12).toString('hex'),
  IPO_OIDC_CLIENT_SECRET: 'secret',
};

async function load(values: Readonly<Record<string, unknown>>) {
  const objects = await render(values);
  const [container] = find(objects, 'StatefulSet')['spec'].template.spec.containers;
  const env = Object.fromEntries(
    container.env.map(({ name, value }: { name: string; value?: string }) => [
      name,
      value ?? SECRET[name] ?? '',
    ]),
  );
  const folder = await mkdtemp(join(tmpdir(), 'ipo-chart-config-'));
  try {
    const file = join(folder, 'config.yaml');
    await writeFile(file, find(objects, 'ConfigMap', 'operator')['data']['config.yaml']);
    return await loadConfig({ file, env });
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('the program takes the settings that the chart writes, and warns of nothing', withHelm, async () => {
  for (const values of [{}, EVERYTHING, { ...GIVEN, fullnameOverride: 'gate-operator' }]) {
    assert.deepEqual((await load(values)).warnings, []);
  }
});

test('a value of the chart becomes the setting of the same name', withHelm, async () => {
  const { settings } = await load(EVERYTHING);
  assert.equal(settings.clusterName, 'prod-eu1');
  assert.equal(settings.webhook.coldImagePolicy, 'DenyUntilScanned');
  assert.deepEqual([settings.listen, settings.webhook.listen], ['0.0.0.0:18080', '0.0.0.0:18443']);
  assert.deepEqual(settings.webhook.namespaceSelector.matchLabels, { 'example.com/reviewed': 'true' });
  assert.deepEqual(settings.webhook.namespaceSelector.matchExpressions, [
    { key: 'example.com/tier', operator: 'NotIn', values: ['sandbox'] },
  ]);
  assert.equal(settings.kev.source, 'file:///etc/kev/kev.json.gz');
  assert.equal(settings.endOfLife.source, 'file:///etc/end-of-life/releases.json');
  const { kind, server, atOnce, timeout, platform, memory, rescanAfter, update } = settings.scanner;
  assert.deepEqual(
    [kind, server, atOnce, timeout, platform, memory, rescanAfter, update],
    ['off', 'http://trivy.security.svc:4954', 4, 480_000, 'linux/arm64', 1024, 43_200_000, false],
  );
  assert.equal(settings.scanner.databaseRepository, 'registry.example.com/trivy-db:2');
  assert.equal(settings.scanner.javaDatabaseRepository, 'registry.example.com/trivy-java-db:1');
  const { tags, proofs, podSecrets, dockerConfigFile, caFile, hosts } = settings.registries;
  assert.deepEqual([tags, proofs, podSecrets], ['ignore', 'ignore', true]);
  assert.deepEqual(
    [dockerConfigFile, caFile],
    ['/etc/ipo/registry/.dockerconfigjson', '/etc/ipo/registry-ca/ca.crt'],
  );
  assert.deepEqual(hosts[0]?.mirrors, ['mirror.example.com/hub']);
  assert.equal(settings.sigstore.trustRoot, 'file:///etc/sigstore/trusted_root.json');
  assert.equal(settings.sigstore.keyedLog, 'required');
  assert.equal(settings.vex.sources[0]?.bundle, 'https://vex.example.com/acme.bundle');
  assert.deepEqual([settings.database.poolSize, settings.database.startEmpty], [20, true]);
  const { retentionDays, frameworks, organisation, contact, keyFile } = settings.evidence;
  assert.deepEqual([retentionDays, frameworks, organisation], [800, ['soc2'], 'Example Shop']);
  assert.equal(settings.evidence.timestampUrl, 'https://tsa.example.com/tsr');
  assert.deepEqual([contact, keyFile], ['audit@example.com', '/etc/ipo/evidence-key/evidence-key.pem']);
  assert.deepEqual(settings.runtime, { retentionDays: 30, maxStops: 4 });
  assert.deepEqual(settings.backup, {
    ...{ schedule: 43_200_000, directory: '/var/backups/ipo', keep: 14 },
    registry: 'registry.example.com/backups/ipo',
  });
  const { publicKeys, url, key } = settings.licence;
  assert.deepEqual([publicKeys.length, url, key !== undefined], [1, 'https://licences.example.com', true]);
  assert.equal(settings.publicUrl, 'https://ipo.example.com');
  assert.deepEqual(settings.oidc?.roles, {
    claim: 'groups',
    values: { 'platform-admins': 'administrator' },
    standard: 'viewer',
  });
  assert.deepEqual(settings.trackers.allowedHosts, ['*.example.com']);
  const { proxy, noProxy, caFile: outboundCa } = settings.outbound;
  assert.equal(proxy?.reveal(), 'http://proxy.example.com:3128');
  assert.deepEqual(noProxy, ['.example.com', '10.0.0.0/8']);
  assert.equal(outboundCa, '/etc/ipo/outbound-ca/ca.crt');
  assert.equal(settings.whatif.timeLimit, 60_000);
  assert.deepEqual(settings.ledger.anchors, [
    { kind: 'configMap', name: 'prod-checkpoint', namespace: 'ipo-system' },
  ]);
});
