import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Exposure } from '../../src/pods/index.ts';
import { parseManifest } from '../../src/manifests/index.ts';

/** What exposes the one pod of a manifest. */
function exposed(...objects: readonly object[]): string | null {
  const text = objects.map((object) => JSON.stringify(object)).join('\n');
  const { workloads, services, ingresses } = parseManifest(text, 'm.json', 'shop');
  const [workload] = workloads;
  assert.ok(workload);
  return new Exposure(services, ingresses).of(workload.namespace, workload.labels);
}

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', labels: { app: 'web', tier: 'front' } },
  spec: {},
};

function service(spec: object, name = 'web', namespace?: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector: { app: 'web' }, ...spec },
  };
}

function ingress(spec: object, apiVersion = 'networking.k8s.io/v1'): object {
  return { apiVersion, kind: 'Ingress', metadata: { name: 'front' }, spec };
}

const ROUTE = {
  rules: [
    {
      host: 'shop.example',
      http: { paths: [{ path: '/', backend: { service: { name: 'web', port: { number: 80 } } } }] },
    },
  ],
};
const OLD_ROUTE = { rules: [{ http: { paths: [{ backend: { serviceName: 'web', servicePort: 80 } }] } }] };

suite('what exposes a pod', () => {
  const cases: readonly (readonly [string, string | null, string | null])[] = [
    ['nothing', exposed(POD), null],
    ['a load balancer', exposed(POD, service({ type: 'LoadBalancer' })), 'Service shop/web'],
    ['a Service may stand before the pod', exposed(service({ type: 'NodePort' }), POD), 'Service shop/web'],
    ['external addresses', exposed(POD, service({ externalIPs: ['192.0.2.1'] })), 'Service shop/web'],
    ['a Service inside the cluster', exposed(POD, service({})), null],
    ['a Service of another namespace', exposed(POD, service({ type: 'LoadBalancer' }, 'web', 'other')), null],
    [
      'a selector that the pod does not match',
      exposed(POD, service({ type: 'LoadBalancer', selector: { app: 'cart' } })),
      null,
    ],
    [
      'a selector of which the pod matches a part',
      exposed(POD, service({ type: 'LoadBalancer', selector: { app: 'web', tier: 'back' } })),
      null,
    ],
    [
      'an empty selector selects nothing',
      exposed(POD, service({ type: 'LoadBalancer', selector: {} })),
      null,
    ],
    ['no selector selects nothing', exposed(POD, service({ type: 'LoadBalancer', selector: null })), null],
    [
      'an external name leads elsewhere',
      exposed(POD, service({ type: 'ExternalName', externalIPs: ['192.0.2.1'] })),
      null,
    ],
    ['an Ingress over a Service', exposed(POD, service({}), ingress(ROUTE)), 'Ingress shop/front'],
    [
      'an Ingress of an old version',
      exposed(POD, service({}), ingress(OLD_ROUTE, 'extensions/v1beta1')),
      'Ingress shop/front',
    ],
    [
      'an Ingress with a default backend',
      exposed(POD, service({}), ingress({ defaultBackend: { service: { name: 'web' } } })),
      'Ingress shop/front',
    ],
    [
      'an old Ingress with a default backend',
      exposed(POD, service({}), ingress({ backend: { serviceName: 'web' } }, 'networking.k8s.io/v1beta1')),
      'Ingress shop/front',
    ],
    [
      'an Ingress over a Service that selects another pod',
      exposed(POD, service({ selector: { app: 'cart' } }), ingress(ROUTE)),
      null,
    ],
    ['an Ingress over a Service that is not there', exposed(POD, ingress(ROUTE)), null],
    [
      'an open Service goes before an Ingress',
      exposed(POD, ingress(ROUTE), service({ type: 'LoadBalancer' })),
      'Service shop/web',
    ],
    [
      'of several the first by name',
      exposed(POD, service({ type: 'NodePort' }, 'z'), service({ type: 'NodePort' }, 'a')),
      'Service shop/a',
    ],
  ];
  for (const [name, found, expected] of cases) test(name, () => assert.equal(found, expected));

  test('the labels of a workload are those of its template', () => {
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', labels: { app: 'other' } },
      spec: { template: { metadata: { labels: { app: 'web' } }, spec: {} } },
    };
    assert.equal(exposed(deployment, service({ type: 'LoadBalancer' })), 'Service shop/web');
  });
});
