import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodesRoutes } from '../../src/api/index.ts';
import type { NodesBody } from '../../src/api/contract/nodes.ts';
import { DAY_MS } from '../../src/base/index.ts';
import type { NodeStanding } from '../../src/nodes/index.ts';
import { startApi } from './service.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');

const within: NodeStanding = {
  ...{ count: 4, ceiling: null, countedAt: NOW, state: 'within', overSince: null, notified: null },
};
const over: NodeStanding = {
  ...{
    count: 12,
    ceiling: 10,
    countedAt: NOW,
    state: 'over',
    overSince: NOW - DAY_MS,
    notified: 'nodes_over',
  },
};

test('nodes tell how each cluster stands, until when the grace runs, and the names of the month', async (t) => {
  const months: string[] = [];
  const routes = nodesRoutes({
    nodes: {
      all: async () =>
        new Map([
          ['', within],
          ['prod', over],
        ]),
    },
    meter: {
      names: async (cluster, month) => (
        months.push(`${cluster} ${month}`),
        new Set(['ghcr.io/acme/web', 'docker.io/library/nginx'])
      ),
    },
    grace: 14 * DAY_MS,
    clock: { now: () => NOW },
  });
  const { as } = await startApi(t, routes);
  const { body } = await as('viewer').json<NodesBody>('GET /system/nodes');
  assert.deepEqual(body, {
    items: [
      { cluster: '', count: 4, ceiling: null, counted_at: '2026-11-20T12:00:00Z', state: 'within', names: 2 },
      {
        ...{
          cluster: 'prod',
          count: 12,
          ceiling: 10,
          counted_at: '2026-11-20T12:00:00Z',
          state: 'over',
          names: 2,
        },
        ...{ over_since: '2026-11-19T12:00:00Z', enforced_from: '2026-12-03T12:00:00Z' },
      },
    ],
    ...{ total: 2, month: '2026-11', names: 4 },
  });
  assert.deepEqual(months, [' 2026-11', 'prod 2026-11']);
});
