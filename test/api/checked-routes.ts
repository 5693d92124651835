import assert from 'node:assert/strict';
import type { Route } from '../../src/api/index.ts';

/**
 * checkedRoutes gives routes whose answers are held against what the API documents of them: a status that is documented, and
 * a body that its schema takes whole. A test that calls them tests the documentation too.
 */
export function checkedRoutes(routes: readonly Route[]): Route[] {
  return routes.map((route) => ({
    ...route,
    handle: async (input) => {
      const answer = await route.handle(input);
      const hasBody = answer.body !== undefined || answer.json !== undefined || answer.stream !== undefined;
      const status = answer.status ?? (hasBody ? 200 : 204);
      const documented = route.answers[status];
      assert.ok(documented, `${route.key} answers with ${status}, which is not documented`);
      const [type] = (answer.type ?? 'application/json').split(';');
      const types = [documented.type ?? 'application/json', ...(documented.otherTypes ?? [])];
      assert.ok(
        types.some((one) => one.split(';')[0] === type),
        `${route.key} answers with ${type}`,
      );
      if (documented.schema === undefined || answer.stream !== undefined) return answer;
      const body =
        answer.json === undefined ? JSON.parse(JSON.stringify(answer.body)) : JSON.parse(answer.json);
      const parsed = documented.schema.safeParse(body);
      assert.ok(parsed.success, `${route.key}: ${parsed.error?.message}`);
      assert.deepEqual(parsed.data, body, `${route.key} answers with more than is documented`);
      return answer;
    },
  }));
}
