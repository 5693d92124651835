import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customResourceDefinitions } from '../../src/cluster/index.ts';
import { EVERYTHING, GIVEN } from './every-value.ts';
import { CHART, find, helm, isThere, render, withHelm, type Manifest } from './helm.ts';
import { unknownFields } from './known-fields.ts';

interface Labelled {
  readonly commonLabels?: Readonly<Record<string, string>>;
}
const COMBINATIONS = { defaults: {}, everything: EVERYTHING, given: GIVEN };

test('helm lint has nothing to say', withHelm, async () => {
  assert.match(await helm(['lint', '--strict', CHART]), /0 chart\(s\) failed/);
});

test(
  'every object is one that Kubernetes takes, with a name and labels, and no two are one',
  withHelm,
  async () => {
    for (const [name, values] of Object.entries(COMBINATIONS)) {
      const objects = await render(values);
      for (const object of objects) {
        assert.deepEqual(unknownFields(object) ?? [], [], name);
        assert.equal(object.metadata.labels?.['app.kubernetes.io/instance'], 'prod', object.metadata.name);
      }
      for (const [key, value] of Object.entries((values as Labelled).commonLabels ?? {}))
        for (const { metadata } of objects) assert.equal(metadata.labels?.[key], value, metadata.name);
      const places = objects.map(
        ({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`,
      );
      assert.equal(new Set(places).size, places.length, name);
    }
  },
);

test('names stay within what Kubernetes takes, however long those of the release are', withHelm, async () => {
  const objects = await render({
    fullnameOverride: `a${'b'.repeat(100)}`,
    nameOverride: `c${'d'.repeat(100)}`,
  });
  for (const { kind, metadata } of objects) {
    assert.ok(
      metadata.name.length <= (/Role|Webhook|FlowSchema|Definition/.test(kind) ? 253 : 63),
      metadata.name,
    );
    for (const label of Object.values(metadata.labels ?? {})) assert.ok(label.length <= 63, label);
  }
});

test('the pods run under the restricted profile of Pod Security', withHelm, async () => {
  for (const values of Object.values(COMBINATIONS)) {
    for (const spec of podSpecs(await render(values))) {
      assert.equal(spec['securityContext'].runAsNonRoot, true);
      assert.deepEqual(spec['securityContext'].seccompProfile, { type: 'RuntimeDefault' });
      for (const volume of spec['volumes'] ?? []) {
        const [kind] = Object.keys(volume).filter((key) => key !== 'name');
        assert.ok(['configMap', 'secret', 'emptyDir', 'persistentVolumeClaim'].includes(kind ?? ''), kind);
      }
      for (const { securityContext, resources } of spec['containers']) {
        assert.equal(securityContext.allowPrivilegeEscalation, false);
        assert.equal(securityContext.readOnlyRootFilesystem, true);
        assert.equal(securityContext.runAsUser, 65532);
        assert.deepEqual(securityContext.capabilities, { drop: ['ALL'] });
        assert.ok(resources.requests !== undefined && resources.limits !== undefined);
      }
      for (const key of ['hostNetwork', 'hostPID', 'hostIPC']) assert.ok(!(key in spec));
    }
  }
});

test('every volume that is mounted is there, and every one that is there is mounted', withHelm, async () => {
  for (const values of Object.values(COMBINATIONS)) {
    for (const object of await render(values)) {
      const spec = podSpec(object);
      if (spec === null) continue;
      const there = [...(spec['volumes'] ?? []), ...claims(object)].map(({ name }: { name: string }) => name);
      const mounted = spec['containers'].flatMap(({ volumeMounts = [] }) =>
        volumeMounts.map(({ name }: { name: string }) => name),
      );
      assert.deepEqual(mounted.toSorted(), there.toSorted());
    }
  }
});

test(
  'the webhook is asked about pods and their ephemeral containers, and never about what it stands on',
  withHelm,
  async () => {
    const { webhooks } = find(await render(), 'ValidatingWebhookConfiguration');
    assert.equal(webhooks.length, 1);
    const [webhook] = webhooks;
    assert.equal(webhook.failurePolicy, 'Ignore');
    assert.equal(webhook.timeoutSeconds, 5);
    assert.equal(webhook.matchPolicy, 'Equivalent');
    assert.equal(webhook.sideEffects, 'NoneOnDryRun');
    assert.deepEqual(webhook.admissionReviewVersions, ['v1']);
    assert.deepEqual(webhook.namespaceSelector, {
      matchExpressions: [
        {
          key: 'kubernetes.io/metadata.name',
          operator: 'NotIn',
          values: ['ipo-system', 'kube-system', 'kube-node-lease'],
        },
      ],
    });
    const common = { apiGroups: [''], apiVersions: ['v1'], scope: 'Namespaced' };
    assert.deepEqual(webhook.rules, [
      { ...common, operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
      { ...common, operations: ['UPDATE'], resources: ['pods/ephemeralcontainers'] },
    ]);
    // The leader writes both; what Helm named, an upgrade would take back.
    assert.ok(!('path' in webhook.clientConfig.service));
    assert.ok(!('caBundle' in webhook.clientConfig));
  },
);

test('the webhook configuration names a Service that leads to a port of the pods', withHelm, async () => {
  const objects = await render();
  const { clientConfig } = find(objects, 'ValidatingWebhookConfiguration')['webhooks'][0];
  const service = find(objects, 'Service', '-webhook');
  assert.equal(clientConfig.service.name, service.metadata.name);
  assert.equal(clientConfig.service.namespace, service.metadata.namespace);
  const [port] = service['spec'].ports;
  assert.equal(port.port, clientConfig.service.port);
  const pod = find(objects, 'StatefulSet')['spec'].template;
  assert.ok(pod.spec.containers[0].ports.some(({ name }: { name: string }) => name === port.targetPort));
  for (const { spec } of objects.filter(({ kind }) => kind === 'Service')) {
    assert.deepEqual(
      Object.entries(spec.selector).filter(([key, value]) => pod.metadata.labels[key] !== value),
      [],
    );
  }
});

test('no selector of the service takes in the pod of the chart’s test', withHelm, async () => {
  const objects = await render(EVERYTHING);
  const { labels = {} } = find(objects, 'Pod').metadata;
  const selectors = [
    ...objects.filter(({ kind }) => kind === 'Service').map(({ spec }) => spec.selector),
    find(objects, 'StatefulSet')['spec'].selector.matchLabels,
    find(objects, 'PodDisruptionBudget')['spec'].selector.matchLabels,
    find(objects, 'NetworkPolicy')['spec'].podSelector.matchLabels,
  ];
  for (const selector of selectors) {
    assert.ok(Object.entries(selector).some(([key, value]) => labels[key] !== value));
  }
});

test(
  'excluded namespaces, the policy for failures and the time are as the values say',
  withHelm,
  async () => {
    const [webhook] = find(await render(EVERYTHING), 'ValidatingWebhookConfiguration')['webhooks'];
    assert.deepEqual(webhook.namespaceSelector, {
      matchLabels: { 'example.com/reviewed': 'true' },
      matchExpressions: [
        {
          key: 'kubernetes.io/metadata.name',
          operator: 'NotIn',
          values: ['ipo-system', 'kube-system', 'kube-node-lease', 'legacy'],
        },
        { key: 'example.com/tier', operator: 'NotIn', values: ['sandbox'] },
      ],
    });
    assert.equal(webhook.failurePolicy, 'Fail');
    assert.equal(webhook.timeoutSeconds, 10);
  },
);

test('certificates: made by the leader, by cert-manager, or given', withHelm, async () => {
  const own = await render();
  assert.ok(!isThere(own, 'Certificate'));
  const managed = await render(EVERYTHING);
  const { metadata } = find(managed, 'ValidatingWebhookConfiguration');
  const { spec } = find(managed, 'Certificate', '-webhook');
  assert.equal(
    metadata.annotations?.['cert-manager.io/inject-ca-from'],
    'ipo-system/prod-image-policy-operator-webhook',
  );
  assert.ok(spec.dnsNames.includes('prod-image-policy-operator-webhook.ipo-system.svc'));
  assert.equal(find(managed, 'Issuer', spec.issuerRef.name)['spec'].ca.secretName, 'prod-webhook-ca');
  const named = await render({
    webhook: { certificates: { source: 'cert-manager', issuerRef: { name: 'pki', kind: 'ClusterIssuer' } } },
  });
  assert.ok(!isThere(named, 'Issuer'));
  assert.deepEqual(find(named, 'Certificate')['spec'].issuerRef, { name: 'pki', kind: 'ClusterIssuer' });
  const [webhook] = find(await render(GIVEN), 'ValidatingWebhookConfiguration')['webhooks'];
  assert.match(Buffer.from(webhook.clientConfig.caBundle, 'base64').toString(), /^-----BEGIN CERTIFICATE/);
});

test('a replica has 60 seconds to end, and is ready when its webhook is', withHelm, async () => {
  const { spec } = find(await render(), 'StatefulSet')['spec'].template;
  assert.equal(spec.terminationGracePeriodSeconds, 60);
  assert.equal(spec.shareProcessNamespace, true, 'what a part that was killed leaves behind is reaped');
  const [container] = spec.containers;
  assert.deepEqual(container.readinessProbe.httpGet, { path: '/readyz', port: 'webhook', scheme: 'HTTPS' });
  assert.deepEqual(container.livenessProbe.httpGet, { path: '/livez', port: 'webhook', scheme: 'HTTPS' });
  const [secured] = find(await render(EVERYTHING), 'StatefulSet')['spec'].template.spec.containers;
  assert.equal(secured.livenessProbe.httpGet.scheme, 'HTTPS');
});

test('replicas are spread, and one at a time is taken away', withHelm, async () => {
  const objects = await render();
  const { spec } = find(objects, 'StatefulSet')['spec'].template;
  assert.deepEqual(
    spec.topologySpreadConstraints.map(({ topologyKey }: { topologyKey: string }) => topologyKey),
    ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'],
  );
  assert.equal(find(objects, 'PodDisruptionBudget')['spec'].maxUnavailable, 1);
});

test('what the user adds to the pods is there', withHelm, async () => {
  const { metadata, spec } = find(await render(EVERYTHING), 'StatefulSet')['spec'].template;
  const [container] = spec.containers;
  assert.equal(metadata.labels.team, 'platform');
  assert.equal(metadata.annotations['example.com/a'], 'b');
  assert.deepEqual(container.args, [
    '--config',
    '/etc/ipo/config/config.yaml',
    '--config=/etc/extra/config.yaml',
  ]);
  assert.deepEqual(container.volumeMounts.at(-1), {
    name: 'extra',
    mountPath: '/etc/extra',
    readOnly: true,
  });
  assert.deepEqual(spec.volumes.at(-1), { name: 'extra', configMap: { name: 'extra' } });
  assert.deepEqual(
    container.ports.map(({ containerPort }: { containerPort: number }) => containerPort),
    [18080, 18443],
  );
});

test(
  'pods run in the network of their nodes where that is set, and look names up as a pod does',
  withHelm,
  async () => {
    const spec = async (values: Readonly<Record<string, unknown>>): Promise<Manifest['spec']> =>
      find(await render(values), 'StatefulSet')['spec'].template.spec;
    const plain = await spec({});
    assert.ok(!('hostNetwork' in plain) && !('dnsPolicy' in plain));
    const onNode = await spec({ hostNetwork: true });
    assert.deepEqual([onNode.hostNetwork, onNode.dnsPolicy], [true, 'ClusterFirstWithHostNet']);
    assert.equal((await spec({ hostNetwork: true, dnsPolicy: 'Default' })).dnsPolicy, 'Default');
  },
);

test('what is switched off is not there', withHelm, async () => {
  const objects = await render({
    crds: { install: false },
    rbac: { create: false, allowEnforce: true },
    serviceAccount: { create: false },
    topologySpread: { enabled: false },
    podDisruptionBudget: { enabled: false },
    networkPolicy: { enabled: false },
    flowSchema: { enabled: false },
    ledger: { configMap: false },
  });
  assert.deepEqual(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted(), [
    'ConfigMap prod-image-policy-operator',
    'Pod prod-image-policy-operator-test',
    'Secret prod-data-key',
    'Secret prod-evidence-key',
    'Secret prod-ledger-key',
    'Service prod-image-policy-operator',
    'Service prod-image-policy-operator-webhook',
    'StatefulSet prod-image-policy-operator',
    'ValidatingWebhookConfiguration prod-image-policy-operator.ipo-system',
  ]);
  const { spec } = find(objects, 'StatefulSet')['spec'].template;
  assert.equal(spec.serviceAccountName, 'default');
  assert.ok(!('topologySpreadConstraints' in spec));
});

test('the definitions are those made from the schemas, kept over an uninstall', withHelm, async () => {
  const made = (await render()).filter(({ kind }) => kind === 'CustomResourceDefinition');
  const plain = customResourceDefinitions() as unknown as readonly Manifest[];
  assert.deepEqual(
    made.map(({ spec }) => spec),
    plain.map(({ spec }) => spec).toSorted((a, b) => (a.names.plural < b.names.plural ? -1 : 1)),
  );
  for (const { metadata } of made) assert.equal(metadata.annotations?.['helm.sh/resource-policy'], 'keep');
});

test('the image is named by its digest where there is one, else by tag or version', withHelm, async () => {
  const image = async (values: Readonly<Record<string, unknown>>): Promise<string> =>
    find(await render(values), 'StatefulSet')['spec'].template.spec.containers[0].image;
  assert.equal(await image({}), 'image-policy-operator:0.0.0');
  assert.equal(await image({ image: { tag: '1.3.7' } }), 'image-policy-operator:1.3.7');
  assert.equal(
    await image(EVERYTHING),
    `registry.example.com/platform/image-policy-operator@sha256:${'a'.repeat(64)}`,
  );
});

function podSpecs(objects: readonly Manifest[]): readonly Manifest['spec'][] {
  return objects.map(podSpec).filter((spec) => spec !== null);
}

function podSpec(object: Manifest): Manifest['spec'] {
  if (object.kind === 'Pod') return object['spec'];
  return object.kind === 'StatefulSet' ? object['spec'].template.spec : null;
}

function claims(object: Manifest): readonly { readonly name: string }[] {
  return (object['spec'].volumeClaimTemplates ?? []).map(({ metadata }: Manifest) => metadata);
}
