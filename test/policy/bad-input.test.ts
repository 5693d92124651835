import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePolicies } from '../../src/policy/index.ts';
import { policyText } from './policy-text.ts';

const HEAD = 'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata:\n  name: a\n';

/** Each case: what the file contains, and every problem as `line:column rule path`. */
const CASES: Readonly<Record<string, readonly [text: string, problems: readonly string[]]>> = {
  'an empty file': ['', ['1:1 empty ']],
  'only blank lines and comments': ['\n# nothing\n\n', ['1:1 empty ']],
  'only a document marker': ['---\n', ['1:1 empty ']],
  'a list at the top': ['- a\n- b\n', ['1:1 type ']],
  'a text at the top': ['policy\n', ['1:1 type ']],
  'an unknown field of spec': [
    `${HEAD}spec:\n  severityTreshold: HIGH\n`,
    ['6:3 unknown-field spec.severityTreshold'],
  ],
  'a field of spec at the top': [`${HEAD}spec: {}\nenforcement: Audit\n`, ['6:1 unknown-field enforcement']],
  'the removed runtime block': [`${HEAD}spec:\n  runtime: {}\n`, ['6:3 unknown-field spec.runtime']],
  'a mistyped field of metadata': [
    'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata:\n  nmae: a\nspec: {}\n',
    ['3:1 missing metadata.name', '4:3 unknown-field metadata.nmae'],
  ],
  'a number as the name': [
    'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata:\n  name: 123\nspec: {}\n',
    ['4:3 type metadata.name'],
  ],
  'another kind, told once': [
    'apiVersion: apps/v1\nkind: Deployment\nspec: {replicas: 1}\n',
    ['2:1 kind kind'],
  ],
  'a list of policies as kubectl prints them': ['apiVersion: v1\nkind: List\nitems: []\n', ['2:1 kind kind']],
  'spec missing': [HEAD, ['1:1 missing spec']],
  'spec without a value': [`${HEAD}spec:\n`, ['5:1 missing spec']],
  'the same field twice': [
    `${HEAD}spec:\n  enforcement: Audit\n  enforcement: Enforce\n`,
    ['7:3 duplicate-field '],
  ],
  'the same field twice, once quoted': [
    `${HEAD}spec:\n  enforcement: Audit\n  "enforcement": Enforce\n`,
    ['7:3 duplicate-field '],
  ],
  'a tab in the indentation': [`${HEAD}spec:\n\tenforcement: Audit\n`, ['6:1 syntax ']],
  'an alias': [`${HEAD}spec:\n  targetNamespaces: &n [a]\n  allowedRegistries: *n\n`, ['7:22 alias ']],
  'an alias of nothing': [`${HEAD}spec:\n  allowedRegistries: *n\n`, ['6:22 alias ']],
  'a merge key': [`${HEAD}spec:\n  <<: {enforcement: Enforce}\n`, ['6:3 merge-key ']],
  'a tag': [`${HEAD}spec:\n  enforcement: !mode Audit\n`, ['6:16 tag ']],
  'a tag that would make bytes of a text': [
    `${HEAD}spec:\n  enforcement: !!binary QXVkaXQ=\n`,
    ['6:16 tag '],
  ],
  'yes for true, as YAML 1.1 had it': [
    `${HEAD}spec:\n  denyLatestTag: yes\n`,
    ['6:3 type spec.denyLatestTag'],
  ],
  'yes for true, under a YAML 1.1 directive': [
    `%YAML 1.1\n---\n${HEAD}spec:\n  denyLatestTag: yes\n`,
    ['8:3 type spec.denyLatestTag'],
  ],
  'a list as the name of a field': [`${HEAD}spec: {}\n? [a, b]\n: c\n`, ['6:3 syntax ']],
  'a field named __proto__': [
    `${HEAD}spec:\n  __proto__: {enforcement: Enforce}\n`,
    ['6:3 unknown-field spec.__proto__'],
  ],
  'a field named constructor': [
    `${HEAD}spec:\n  constructor: 1\n  vex: {toString: 1}\n`,
    ['6:3 unknown-field spec.constructor', '7:9 unknown-field spec.vex.toString'],
  ],
  'names of Object.prototype everywhere': [
    `${HEAD}spec:\n  sla: {critical: 3constructor}\n__proto__: 1\n`,
    ['6:9 value spec.sla.critical', '7:1 unknown-field __proto__'],
  ],
  'a value that JSON cannot hold': [
    `${HEAD}spec:\n  provenance: {minLevel: .inf}\n`,
    ['6:16 type spec.provenance.minLevel'],
  ],
  'half a level': [`${HEAD}spec:\n  provenance: {minLevel: 1.5}\n`, ['6:16 type spec.provenance.minLevel']],
  'a level above three': [
    `${HEAD}spec:\n  provenance: {minLevel: 4}\n`,
    ['6:16 range spec.provenance.minLevel'],
  ],
  'an empty entry of a list': [
    `${HEAD}spec:\n  targetNamespaces:\n    - a\n    -\n`,
    ['8:6 type spec.targetNamespaces[1]'],
  ],
  'a single value for a list': [
    `${HEAD}spec:\n  targetNamespaces: shop\n`,
    ['6:3 type spec.targetNamespaces'],
  ],
  'a registry with a scheme': [
    `${HEAD}spec:\n  allowedRegistries:\n    - https://ghcr.io\n`,
    ['7:7 value spec.allowedRegistries[0]'],
  ],
  'days in a duration': [`${HEAD}spec:\n  sla:\n    critical: 1d\n`, ['7:5 value spec.sla.critical']],
  'a duration without a unit': [`${HEAD}spec:\n  sla:\n    critical: 24\n`, ['7:5 type spec.sla.critical']],
  'a window of 0s': [`${HEAD}spec:\n  sla:\n    critical: 0s\n`, ['7:5 value spec.sla.critical']],
  'a signature that nobody can give': [
    `${HEAD}spec:\n  signature: {required: true}\n`,
    ['6:15 value spec.signature.required'],
  ],
  'an attestation that nobody can give': [
    `${HEAD}spec:\n  attestations:\n    - predicateType: a\n`,
    ['7:7 value spec.attestations[0]'],
  ],
  'a producer with key and identity': [
    `${HEAD}spec:\n  vex:\n    trustedIssuers:\n      - {}\n`,
    ['8:9 value spec.vex.trustedIssuers[0]'],
  ],
  'two faults in two documents': [
    `${HEAD}spec: {a: 1}\n---\n${HEAD}spec: {b: 1}\n`,
    ['5:8 unknown-field spec.a', '11:8 unknown-field spec.b'],
  ],
  'JSON cut off': ['{"apiVersion": "ipo.dev/v1", "kind"', ['1:36 syntax ']],
};

