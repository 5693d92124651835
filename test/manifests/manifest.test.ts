import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parsePolicies } from '../../src/policy/index.ts';
import { ManifestError, parseManifest, type Manifest } from '../../src/manifests/index.ts';
import { kindOf } from '../../src/manifests/kinds.ts';

function parse(text: string): Manifest {
  return parseManifest(text, 'm.yaml', 'default');
}

function images(text: string): string[] {
  return parse(text).workloads.flatMap((workload) =>
    workload.images.map(
      ({ container, role, image, line }) =>
        `${workload.kind} ${workload.namespace}/${workload.name} ${role} ${container} ${image} ${line}`,
    ),
  );
}

function refused(text: string): { message: string; line: number | undefined; column: number | undefined } {
  try {
    parse(text);
  } catch (error) {
    assert.ok(error instanceof ManifestError, String(error));
    assert.equal(error.code, 'invalid_manifest');
    assert.equal(error.place?.file, 'm.yaml');
    return { message: error.message, line: error.place?.line, column: error.place?.column };
  }
  return assert.fail('the manifest was read');
}

const POD =
  'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - {name: a, image: "a:1"}\n';

suite('workloads', () => {
  const template = '{metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: "a:1"}]}}';
  for (const [apiVersion, kind] of [
    ['v1', 'ReplicationController'],
    ['apps/v1', 'Deployment'],
    ['apps/v1', 'ReplicaSet'],
    ['apps/v1', 'StatefulSet'],
    ['apps/v1', 'DaemonSet'],
    ['extensions/v1beta1', 'Deployment'],
    ['batch/v1', 'Job'],
  ] as const) {
    test(`a ${kind} of ${apiVersion} makes the pod of its template`, () => {
      const text = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: web, namespace: shop}\nspec:\n  template: ${template}\n`;
      assert.deepEqual(images(text), [`${kind} shop/web main a a:1 5`]);
    });
  }

  test('a CronJob makes the pod of the template of its job', () => {
    const text = `apiVersion: batch/v1\nkind: CronJob\nmetadata: {generateName: night-}\nspec: {jobTemplate: {spec: {template: ${template}}}}\n`;
    assert.deepEqual(images(text), ['CronJob default/night- main a a:1 4']);
  });

  test('init containers, containers and ephemeral ones, each with its line', () => {
    const text = `${POD}  initContainers:\n  - name: i\n    image: i:1\n  ephemeralContainers:\n  - name: e\n    image: e:1\n`;
    assert.deepEqual(images(text), [
      'Pod default/web init i i:1 9',
      'Pod default/web main a a:1 6',
      'Pod default/web ephemeral e e:1 12',
    ]);
  });

  test('a container without an image is there, with none', () => {
    assert.deepEqual(images('apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a}]}\n'), [
      'Pod default/ main a  3',
    ]);
  });

  test('lists hold what they hold, and typed lists name it once', () => {
    const item = '{metadata: {name: x}, spec: {containers: [{name: a, image: "a:1"}]}}';
    assert.deepEqual(images(`apiVersion: v1\nkind: PodList\nitems: [${item}, ${item}]\n`).length, 2);
    assert.deepEqual(
      images(`apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: PodList\n  items: [${item}]\n`)
        .length,
      1,
    );
    assert.deepEqual(images('apiVersion: v1\nkind: List\nitems: null\n'), []);
  });

  test('a stream of JSON objects, with the lines of each', () => {
    const pod = (name: string): string =>
      `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${name}"},\n"spec":{"containers":[{"name":"a","image":"a:1"}]}}`;
    assert.deepEqual(images(`${pod('x')}\n\n${pod('y')}${pod('z')}`), [
      'Pod default/x main a a:1 2',
      'Pod default/y main a a:1 5',
      'Pod default/z main a a:1 6',
    ]);
  });

  test('YAML between --- with comments and empty documents', () => {
    const { workloads } = parse(`# nothing\n---\n---\n# Source: web.yaml\n${POD}---\n`);
    assert.equal(workloads.length, 1);
    assert.equal(workloads[0]?.line, 7);
  });

  test('anchors, merge keys and the booleans of YAML 1.1 are read as kubectl reads them', () => {
    const text =
      `${POD}    securityContext: &open {privileged: yes}\n  - name: b\n    image: b:1\n    securityContext: {<<: *open, runAsUser: 5}\n`.replace(
        '- {name: a, image: "a:1"}',
        '- name: a\n    image: a:1',
      );
    const spec = parse(text).workloads[0]?.spec;
    assert.deepEqual(
      spec?.containers?.map(({ securityContext }) => securityContext),
      [{ privileged: true }, { privileged: true, runAsUser: 5 }],
    );
  });

  test('the break-glass annotation is that of the pod', () => {
    const text = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x, annotations: {ipo.dev/break-glass: wrong}}\nspec: {template: {metadata: {annotations: {ipo.dev/break-glass: outage}}, spec: {}}}\n`;
    assert.equal(parse(text).workloads[0]?.breakGlassReason, 'outage');
    assert.equal(parse(POD).workloads[0]?.breakGlassReason, null);
  });
});

suite('what is not decided', () => {
  test('kinds of Kubernetes without pods are passed over in silence', () => {
    const { workloads, skipped } = parse(
      'apiVersion: v1\nkind: ConfigMap\ndata: {containers: x}\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n',
    );
    assert.deepEqual([workloads, skipped], [[], []]);
  });

  test('an unknown kind is skipped and named; one that makes pods is told apart', () => {
    const text =
      'apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: hello}\nspec: {template: {spec: {containers: [{image: "h:1"}]}}}\n---\napiVersion: x.dev/v1\nkind: Odd\n';
    const { services, skipped } = parse(text);
    assert.deepEqual(services, []);
    assert.deepEqual(
      skipped.map(({ document, line, kind, name, makesPods }) => [document, line, kind, name, makesPods]),
      [
        [1, 2, 'Service.serving.knative.dev', 'hello', true],
        [2, 7, 'Odd.x.dev', '', false],
      ],
    );
  });

  test('a manifest cannot say of itself that it is being deleted', () => {
    const { workloads, skipped } = parse(
      POD.replace('name: web', 'name: web, deletionTimestamp: "2026-11-20T06:00:00Z"'),
    );
    assert.deepEqual([workloads.length, skipped], [1, []]);
  });

  test('a list stands for one kind of entry, however often its name says List', () => {
    assert.equal(parse('apiVersion: v1\nkind: PodListList\nitems: []\n').skipped.length, 1);
    assert.equal(parse('apiVersion: v1\nkind: ListList\nitems: []\n').skipped.length, 1);
    assert.deepEqual(kindOf('v1', 'List'.repeat(1_000_000)), { is: 'unknown' });
    for (const kind of ['List'.repeat(20_000), 'a'.repeat(254)]) {
      const { message, line, column } = refused(`apiVersion: v1\nkind: ${kind}\n`);
      assert.deepEqual([message, line, column], ['document 1: kind is longer than 253 characters', 2, 1]);
    }
    assert.equal(parse(`apiVersion: v1\nkind: ${'a'.repeat(253)}\n`).skipped.length, 1);
  });
});

suite('AdmissionReviews', () => {
  const container = (name: string, image: string): object => ({ name, image });
  const review = (request: object): string =>
    JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
  const pod = (...containers: readonly object[]): object => ({
    metadata: { name: 'web' },
    spec: { containers },
  });
  const kind = { group: '', version: 'v1', kind: 'Pod' };

  test('the object takes kind and namespace from the request where it names none', () => {
    const text = review({ kind, namespace: 'shop', operation: 'CREATE', object: pod(container('a', 'a:1')) });
    assert.deepEqual(images(text), ['Pod shop/web main a a:1 1']);
  });

  test('On UPDATE only images that are new or changed are decided', () => {
    const oldObject = pod(container('a', 'a:1'), container('b', 'b:1'));
    const object = pod(container('a', 'a:1'), container('b', 'b:2'), container('c', 'c:1'));
    assert.deepEqual(images(review({ kind, operation: 'UPDATE', object, oldObject })), [
      'Pod default/web main b b:2 1',
      'Pod default/web main c c:1 1',
    ]);
    assert.equal(images(review({ kind, operation: 'CREATE', object, oldObject })).length, 3);
  });

  test('On UPDATE … a pod that is being deleted is admitted, on CREATE the mark means nothing', () => {
    const marked = { ...pod(container('a', 'a:1')), metadata: { deletionTimestamp: '2026-11-20T06:00:00Z' } };
    const of = (operation: string): Manifest =>
      parse(review({ kind: { group: '', version: 'v1', kind: 'Pod' }, operation, object: marked }));
    assert.deepEqual(of('UPDATE').workloads, []);
    assert.match(of('UPDATE').skipped[0]?.reason ?? '', /being deleted/);
    assert.deepEqual([of('CREATE').workloads.length, of('CREATE').skipped], [1, []]);
  });

  test('a DELETE and a review without a request decide nothing, and say so', () => {
    for (const request of [
      { kind, operation: 'DELETE', object: null, oldObject: pod() },
      null,
      { kind, operation: 'CONNECT' },
    ]) {
      const { workloads, skipped } = parse(review(request as object));
      assert.deepEqual([workloads.length, skipped.length], [0, 1]);
    }
  });
});

suite('what cannot be read', () => {
  const cases: readonly (readonly [string, string, RegExp, number])[] = [
    ['a text', 'hello\n', /document 1: the document is not a Kubernetes object/, 1],
    ['a list', '[1]\n', /not a Kubernetes object/, 1],
    ['no kind', 'apiVersion: v1\nspec: {}\n', /kind is missing/, 1],
    ['a kind that is no text', 'apiVersion: v1\nkind: [Pod]\n', /kind must be a text/, 2],
    ['no spec', `${POD}---\napiVersion: v1\nkind: Pod\n`, /document 2: spec is missing/, 8],
    [
      'no template',
      'apiVersion: apps/v1\nkind: Deployment\nspec: {replicas: 1}\n',
      /spec\.template is missing/,
      3,
    ],
    [
      'an image that is a number',
      POD.replace('"a:1"', '1.2'),
      /spec\.containers\[0\]\.image must be a text/,
      6,
    ],
    ['a flag that is a text', `${POD}  hostNetwork: "true"\n`, /spec\.hostNetwork must be true or false/, 7],
    [
      'a label that is a number',
      POD.replace('name: web', 'labels: {v: 1}'),
      /metadata\.labels\.v must be a text/,
      3,
    ],
    [
      'containers that are none',
      POD.replace(/containers:[^]*/, 'containers: 5'),
      /spec\.containers must be a list/,
      5,
    ],
    ['a field written twice', `${POD}  - {name: b, image: b, image: c}\n`, /"image" is written twice/, 7],
    ['an alias without an anchor', 'apiVersion: v1\nkind: *x\n', /alias/, 2],
    [
      'broken YAML',
      'apiVersion: v1\nkind: Pod\n  spec: {\n',
      /the line is indented deeper than the field above/,
      3,
    ],
    ['broken JSON', '{"apiVersion":"v1","kind":"Pod",\n"spec":{"containers":[}', /not readable/, 2],
    [
      'an object in a list that is none',
      'apiVersion: v1\nkind: List\nitems:\n- 5\n',
      /items\[0\] is not a Kubernetes object/,
      4,
    ],
  ];
  for (const [name, text, message, line] of cases) {
    test(name, () => {
      const error = refused(text);
      assert.match(error.message, message);
      assert.equal(error.line, line, error.message);
    });
  }

  test('a fault of YAML is told as in a policy: its cause, where it stands, and what to do', () => {
    for (const text of [
      'a: b: c\n',
      'a: [b\n',
      'a: 1\nb: {c: 1\nd: 2\n',
      'a: "x\n',
      '\ta: 1\n',
      'a:\n  b: 1\n c: 2\n',
      'a: 1\n{{ if .Values.x }}\nb: 1\n{{ end }}\n',
      'a: @x\n',
    ]) {
      const [problem] = parsePolicies(text, 'f').problems;
      assert.ok(problem);
      const { message, hint, line, column } = problem;
      assert.throws(() => parseManifest(text, 'f', 'default'), {
        message: `document 1: ${message}`,
        hint,
        place: { file: 'f', line, column },
      });
    }
    const { message } = refused('data:\n  rule: |\n    {{ $labels.pod }}\nmore: a: b\n');
    assert.match(message, /two fields stand on one line/, 'a template in a block of text is only text');
  });

  test('text of a manifest cannot write on the terminal through a fault', () => {
    const { message } = refused('apiVersion: v1\nkind: Pod\nspec: {"\\e[31m": 1, "\\e[31m": 2}\n');
    assert.ok(message.includes('\\u001b[31m'), message);
    assert.ok(!message.includes('\u001b'));
  });
});

suite('bombs end early', () => {
  const level = (name: string, below: string): string =>
    `${name}: &${name} [${Array(9).fill(below).join(',')}]\n`;
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['100,000 brackets', '['.repeat(100_000), /deeper than 256/],
    ['100,000 braces of JSON', '{"a":'.repeat(100_000), /deeper than 256/],
    ['100,000 levels of whole JSON', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, /deeper than 256/],
    [
      'YAML nested by indentation',
      Array.from({ length: 2000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      /deeper than 256/,
    ],
    [
      'ten levels of aliases',
      `kind: Pod\napiVersion: v1\n${level('a', 'x')}${[...'bcdefghij'].map((name, i) => level(name, `*${'abcdefghi'[i]}`)).join('')}`,
      /aliases repeat each other/,
    ],
    [
      'too many documents',
      '---\nkind: ConfigMap\napiVersion: v1\n'.repeat(10_001),
      /more than 10000 documents/,
    ],
    [
      'too many documents of JSON',
      '{"kind":"ConfigMap","apiVersion":"v1"}\n'.repeat(10_001),
      /more than 10000 documents/,
    ],
    [
      'a list of a million faults',
      `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[${'1,'.repeat(1_000_000)}1]}}`,
      /spec\.containers is larger/,
    ],
    [
      'labels without end',
      `{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{${Array.from({ length: 20_000 }, (_, i) => `"${i}":1`).join()}}},"spec":{}}`,
      /metadata\.labels is larger/,
    ],
    [
      'a list of many pods with many images',
      `apiVersion: v1\nkind: List\nitems:\n- &pod {apiVersion: v1, kind: Pod, spec: {containers: [${'{image: a},'.repeat(9000)}]}}\n${'- *pod\n'.repeat(50)}`,
      /more than 100000 images/,
    ],
    [
      'lists in lists',
      `${'{"apiVersion":"v1","kind":"List","items":['.repeat(100)}${']}'.repeat(100)}`,
      /lists stand in lists/,
    ],
  ];
  for (const [name, text, message] of cases) test(name, () => assert.match(refused(text).message, message));
});
