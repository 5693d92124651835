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
  assert.equal(settings.kev.source, 'file:///etc/kev/kev.json.gz');
  assert.equal(settings.database.poolSize, 20);
  assert.equal(settings.publicUrl, 'https://ipo.example.com');
  assert.deepEqual(settings.oidc?.roles, {
    claim: 'groups',
    values: { 'platform-admins': 'administrator' },
    standard: 'viewer',
  });
  assert.deepEqual(settings.trackers.allowedHosts, ['*.example.com']);
  assert.equal(settings.whatif.timeLimit, 60_000);
  assert.deepEqual(settings.ledger.anchors, [
    { kind: 'configMap', name: 'prod-checkpoint', namespace: 'ipo-system' },
  ]);
});