for (const [name, [text, expected]] of Object.entries(CASES)) {
  test(name, () => {
    const { problems } = parsePolicies(text, 'x.yaml');
    assert.deepEqual(
      problems.map(({ line, column, rule, path }) => `${line}:${column} ${rule} ${path}`),
      expected,
    );
    for (const { level, message } of problems) {
      assert.equal(level, 'error');
      assert.match(message, /^[^\n]{10,}[^.]$/, 'one line, no period');
    }
  });
}

test('the sentence for an unknown field is the one of the service, word for word', () => {
  const [problem] = parsePolicies(policyText({ runtime: {} }), 'x').problems;
  assert.equal(problem?.message, 'unknown field "spec.runtime"');
});

test('the nearest name, the unit and the entry that was meant are told', () => {
  const { problems } = parsePolicies(
    policyText({
      enforcment: 'Audit',
      severityThreshold: 'critical',
      allowedRegistries: ['https://ghcr.io/acme/*', 'ghcr.io/acme/web:1.2'],
      targetNamespaces: ['Shop_Front', 'team-*'],
      sla: { critical: '1d', high: '2 weeks', low: '10' },
      denyLatestTag: 'yes',
    }),
    'x',
  );
  const hints = new Map(problems.map(({ path, hint }) => [path, hint ?? '']));
  assert.match(
    hints.get('spec.enforcment') ?? '',
    /^Did you mean "enforcement"\? Allowed here: targetNamespaces, /,
  );
  assert.equal(hints.get('spec.severityThreshold'), 'Did you mean "CRITICAL"?');
  assert.match(hints.get('spec.allowedRegistries[0]') ?? '', /^Write "ghcr.io\/acme"/);
  assert.match(hints.get('spec.allowedRegistries[1]') ?? '', /^Write "ghcr.io\/acme\/web"/);
  assert.equal(hints.get('spec.targetNamespaces[0]'), 'Did you mean "shop-front"?');
  assert.match(hints.get('spec.targetNamespaces[1]') ?? '', /Wildcards are not supported/);
  assert.equal(hints.get('spec.sla.critical'), 'Write 24h');
  assert.equal(hints.get('spec.sla.high'), 'Write 336h');
  assert.equal(hints.get('spec.sla.low'), 'Add the unit: 10h');
  assert.match(hints.get('spec.denyLatestTag') ?? '', /true or false without quotes/);
});

