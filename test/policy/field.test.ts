import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { WRONG, type Field } from '../../src/policy/field.ts';
import { policyDocument } from '../../src/policy/schema.ts';
import { runs } from '../runs.ts';
import { arbitrarySpec, shuffled } from './arbitrary.ts';
import { KEY } from './policy-text.ts';

const { schema } = policyDocument;

const document = (spec: unknown, metadata: unknown = { name: 'a' }): unknown => ({
  apiVersion: 'ipo.dev/v1',
  kind: 'ImagePolicy',
  metadata,
  spec,
});

/** What reading gives, as text: the order of fields counts. */
function asText(value: unknown): string | typeof WRONG {
  return value === WRONG ? WRONG : JSON.stringify(value);
}

/** Values that stand in the wrong place, or are wrong in most of them. */
const odd = fc.constantFrom<unknown>(
  ...[undefined, null, true, 0, -0, 1, 3, 4, -1, 1.5, NaN, 2 ** 60],
  ...['', 'a', 'Audit', 'HIGH', '24h', '0h', '-1h', '1d', '\ud800', 'x'.repeat(300), 'x'.repeat(2000)],
  ...['NS', 'a.b', 'ghcr.io/a:1', '(', '[a-z]+', KEY, KEY.slice(0, 60), '__proto__'],
  ...[[], [[]], [null], [undefined], ['a'], Array.from({ length: 300 }, () => 'a'), {}, { a: 1 }],
  ...[new Map(), new Date(0), Object.create(null), JSON.parse('{"__proto__":"x"}')],
  ...[{ identity: 'a', key: KEY }, { issuer: 'a' }, { name: 'a', labels: { b: 1 } }, { required: true }],
);

/** A copy of a value in which a place, that `at` picks, holds another value, under another name, or nothing. */
function damaged(value: unknown, at: readonly number[], by: unknown, how: number): unknown {
  const [step = 0, ...rest] = at;
  if (at.length === 0 || value === null || typeof value !== 'object') return by;
  const keys = Object.keys(value);
  const key = keys[step % Math.max(1, keys.length)];
  if (key === undefined) return by;
  const inner: unknown = (value as Record<string, unknown>)[key];
  const changed = damaged(inner, rest, by, how);
  if (Array.isArray(value)) return value.map((one: unknown, i) => (String(i) === key ? changed : one));
  const copy = new Map(Object.entries(value));
  if (rest.length > 0 || how === 0) copy.set(key, changed);
  else if (how === 1) copy.delete(key);
  else copy.set(`${key}s`, by);
  return Object.fromEntries(copy);
}

describe('reading a policy without its schema', () => {
  it('takes every valid policy and gives what the schema gives', () => {
    fc.assert(
      fc.property(arbitrarySpec, fc.nat(), (spec, seed) => {
        const value = shuffled(document(spec), seed);
        assert.equal(asText(policyDocument.read(value)), JSON.stringify(schema.parse(value)));
      }),
      { numRuns: runs(300) },
    );
  });

  it('gives what the schema gives or leaves the value to it, whatever is wrong', () => {
    fc.assert(
      fc.property(
        arbitrarySpec,
        fc.array(fc.nat(30), { maxLength: 6 }),
        odd,
        fc.nat(2),
        (spec, at, by, how) => {
          const value = damaged(document(spec), at, by, how);
          const read = policyDocument.read(value);
          if (read === WRONG) return;
          assert.equal(asText(read), JSON.stringify(schema.parse(value)));
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it('takes what the API server adds', () => {
    const metadata = {
      name: 'a',
      uid: 'u',
      generation: 3,
      labels: { b: 'c', a: '' },
      annotations: {},
      managedFields: [{}],
    };
    const value = { ...(document({}, metadata) as object), status: { conditions: [] } };
    assert.equal(asText(policyDocument.read(value)), JSON.stringify(schema.parse(value)));
  });

  it('gives fresh defaults each time', () => {
    const [first, second] = [read({}), read({})];
    first.spec.targetNamespaces.push('shop');
    first.spec.signature.keys.push('key');
    assert.deepEqual([second.spec.targetNamespaces, second.spec.signature.keys], [[], []]);
    assert.deepEqual(read({}), schema.parse(document({})));
  });
});

function read(spec: unknown): { spec: { targetNamespaces: string[]; signature: { keys: string[] } } } {
  return (policyDocument as Field).read(document(spec)) as ReturnType<typeof read>;
}
