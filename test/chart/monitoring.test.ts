import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { METRICS, type Metric } from '../../src/telemetry/index.ts';
import { CHART, find, render, withHelm } from './helm.ts';

const file = (name: string): string => readFileSync(join(CHART, 'files', name), 'utf8');
const alerts = (): readonly Record<string, string>[] => parse(file('alerts.yaml')).groups[0].rules;

/** Every series of ours that a text asks for, with the labels that it names. */
function asked(text: string): readonly { readonly name: string; readonly labels: readonly string[] }[] {
  return [...text.matchAll(/\b(svc_[a-z_]+)(?:\{([^}]*)\})?/g)].map(([, name = '', inner = '']) => ({
    name,
    labels: [...inner.matchAll(/([a-z_]+)\s*=/g)].map(([, label = '']) => label),
  }));
}

const OF_THE_TARGET = ['namespace', 'service', 'job'];

test('alerts and dashboard ask for series and labels that the service has', () => {
  const expressions = [
    ...alerts().map(({ expr = '' }) => expr),
    ...[...file('dashboard.json').matchAll(/"expr": (".*"),?$/gm)].map(
      ([, text = '']) => JSON.parse(text) as string,
    ),
  ];
  assert.ok(expressions.length > 20);
  for (const { name, labels } of expressions.flatMap(asked)) {
    const metric = (METRICS as Readonly<Record<string, Metric>>)[name.replace(/_bucket$/, '')];
    assert.ok(metric !== undefined, `${name} is no series of the service`);
    assert.equal(metric.kind === 'histogram', name.endsWith('_bucket'), name);
    for (const label of labels) {
      assert.ok(
        OF_THE_TARGET.includes(label) || label in (metric.labels ?? {}),
        `${name} has no label ${label}`,
      );
    }
  }
});

test('counters are asked for their increase, and nothing else is', () => {
  for (const { expr = '' } of alerts()) {
    for (const { name } of asked(expr)) {
      assert.equal(new RegExp(`(?:rate|increase)\\(${name}`).test(expr), name.endsWith('_total'), expr);
    }
  }
});

test('every alert says what happened, how bad it is, and what follows', () => {
  for (const rule of parse(file('alerts.yaml')).groups[0].rules) {
    assert.match(rule.alert, /^Ipo[A-Z]/);
    assert.ok(['warning', 'critical'].includes(rule.labels.severity), rule.alert);
    assert.ok(rule.annotations.summary.length > 20 && rule.annotations.description.length > 20, rule.alert);
  }
});

test('the PrometheusRule watches only this release', withHelm, async () => {
  const objects = await render({
    metrics: { prometheusRule: { enabled: true }, serviceMonitor: { enabled: true } },
  });
  const { spec } = find(objects, 'PrometheusRule');
  assert.equal(spec.groups[0].rules.length, alerts().length);
  for (const { expr } of spec.groups[0].rules) {
    assert.ok(!expr.includes('SERIES'));
    assert.match(expr, /namespace="ipo-system", service="prod-image-policy-operator"/);
  }
  // The operator of Prometheus gives each series the name of the Service that its monitor found.
  const monitor = find(objects, 'ServiceMonitor')['spec'];
  const labels = find(objects, 'Service', 'prod-image-policy-operator').metadata.labels ?? {};
  for (const [key, value] of Object.entries(monitor.selector.matchLabels)) assert.equal(labels[key], value);
  assert.notEqual(
    find(objects, 'Service', '-webhook').metadata.labels?.['app.kubernetes.io/component'],
    'api',
  );
  assert.equal(monitor.endpoints[0].path, '/metrics');
});

test('the dashboard comes whole, under the labels and annotations of the values', withHelm, async () => {
  const objects = await render({
    metrics: { dashboard: { enabled: true, annotations: { folder: 'Security' } } },
  });
  const { metadata, data } = find(objects, 'ConfigMap', '-dashboard');
  assert.equal(metadata.labels?.['grafana_dashboard'], '1');
  assert.equal(metadata.annotations?.['folder'], 'Security');
  assert.deepEqual(JSON.parse(data['image-policy-operator.json']), JSON.parse(file('dashboard.json')));
});
