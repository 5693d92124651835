import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemsOf, type Schema } from './json-schema.ts';

const root: Schema = {
  definitions: { name: { type: 'string', minLength: 2 } },
};

test('the schema check finds what is missing, unknown, of another type, or no choice', () => {
  const schema: Schema = {
    type: 'object',
    required: ['id', 'name'],
    additionalProperties: false,
    properties: {
      id: { type: 'integer' },
      name: { $ref: '#/definitions/name' },
      state: { type: 'string', enum: ['open', 'closed'], nullable: true },
      labels: { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'object' }] } },
    },
  };
  const look = (value: unknown): string[] => problemsOf(schema, value, { root, nulls: false });
  assert.deepEqual(look({ id: 1, name: 'ab', state: null, labels: ['a', {}] }), []);
  assert.deepEqual(look({ id: 1.5, name: 'a', state: 'gone', labels: [3], more: 1 }), [
    '$.id: 1.5 is no integer',
    '$.name: too short',
    '$.state: "gone" is no choice',
    '$.labels[0]: 3 is no string',
    '$: more is not known',
  ]);
  assert.deepEqual(look({}), ['$: id is missing', '$: name is missing']);
  assert.deepEqual(look([]), ['$: [] is no object']);
});

test('a reference that leads nowhere is an error of the document', () => {
  assert.throws(
    () => problemsOf({ $ref: '#/definitions/none' }, 1, { root, nulls: false }),
    /has no #\/definitions\/none/,
  );
});
