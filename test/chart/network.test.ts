import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVERYTHING } from './every-value.ts';
import { find, render, withHelm, type Manifest } from './helm.ts';

interface Rule {
  readonly from?: readonly Record<string, unknown>[];
  readonly to?: readonly Record<string, unknown>[];
  readonly ports: readonly { readonly port: number | string; readonly protocol: string }[];
}

const ANYWHERE = [{ ipBlock: { cidr: '0.0.0.0/0' } }, { ipBlock: { cidr: '::/0' } }];

async function policy(
  values: Readonly<Record<string, unknown>> = {},
): Promise<{ ingress: Rule[]; egress: Rule[] }> {
  const objects: readonly Manifest[] = await render(values);
  const { spec } = find(objects, 'NetworkPolicy');
  assert.deepEqual(spec.policyTypes, ['Ingress', 'Egress']);
  for (const rule of [...spec.ingress, ...spec.egress])
    assert.ok(rule.ports.length > 0, 'a rule for every port');
  return spec;
}

const withoutTest = ({ from = [] }: Rule) => from.filter((peer) => !('podSelector' in peer));
const toPort = (rules: readonly Rule[], port: number | string): Rule | undefined =>
  rules.find(({ ports }) => ports.some((entry) => entry.port === port));

test('with defaults the webhook may be reached, and the API only by the chart’s test', withHelm, async () => {
  const { ingress, egress } = await policy();
  assert.equal(ingress.length, 2);
  assert.deepEqual(withoutTest(toPort(ingress, 'webhook') ?? { ports: [] }), ANYWHERE);
  assert.deepEqual(withoutTest(toPort(ingress, 'api') ?? { ports: [] }), []);
  assert.deepEqual(
    egress.flatMap(({ ports }) => ports.map(({ port }) => port)),
    [53, 53, 443, 6443, 443],
  );
});

test(
  'an Ingress and a ServiceMonitor open the API to every namespace, unless the values say to whom',
  withHelm,
  async () => {
    const open = await policy({ api: { ingress: { enabled: true, host: 'ipo.example.com' } } });
    assert.deepEqual(withoutTest(toPort(open.ingress, 'api') ?? { ports: [] }), [{ namespaceSelector: {} }]);
    const { ingress, egress } = await policy(EVERYTHING);
    assert.deepEqual(withoutTest(toPort(ingress, 'api') ?? { ports: [] }), [
      { namespaceSelector: { matchLabels: { name: 'ingress' } } },
      { namespaceSelector: { matchLabels: { name: 'monitoring' } } },
    ]);
    assert.deepEqual(withoutTest(toPort(ingress, 'webhook') ?? { ports: [] }), [
      { ipBlock: { cidr: '10.1.0.0/28' } },
    ]);
    assert.deepEqual(toPort(egress, 5433)?.to, [{ ipBlock: { cidr: '10.2.0.0/24' } }]);
    assert.deepEqual(toPort(egress, 6443)?.to, [{ ipBlock: { cidr: '10.1.0.0/28' } }]);
  },
);

test('a proxy and mail servers are reached where the values say so', withHelm, async () => {
  const { egress } = await policy({ outbound: { existingSecret: 'company-proxy' } });
  assert.deepEqual(toPort(egress, 3128)?.to, ANYWHERE);
  assert.equal(toPort(egress, 587), undefined);
  const every = await policy(EVERYTHING);
  assert.deepEqual(toPort(every.egress, 3128)?.to, [{ ipBlock: { cidr: '10.3.0.0/24' } }]);
  assert.deepEqual(toPort(every.egress, 587)?.to, [{ ipBlock: { cidr: '10.4.0.0/24' } }]);
  assert.equal(toPort((await policy()).egress, 3128), undefined);
});

test('the database is reached where there is one', withHelm, async () => {
  assert.equal(toPort((await policy()).egress, 5432), undefined);
  const { egress } = await policy({ database: { existingSecret: 'postgres' } });
  assert.deepEqual(toPort(egress, 5432)?.to, ANYWHERE);
});

test('the port of the detector may be reached where it is on, and only there', withHelm, async () => {
  const port = (rules: readonly Rule[]): Rule | undefined => toPort(rules, 'detector');
  assert.equal(port((await policy()).ingress), undefined);
  const on = { integrations: { detector: { enabled: true } } };
  assert.deepEqual(port((await policy(on)).ingress)?.from, ANYWHERE);
  const narrowed = { ...on, networkPolicy: { detectorFrom: ['10.5.0.0/24'] } };
  assert.deepEqual(port((await policy(narrowed)).ingress)?.from, [{ ipBlock: { cidr: '10.5.0.0/24' } }]);
});
