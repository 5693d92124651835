import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadAuthoring, parsePolicies } from '../../src/policy/index.ts';
import { allFields } from '../../src/policy/fields.ts';
import { KEY, policyText } from './policy-text.ts';

type Schema = Readonly<Record<string, unknown>>;
const { policyJsonSchema, SCHEMA_ID } = await loadAuthoring();
const schema: Schema = policyJsonSchema();

/** Every schema of a value, with the path of the field; the words that combine (anyOf, if) are left out. */
function* walk(at: Schema, path: string): Generator<readonly [path: string, schema: Schema]> {
  yield [path, at];
  for (const [name, field] of Object.entries((at.properties ?? {}) as Readonly<Record<string, Schema>>))
    yield* walk(field, `${path}.${name}`);
  if (at.items !== undefined) yield* walk(at.items as Schema, `${path}[]`);
  if (typeof at.additionalProperties === 'object')
    yield* walk(at.additionalProperties as Schema, `${path}.*`);
}

const byPath = new Map(walk(schema, ''));
const at = (path: string): Schema => byPath.get(path) ?? assert.fail(`no ${path}`);

test('it is draft 2020-12 with an id and a title', () => {
  assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema');
  assert.equal(schema.$id, SCHEMA_ID);
  assert.equal(schema.title, 'ImagePolicy');
  assert.doesNotMatch(JSON.stringify(schema), /"\$ref"/, 'editors differ in how they follow references');
});

test('every field and every entry has a description', () => {
  for (const [path, { description }] of byPath) {
    assert.ok(
      typeof description === 'string' && description.endsWith('.'),
      `${path || 'the document'}: ${String(description)}`,
    );
  }
});

test('it has every field of the schema that validates, and no other is allowed', () => {
  for (const path of allFields()) at(`.${path.join('.')}`);
  for (const [path, { type, additionalProperties, properties }] of byPath) {
    if (type === 'object' && properties !== undefined) assert.equal(additionalProperties, false, path);
  }
});

test('what has a default need not be written', () => {
  assert.deepEqual(schema.required, ['apiVersion', 'kind', 'metadata', 'spec']);
  assert.equal(at('.spec').required, undefined);
  for (const [path, value] of Object.entries({
    '.spec.enforcement': 'Audit',
    '.spec.severityThreshold': 'CRITICAL',
    '.spec.targetNamespaces': [],
    '.spec.signature': {},
    '.spec.provenance.minLevel': 0,
    '.spec.breakGlass.allowed': false,
  })) {
    assert.deepEqual(at(path).default, value, path);
  }
});

test('the default it tells is the one that is filled in', () => {
  const { policies } = parsePolicies(policyText({}), 'x');
  const spec = policies[0]?.policy.spec as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(spec)) {
    const told = at(`.spec.${name}`).default;
    if (name !== 'sla' && typeof told !== 'object') assert.deepEqual(told, value, name);
  }
});

/** What a check of ours asks stands in the schema too: both give the same answer. */
const TEXTS: readonly (readonly [path: string, spec: (text: string) => unknown, texts: readonly string[]])[] =
  [
    [
      '.spec.sla.critical',
      (critical) => ({ sla: { critical } }),
      ['24h', '1h30m', '1.5h', '.5s', '+1h', '0s', '0h0m', '1d', '24', 'h', '-1h', ''],
    ],
    [
      '.spec.targetNamespaces[]',
      (name) => ({ targetNamespaces: [name] }),
      ['shop', 'a', 'Shop', '-a', 'a-', 'a.b', 'x'.repeat(63), 'x'.repeat(64)],
    ],
    [
      '.spec.allowedRegistries[]',
      (entry) => ({ allowedRegistries: [entry] }),
      [
        'ghcr.io',
        'ghcr.io/acme',
        'r:5000/a/b',
        '[::1]:5000',
        'https://ghcr.io',
        'ghcr.io/',
        'ghcr.io/*',
        'a:b',
        'ghcr.io/A',
      ],
    ],
    [
      '.spec.signature.keys[]',
      (key) => ({ signature: { keys: [key] } }),
      [KEY, KEY.trim(), 'key', `${KEY}x`.replaceAll('PUBLIC', 'PRIVATE')],
    ],
  ];
for (const [path, spec, texts] of TEXTS) {
  test(`the pattern of ${path.slice(1)} accepts what the validation accepts`, () => {
    const pattern = new RegExp(String(at(path).pattern), 'u');
    for (const text of texts) {
      const valid = parsePolicies(policyText(spec(text)), 'x').problems.length === 0;
      assert.equal(pattern.test(text), valid, JSON.stringify(text));
    }
  });
}

test('exactly one of, and at least one of, are said in words of JSON Schema', () => {
  assert.deepEqual(at('.spec.vex.trustedIssuers[]').oneOf, [
    { required: ['identity'] },
    { required: ['identityRegExp'] },
    { required: ['key'] },
  ]);
  assert.deepEqual(at('.spec.vex.trustedIssuers[]').not, {
    anyOf: [
      { required: ['issuer', 'issuerRegExp'] },
      { required: ['key', 'issuer'] },
      { required: ['key', 'issuerRegExp'] },
    ],
  });
  assert.deepEqual(at('.spec.provenance.trustedBuilders[]').not, {
    anyOf: [
      { required: ['signer', 'identityRegExp'] },
      { required: ['signer', 'key'] },
      { required: ['identityRegExp', 'key'] },
      { required: ['issuer', 'issuerRegExp'] },
      { required: ['key', 'issuer'] },
      { required: ['key', 'issuerRegExp'] },
    ],
  });
  assert.ok(Array.isArray(at('.spec.attestations[]').anyOf));
  assert.deepEqual(at('.spec.signature').if, {
    required: ['required'],
    properties: { required: { const: true } },
  });
});
