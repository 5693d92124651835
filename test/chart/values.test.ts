import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { dashboardJson } from '../../scripts/chart/dashboard.ts';
import {
  chartDefaults,
  chartPaths,
  defaultsYaml,
  valuesSchema,
  valuesYaml,
} from '../../scripts/chart/pages.ts';
import { chartValues } from '../../scripts/chart/values.ts';
import { chartReadme } from '../../scripts/chart/write.ts';
import { CHART } from './helm.ts';
import { EVERYTHING, GIVEN } from './every-value.ts';

const file = (name: string): string => readFileSync(join(CHART, name), 'utf8');

test('what is made from the values stands in the chart as it would be made now', () => {
  assert.equal(file('values.yaml'), valuesYaml());
  assert.equal(file('values.schema.json'), valuesSchema());
  assert.equal(file('files/defaults.yaml'), defaultsYaml());
  assert.equal(file('files/dashboard.json'), dashboardJson());
  assert.equal(file('README.md'), chartReadme());
});

test('values.yaml is the defaults, and so is what the templates fall back to', () => {
  assert.deepEqual(parse(file('values.yaml')), chartDefaults());
  assert.deepEqual(parse(file('files/defaults.yaml')), chartDefaults());
});

test('the chart has every value that operators of earlier releases set', () => {
  const paths = new Set(chartPaths().map(({ path }) => path));
  const named = [
    'api.dataKey.existingSecret',
    'clusterName',
    'image.tag',
    'integrations.detector.connection',
    'integrations.detector.enabled',
    'integrations.detector.existingSecret',
    'integrations.detector.minPriority',
    'integrations.port',
    'kev.existingConfigMap',
    'kev.source',
    'nodes.graceDays',
    'nodes.pollInterval',
    'rbac.allowEnforce',
    'reconcile.interval',
    'runtime.retentionDays',
    'webhook.coldImagePolicy',
    'webhook.failurePolicy',
  ];
  assert.deepEqual(
    named.filter((path) => !paths.has(path)),
    [],
  );
});

test('the defaults are those of earlier releases', () => {
  const values = chartDefaults() as Record<string, Record<string, unknown>>;
  assert.equal(values['integrations']?.['port'], 8444);
  assert.deepEqual(values['integrations']?.['detector'], {
    enabled: false,
    connection: 'mtls',
    names: [],
    existingSecret: '',
    minPriority: '',
  });
  assert.deepEqual(values['nodes'], { pollInterval: '5m', graceDays: 14 });
  assert.deepEqual(values['reconcile'], { interval: '1h' });
  assert.deepEqual(values['runtime'], { retentionDays: 90, maxStops: 10 });
  assert.deepEqual(values['rbac'], { create: true, allowEnforce: false });
  assert.equal(values['webhook']?.['failurePolicy'], 'Ignore');
  assert.equal(values['webhook']?.['coldImagePolicy'], 'AllowAndScan');
  assert.equal(values['webhook']?.['timeoutSeconds'], 5);
});

test('the schema is strict wherever an object has known fields, and requires nothing', () => {
  const open: string[] = [];
  walk(JSON.parse(valuesSchema()), 'values', (schema, path) => {
    if ('properties' in schema && schema['additionalProperties'] !== false) open.push(path);
  });
  assert.deepEqual(open, []);
  assert.ok(!('required' in (JSON.parse(valuesSchema()) as object)));
  assert.equal(chartValues.safeParse({ webhook: { failurepolicy: 'Fail' } }).success, false);
});

test('the values that the other tests of the chart set are all the chart has', () => {
  assert.deepEqual(chartValues.safeParse(EVERYTHING).error, undefined);
  assert.deepEqual(chartValues.safeParse(GIVEN).error, undefined);
  const same = chartPaths()
    .filter(({ path, standard }) =>
      [EVERYTHING, GIVEN].every((values) => isSame(at(values, path) ?? standard, standard)),
    )
    .map(({ path }) => path);
  // What only switches something off, or takes the place of something, has a test of its own.
  assert.deepEqual(same, [
    'nameOverride',
    'image.tag',
    'ledger.configMap',
    'api.publicUrl',
    'webhook.certificates.issuerRef.name',
    'webhook.certificates.issuerRef.kind',
    'rbac.create',
    'crds.install',
    'serviceAccount.create',
    'hostNetwork',
    'dnsPolicy',
    'topologySpread.enabled',
    'podDisruptionBudget.enabled',
    'networkPolicy.enabled',
    'flowSchema.enabled',
  ]);
});

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function at(values: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], values);
}

function walk(
  schema: Record<string, unknown>,
  path: string,
  visit: (schema: Record<string, unknown>, path: string) => void,
): void {
  visit(schema, path);
  for (const [key, inner] of Object.entries(schema)) {
    if (typeof inner === 'object' && inner !== null)
      walk(inner as Record<string, unknown>, `${path}.${key}`, visit);
  }
}
