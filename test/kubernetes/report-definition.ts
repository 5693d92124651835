import type { Json } from './fake/objects.ts';

/** reportDefinition is a definition of namespace reports as their own projects have it, of the fields that are used. */
export function reportDefinition(group: string, version: string, kind: string, plural: string): Json {
  const text = { type: 'string' };
  const count = { type: 'integer' };
  const results = {
    type: 'object',
    required: ['policy'],
    properties: {
      ...{ policy: text, rule: text, message: text, source: text, category: text },
      result: { type: 'string', enum: ['pass', 'fail', 'warn', 'error', 'skip'] },
      scored: { type: 'boolean' },
      timestamp: {
        type: 'object',
        required: ['nanos', 'seconds'],
        properties: { nanos: count, seconds: count },
      },
      properties: { type: 'object', additionalProperties: text },
    },
  };
  const schema = {
    type: 'object',
    properties: {
      ...{ apiVersion: text, kind: text, metadata: { type: 'object' } },
      ...(kind === 'Report' && { source: text }),
      scope: { type: 'object', properties: { apiVersion: text, kind: text, name: text } },
      summary: {
        type: 'object',
        properties: { pass: count, fail: count, warn: count, error: count, skip: count },
      },
      results: { type: 'array', items: results },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural },
      versions: [{ name: version, schema: { openAPIV3Schema: schema } }],
    },
  };
}
