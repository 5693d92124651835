import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadAuthoring, parsePolicies } from '../../src/policy/index.ts';
import { KEY } from './policy-text.ts';

const { formatPolicies, lintPolicies, starterPolicy } = await loadAuthoring();

function format(text: string): string {
  const result = formatPolicies(text, 'x.yaml');
  assert.equal(result.kind, 'formatted', JSON.stringify(result));
  return result.kind === 'formatted' ? result.text : '';
}

const HEAD = 'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata:\n  name: a\n';

/** Each case: as written, and in canonical form. */
const CASES: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'fields go in the order of the schema, with two spaces': [
    'spec:\n    sla:\n        low: 720h\n        critical: 24h\n    enforcement: Audit\nmetadata:\n    labels: {b: "1", a: "2"}\n    name: a\nkind: ImagePolicy\napiVersion: ipo.dev/v1\n',
    'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata:\n  name: a\n  labels:\n    b: "1"\n    a: "2"\nspec:\n  enforcement: Audit\n  sla:\n    critical: 24h\n    low: 720h\n',
  ],
  'a comment goes with the field that it stands above or behind': [
    `${HEAD}spec:\n  # four weeks\n  sla: {low: 720h} # agreed\n  # audit first\n  enforcement: Audit # for now\n`,
    `${HEAD}spec:\n  # audit first\n  enforcement: Audit # for now\n  # four weeks\n  sla:\n    low: 720h\n    # agreed\n`,
  ],
  'a comment below a list belongs to the field after it': [
    `${HEAD}spec:\n  allowedRegistries:\n    - ghcr.io\n    # the last of the list\n  # about namespaces\n  targetNamespaces: [a]\n`,
    `${HEAD}spec:\n  # about namespaces\n  targetNamespaces: [a]\n  allowedRegistries:\n    - ghcr.io\n    # the last of the list\n`,
  ],
  'a comment above an entry stays above its dash': [
    `${HEAD}spec:\n  provenance:\n    trustedBuilders:\n      # the old one\n      - level: 1\n        id: x\n    minLevel: 1\n`,
    `${HEAD}spec:\n  provenance:\n    minLevel: 1\n    trustedBuilders:\n      # the old one\n      - id: x\n        level: 1\n`,
  ],
  'a comment at the top stays at the top': [
    `# about the file\n\n# about kind\nkind: ImagePolicy\napiVersion: ipo.dev/v1\nmetadata: {name: a}\nspec: {}\n`,
    `# about the file\n\napiVersion: ipo.dev/v1\n# about kind\nkind: ImagePolicy\nmetadata:\n  name: a\nspec: {}\n`,
  ],
  'blank lines between fields stay, more than one becomes one': [
    `${HEAD}spec:\n  enforcement: Audit\n\n\n\n  denyLatestTag: true\n`,
    `${HEAD}spec:\n  enforcement: Audit\n\n  denyLatestTag: true\n`,
  ],
  'a key written with escapes becomes a block': [
    `${HEAD}spec:\n  signature:\n    keys: [${JSON.stringify(KEY)}]\n    required: true\n`,
    `${HEAD}spec:\n  signature:\n    required: true\n    keys:\n      - |\n        ${KEY.trimEnd().replaceAll('\n', '\n        ')}\n`,
  ],
  'texts that YAML 1.1 would take for something else keep their quotes': [
    `${HEAD}spec:\n  targetNamespaces: ["on", 'no', "123"]\n`,
    `${HEAD}spec:\n  targetNamespaces: ["on", 'no', "123"]\n`,
  ],
  'JSON stays JSON': [
    '{"spec":{"sla":{"low":"720h","high":"1h"},"enforcement":"Audit"},"kind":"ImagePolicy","apiVersion":"ipo.dev/v1","metadata":{"name":"a"}}',
    `${JSON.stringify({ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name: 'a' }, spec: { enforcement: 'Audit', sla: { high: '1h', low: '720h' } } }, null, 2)}\n`,
  ],
  'several documents stay several, empty ones go': [
    `---\n${HEAD}spec: {}\n---\n# between\n---\n---\n# second\n${HEAD.replace('name: a', 'name: b')}spec: {}\n...\n`,
    `${HEAD}spec: {}\n---\n# between\n---\n# second\n${HEAD.replace('name: a', 'name: b')}spec: {}\n`,
  ],
  'a byte order mark and CRLF go': [`\uFEFF${HEAD}spec: {}\n`.replaceAll('\n', '\r\n'), `${HEAD}spec: {}\n`],
};

for (const [name, [before, after]] of Object.entries(CASES)) {
  test(name, () => {
    assert.equal(format(before), after);
    assert.equal(format(after), after, 'the canonical form is its own');
  });
}

test('an invalid file has no canonical form, and says why', () => {
  const result = formatPolicies(`${HEAD}spec: {enforcment: Audit}\n`, 'x.yaml');
  assert.deepEqual(result.kind === 'invalid' && result.problems.map(({ rule, line }) => [rule, line]), [
    ['unknown-field', 5],
  ]);
});

for (const choices of [
  { name: 'image-policy', enforce: false, namespaces: [], registries: [] },
  {
    name: 'a.b-1',
    enforce: true,
    namespaces: ['shop', 'on', '123', 'null'],
    registries: ['ghcr.io/acme', 'localhost:5000', '[::1]:5000/x'],
  },
]) {
  test(`the started policy ${choices.name} says what was chosen, is canonical and lints clean`, () => {
    const text = starterPolicy(choices);
    const file = parsePolicies(text, 'x.yaml');
    assert.deepEqual(lintPolicies([file]), []);
    const { name, spec } = file.policies[0]?.policy ?? assert.fail();
    assert.deepEqual(
      [name, spec.enforcement, spec.targetNamespaces, spec.allowedRegistries],
      [choices.name, choices.enforce ? 'Enforce' : 'Audit', choices.namespaces, choices.registries],
    );
    assert.deepEqual(spec.sla, {
      critical: '24h',
      high: '168h',
      medium: '720h',
      low: '2160h',
      triage: '2160h',
    });
    assert.equal(format(text), text);
  });
}

test('the started policy shows every field of the spec, each under a comment', () => {
  const text = starterPolicy({ name: 'a', enforce: false, namespaces: [], registries: [] });
  const written = parsePolicies(text, 'x').policies[0]?.written as { spec: object };
  const full = parsePolicies(text, 'x').policies[0]?.policy.spec ?? {};
  assert.deepEqual(Object.keys(written.spec), Object.keys(full));
  const lines = text.split('\n');
  for (const field of Object.keys(full)) {
    const at = lines.findIndex((line) => line.startsWith(`  ${field}:`));
    assert.match(lines[at - 1] ?? '', /^ {2}# /, field);
  }
});
