import assert from 'node:assert/strict';
import { test } from 'node:test';
import { find, isThere, render, withHelm, type Manifest } from './helm.ts';

/** A rule in one line: verbs, group/resources, and the names it is limited to. */
function lines({ rules }: Manifest): readonly string[] {
  return rules
    .map(
      ({ apiGroups, resources, resourceNames = [], verbs }: Record<string, readonly string[]>) =>
        `${verbs?.join(',')} ${apiGroups?.map((group) => group || 'core').join(',')} ${resources?.join(',')}${
          resourceNames.length > 0 ? ` named ${resourceNames.join(',')}` : ''
        }`,
    )
    .toSorted();
}

const READS = [
  'get,list,watch apps replicasets',
  'get,list,watch batch jobs',
  'get,list,watch core namespaces,nodes,pods,services',
  'get,list,watch networking.k8s.io ingresses',
];
const WRITES = [
  'create,delete,get,list,patch ipo.dev clusterimagereports',
  'create,delete,get,list,patch,update,watch ipo.dev imagepolicies,runtimepolicies',
  'create,patch events.k8s.io events',
  'patch ipo.dev clusterimagereports/status,imagepolicies/status,runtimepolicies/status',
];
const LEASE = [
  'create coordination.k8s.io leases',
  'get,patch,update coordination.k8s.io leases named prod-image-policy-operator-leader',
];
const CHECKPOINT = 'get,patch core configmaps named prod-checkpoint';

test('with defaults the service reads what runs, writes its own, and deletes no pod', withHelm, async () => {
  const objects = await render();
  assert.deepEqual(
    lines(find(objects, 'ClusterRole')),
    [
      ...READS,
      ...WRITES,
      'get,patch admissionregistration.k8s.io validatingwebhookconfigurations named prod-image-policy-operator.ipo-system',
    ].toSorted(),
  );
  assert.deepEqual(
    lines(find(objects, 'Role')),
    [
      ...LEASE,
      CHECKPOINT,
      'create core secrets',
      'get,update core secrets named prod-webhook-tls',
    ].toSorted(),
  );
});

test(
  'a certificate that others make leaves the path of the webhook to the leader, in a Secret of its own',
  withHelm,
  async () => {
    const objects = await render({ webhook: { certificates: { source: 'cert-manager' } } });
    assert.deepEqual(
      lines(find(objects, 'ClusterRole')),
      [
        ...READS,
        ...WRITES,
        'get,patch admissionregistration.k8s.io validatingwebhookconfigurations named prod-image-policy-operator.ipo-system',
      ].toSorted(),
    );
    assert.deepEqual(
      lines(find(objects, 'Role')),
      [
        ...LEASE,
        CHECKPOINT,
        'create core secrets',
        'get,update core secrets named prod-webhook-path',
      ].toSorted(),
    );
  },
);

test(
  'the detector adds the Secret of its certificates to those that the leader keeps',
  withHelm,
  async () => {
    const values = { integrations: { detector: { enabled: true } } };
    const { rules } = find(await render(values), 'Role');
    const names = (rules as readonly { resourceNames?: readonly string[] }[]).flatMap(
      ({ resourceNames = [] }) => resourceNames,
    );
    assert.ok(names.includes('prod-webhook-tls') && names.includes('prod-detector-mtls'));
  },
);

test(
  'rbac.allowEnforce adds a role of its own: deleting pods, and reading what would replace them',
  withHelm,
  async () => {
    const plain = await render();
    const enforcing = await render({ rbac: { allowEnforce: true } });
    assert.deepEqual(lines(find(enforcing, 'ClusterRole', '-enforce.ipo-system')), [
      'delete core pods',
      'get apps daemonsets,statefulsets',
      'get core replicationcontrollers',
    ]);
    assert.deepEqual(find(enforcing, 'ClusterRole', 'operator.ipo-system'), find(plain, 'ClusterRole'));
    assert.ok(isThere(enforcing, 'ClusterRoleBinding', '-enforce.ipo-system'));
  },
);

test('reports of other projects add only their own kind', withHelm, async () => {
  for (const [policyReports, line] of [
    ['wgpolicy', 'create,delete,get,list,patch wgpolicyk8s.io policyreports'],
    ['openreports', 'create,delete,get,list,patch openreports.io reports'],
  ] as const) {
    const role = find(await render({ reports: { policyReports } }), 'ClusterRole');
    assert.ok(lines(role).includes(line));
    assert.equal(lines(role).length, READS.length + WRITES.length + 2);
  }
});

test('no role has everything, hands out rights, or reads a Secret that is not named', withHelm, async () => {
  for (const values of [{}, { rbac: { allowEnforce: true }, reports: { policyReports: 'openreports' } }]) {
    for (const role of (await render(values)).filter(({ kind }) => kind.endsWith('Role'))) {
      for (const { apiGroups, resources, resourceNames = [], verbs } of role['rules']) {
        for (const list of [apiGroups, resources, verbs]) assert.ok(!list.includes('*'));
        for (const verb of ['bind', 'escalate', 'impersonate', 'deletecollection'])
          assert.ok(!verbs.includes(verb));
        const isSecret = resources.includes('secrets');
        assert.ok(
          !isSecret || (role.kind === 'Role' && (resourceNames.length > 0 || verbs.join() === 'create')),
        );
      }
    }
  }
});

test('every binding joins a role that is there with the account of the pods', withHelm, async () => {
  const objects = await render({ rbac: { allowEnforce: true } });
  const { serviceAccountName } = find(objects, 'StatefulSet')['spec'].template.spec;
  for (const { roleRef, subjects } of objects.filter(({ kind }) => kind.endsWith('Binding'))) {
    assert.ok(objects.some(({ kind, metadata }) => kind === roleRef.kind && metadata.name === roleRef.name));
    assert.deepEqual(subjects, [
      { kind: 'ServiceAccount', name: serviceAccountName, namespace: 'ipo-system' },
    ]);
  }
  assert.ok(isThere(objects, 'ServiceAccount', serviceAccountName));
});