test('names with control characters come out visible and harmless', () => {
  const { problems } = parsePolicies(policyText({ 'a\u001b[31m\nb': 1 }), 'x');
  assert.equal(problems[0]?.message, 'unknown field "spec.a\\u001b[31m\\u000ab"');
});

test('what kubectl prints is accepted, and status is not looked at', () => {
  const text = `${HEAD}  labels: {team: a}
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"ipo.dev/v1"}
  creationTimestamp: "2026-11-01T08:00:00Z"
  deletionTimestamp: null
  generation: 3
  resourceVersion: "4711"
  uid: 6b1f9c9e-0000-0000-0000-000000000000
  managedFields:
    - manager: kubectl
      fieldsV1: {"f:spec": {"f:enforcement": {}}}
spec:
  enforcement: Audit
  sla:
status:
  observedGeneration: 3
`;
  const { policies, problems } = parsePolicies(text, 'x');
  assert.deepEqual(problems, []);
  assert.equal(policies[0]?.policy.spec.sla, undefined);
});

test('a byte order mark and CRLF change neither meaning nor places', () => {
  const spec = 'spec:\n  enforcement: Enforce\n';
  const [plain, windows] = [HEAD + spec, `\uFEFF${HEAD}${spec}`.replaceAll('\n', '\r\n')].map((text) =>
    parsePolicies(text, 'x'),
  );
  assert.deepEqual(windows?.problems, []);
  assert.equal(windows?.policies[0]?.policy.revision, plain?.policies[0]?.policy.revision);
  const faulty = parsePolicies(`\uFEFF${HEAD}spec:\n  enforcement: Enforced\n`.replaceAll('\n', '\r\n'), 'x');
  assert.deepEqual([faulty.problems[0]?.line, faulty.problems[0]?.column], [6, 3]);
});

test('a document of just an anchor says nothing, and is accepted', () => {
  assert.deepEqual(parsePolicies(`${HEAD}spec: &s {enforcement: &e Audit}\n`, 'x').problems, []);
});

test('1000 documents are read, and one more is refused where it begins', () => {
  const one = (i: number): string =>
    `apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: {name: p${i}}\nspec: {}\n`;
  const many = (count: number): string => Array.from({ length: count }, (_, i) => one(i)).join('---\n');
  assert.equal(parsePolicies(many(1000), 'x').policies.length, 1000);
  const { policies, problems } = parsePolicies(many(1001), 'x');
  assert.equal(policies.length, 0);
  assert.deepEqual(
    problems.map(({ rule }) => rule),
    ['documents'],
  );
});

test('a text that is something else is named once, without advice on its words', () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    [
      '# Title\n\nText: with a colon: twice\n\n```yaml\nkind: ImagePolicy\n```\n---\nmore: a: b\n',
      '5:1',
      /^this is Markdown, not YAML or JSON\. Copy what stands between two lines of ```/,
    ],
    [
      'Permission is granted to use it, with limits\n  of two kinds: a: b\n and some more: x\n',
      '1:1',
      /^this is not YAML or JSON: no line of it begins with the name of a field\. Check/,
    ],
  ];
  for (const [text, place, said] of cases) {
    const { problems } = parsePolicies(text, 'x');
    assert.equal(problems.length, 1, JSON.stringify(problems));
    const [{ line, column, message, hint } = assert.fail()] = problems;
    assert.equal(`${line}:${column}`, place);
    assert.match(`${message}. ${hint}`, said);
  }
  // With one field of ours, it is a document with a mistake.
  const { problems } = parsePolicies('kind: ImagePolicy\nspec\n  a: b\n', 'x');
  assert.doesNotMatch(problems.map(({ message }) => message).join(), /not YAML or JSON, and/);
});
