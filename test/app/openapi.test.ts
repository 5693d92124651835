import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { BODY_EXAMPLES } from '../../src/api/examples.ts';
import { openApiDocument } from '../../src/api/index.ts';
import { serviceRoutes } from '../../src/app/service/routes.ts';

/**
 * Of the recommended rules all but three, which speak of what is meant. A sign-in at the identity provider answers with a redirect
 * alone. `not: {required}` is how a schema of JSON says that a
 * field must be absent. `POST /policies/whatif` and the routes of kept runs stand beside `/policies/{name}`: the paths are those of the service's
 * description, and the router takes a fixed step before an open one.
 */
const RULES = {
  extends: ['recommended'],
  rules: {
    'operation-2xx-response': 'off',
    'no-required-schema-properties-undefined': 'off',
    'no-ambiguous-paths': 'off',
  },
} as const;

/** Routes are made without being called, so nothing of a service is needed. */
const nothing = new Proxy({}, { get: () => nothing }) as never;
const routes = serviceRoutes(nothing, '0');
const source = JSON.stringify(openApiDocument(routes, '0'));

test('the description of the API passes a public linter', async () => {
  const config = await createConfig({ extends: [...RULES.extends], rules: { ...RULES.rules } });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  assert.deepEqual(
    problems.map(
      ({ severity, ruleId, message, location }) =>
        `${severity} ${ruleId}: ${message} (${location[0]?.pointer})`,
    ),
    [],
  );
});

test('operations have names of their own, and every shared part is used', () => {
  const document = JSON.parse(source) as {
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>;
    components: { schemas: Record<string, unknown>; responses: Record<string, unknown> };
  };
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const ids = operations.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length);
  for (const { operationId, responses } of operations) {
    assert.ok(
      Object.keys(responses).some((status) => status.startsWith('2') || status.startsWith('3')),
      operationId,
    );
    assert.ok('500' in responses, operationId);
  }
  for (const kind of ['schemas', 'responses'] as const)
    for (const name of Object.keys(document.components[kind]))
      assert.ok(source.includes(`"#/components/${kind}/${name}"`), `${kind}/${name} is used`);
});

test('every call that takes a body has an example, which its schema takes', () => {
  const taking = routes.filter(({ body }) => body !== undefined);
  assert.deepEqual(taking.map(({ key }) => key).toSorted(), Object.keys(BODY_EXAMPLES).toSorted());
  for (const { key, body } of taking) {
    const parsed = body?.safeParse(BODY_EXAMPLES[key]);
    assert.ok(parsed?.success, `${key}: ${parsed?.error?.message}`);
  }
});
