import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releasesRoutes } from '../../src/api/index.ts';
import { releasesBody, type ReleaseBody } from '../../src/releases/index.ts';
import { startApi } from './service.ts';

test('the API lists the catalogue as the command line does, whole or in pages', async (t) => {
  const { as } = await startApi(t, releasesRoutes());
  type Body = { readonly items: readonly ReleaseBody[]; readonly total: number };
  const { body } = await as('viewer').json<Body>('GET /releases');
  assert.deepEqual(body, JSON.parse(JSON.stringify(releasesBody())));
  const page = await as('viewer').json<Body>('GET /releases', { query: { limit: 2, offset: 1 } });
  assert.deepEqual(page.body, { items: body.items.slice(1, 3), total: body.total });
});
