import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parsePolicies, parsePolicyValue, PolicyError } from '../../src/policy/index.ts';
import { runs } from '../runs.ts';
import { arbitrarySpec } from './arbitrary.ts';

const document = (spec: unknown, metadata: unknown = { name: 'baseline' }): Record<string, unknown> => ({
  apiVersion: 'ipo.dev/v1',
  kind: 'ImagePolicy',
  metadata,
  spec,
});

/** What both readers say of a value: the revision, or each problem with its path, whatever their order. */
function asFile(value: unknown): unknown {
  const { policies, problems } = parsePolicies(JSON.stringify(value), 'body');
  return policies[0]?.policy.revision ?? said(problems);
}

function asValue(value: unknown): unknown {
  try {
    return parsePolicyValue(value).policy.revision;
  } catch (error) {
    assert.ok(error instanceof PolicyError);
    return said(error.problems);
  }
}

const said = (problems: readonly { path: string; message: string; hint: string | null }[]): string[] =>
  problems.map(({ path, message, hint }) => `${path}: ${message} (${hint})`).toSorted();

test('a value is read as a file of the same JSON is: the same revision, or the same problems', () => {
  const wrong = fc.oneof(
    fc.constantFrom(null, 'Enforced', 7, true, [], {}, 'CRITICL', ['docker.io/'], { level: 9 }, '0s', [null]),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const field = fc.constantFrom(
    ...[
      'enforcement',
      'severityThreshold',
      'allowedRegistries',
      'targetNamespaces',
      'provenance',
      'sla',
      'vex',
    ],
    ...['signature', 'attestations', 'breakGlass', 'runtime', 'denyLatest', 'spec', 'deploymentContext'],
  );
  const value = fc.oneof(
    arbitrarySpec.map((spec) => document(spec)),
    fc.tuple(arbitrarySpec, field, wrong).map(([spec, name, entry]) => document({ ...spec, [name]: entry })),
    fc.tuple(field, wrong).map(([name, entry]) => ({ ...document({}), [name]: entry })),
    wrong.map((metadata) => document({}, metadata)),
  );
  fc.assert(
    fc.property(value, (one) => assert.deepEqual(asValue(one), asFile(one))),
    { numRuns: runs(400) },
  );
});

test('a quoted "<<", as JSON has it, is a field that nobody knows, not a merge key', () => {
  for (const one of [document({ '<<': {} }), document({ vex: { '<<': 1 } }), { ...document({}), '<<': null }])
    assert.deepEqual(asValue(one), asFile(one));
});

test('the paths of a draft inside a request begin with its field', () => {
  assert.throws(
    () => parsePolicyValue(document({ runtime: {} }), 'policy'),
    (error: PolicyError) => {
      assert.equal(error.problems[0]?.path, 'policy.spec.runtime');
      assert.equal(error.problems[0]?.message, 'unknown field "spec.runtime"');
      return true;
    },
  );
});

test('what the API server writes into an object is not kept', () => {
  const value = {
    ...document(
      { enforcement: 'Enforce', sla: null },
      { name: 'a', labels: { owner: 'x' }, uid: 'u', managedFields: [{}] },
    ),
    status: { observed: true },
  };
  assert.deepEqual(
    parsePolicyValue(value).document,
    document({ enforcement: 'Enforce' }, { name: 'a', labels: { owner: 'x' } }),
  );
});

test('hostile values are refused: too deep, too large, full of unknown fields, no object', () => {
  let deep: unknown = 1;
  for (let i = 0; i < 90; i += 1) deep = [deep];
  const many = Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`field${i}`, 1]));
  const cases: readonly (readonly [value: unknown, rule: string])[] = [
    [document({ targetNamespaces: deep }), 'depth'],
    [document({}, { name: 'a', labels: { x: 'y'.repeat(270_000) } }), 'size'],
    [document(many), 'unknown-field'],
    [undefined, 'missing'],
    [null, 'type'],
    [[document({})], 'type'],
    ['apiVersion: ipo.dev/v1', 'type'],
  ];
  for (const [value, rule] of cases) {
    assert.throws(
      () => parsePolicyValue(value),
      (error: unknown) => {
        assert.ok(error instanceof PolicyError);
        assert.equal(error.problems[0]?.rule, rule);
        assert.ok(error.problems.length <= 100);
        return true;
      },
    );
  }
});
