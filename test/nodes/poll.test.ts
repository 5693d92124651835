import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../src/base/index.ts';
import { withoutCertificate, type Ceiling } from '../../src/licence/index.ts';
import { graceOf, NodePoll, planNodes } from '../../src/nodes/index.ts';
import { nodeStore } from '../../src/store/cluster/nodes.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { raiseClusterFence } from '../../src/store/leadership/cluster-fence.ts';
import { listen } from '../ledger/parts.ts';
import { forEachEngine } from '../store/engines.ts';
import { rowsOf } from '../store/image-records.ts';
import { checkPayloads, subscribe } from '../notify/subscriber.ts';

const AT = Date.UTC(2026, 10, 20, 6);

/** A poll over a real store whose nodes, ceiling and time a test sets. */
async function polling(store: Store) {
  const fence = await raiseClusterFence(store, 'eu', 'one', AT);
  const world = {
    nodes: 11 as number | null | Error,
    ceiling: { nodes: 10, imageNames: null } as Ceiling,
    now: AT,
    leads: true,
    counted: [] as string[],
  };
  const log = listen();
  const poll = new NodePoll({
    cluster: 'eu',
    nodes: {
      count: async () => {
        if (world.nodes instanceof Error) throw world.nodes;
        return world.nodes;
      },
    },
    ceilings: { current: async () => world.ceiling },
    store: nodeStore(store),
    leader: { isLeader: () => world.leads, fence: () => fence },
    grace: graceOf(14),
    clock: { now: () => world.now },
    log,
    count: { add: (_, labels) => void world.counted.push(labels?.outcome ?? '') },
  });
  const told = (): Promise<readonly unknown[]> => checkPayloads(store);
  if ((await rowsOf(store, 'select id from channels')).length === 0) await subscribe(store);
  return { world, poll, told, log };
}

forEachEngine('counting nodes', (engine) => {
  test('nodes that cannot be counted are said once, and once when they can be again', async (t) => {
    const { world, poll, log } = await polling(await engine.open(t));
    for (const nodes of [new Error('the API server is away'), new Error('the API server is away'), 5, 5]) {
      world.nodes = nodes;
      await poll.run();
    }
    assert.deepEqual(
      log.lines.filter((line) => !line.startsWith('debug')),
      ['warn the nodes could not be counted; nothing changes', 'info the nodes are counted again'],
    );
  });

  test('transitions go into the outbox with the standing, each once, also from one process to the next', async (t) => {
    const store = await engine.open(t);
    const { world, poll, told } = await polling(store);
    assert.equal((await poll.run())?.state, 'over');
    world.now += 13 * DAY_MS;
    assert.equal((await poll.run())?.state, 'over');
    const next = await polling(store);
    next.world.now = AT + 14 * DAY_MS;
    assert.equal((await next.poll.run())?.state, 'enforced');
    assert.equal((await next.poll.run())?.state, 'enforced');
    assert.deepEqual(await told(), ['nodes_over', 'nodes_enforced']);
    next.world.nodes = 10;
    assert.equal((await next.poll.run())?.state, 'within');
    await next.poll.run();
    assert.deepEqual(await told(), ['nodes_over', 'nodes_enforced', 'nodes_cleared']);
    const [first] = await rowsOf(
      store,
      'select subject, count, items, first_at, last_at from outbox order by id',
    );
    assert.deepEqual([first?.subject, first?.count, first?.first_at, first?.last_at], ['eu', 1, AT, AT]);
    assert.equal(JSON.parse(String(first?.items)).enforced_from, '2026-12-04T06:00:00Z');
    assert.deepEqual(await nodeStore(store).standing('eu'), {
      ...{ count: 10, ceiling: 10, countedAt: AT + 14 * DAY_MS },
      ...{ state: 'within', overSince: null, notified: 'nodes_cleared' },
    });
  });

  test('80 percent of the ceiling goes into the outbox', async (t) => {
    const { world, poll, told } = await polling(await engine.open(t));
    world.nodes = 7;
    await poll.run();
    assert.deepEqual(await told(), []);
    world.nodes = 8;
    await poll.run();
    assert.deepEqual(await told(), ['nodes_80']);
  });

  test('a poll that cannot count changes nothing', async (t) => {
    const store = await engine.open(t);
    const { world, poll, told } = await polling(store);
    await poll.run();
    const before = await nodeStore(store).standing('eu');
    world.now += 30 * DAY_MS;
    for (const nodes of [null, new Error('the API server does not answer')]) {
      world.nodes = nodes;
      assert.equal(await poll.run(), null);
    }
    assert.deepEqual(await nodeStore(store).standing('eu'), before);
    assert.deepEqual(await told(), ['nodes_over']);
    assert.deepEqual(world.counted, ['counted', 'not_counted', 'not_counted']);
  });

  test('without a certificate there is no ceiling', async (t) => {
    const store = await engine.open(t);
    const { world, poll, told } = await polling(store);
    world.ceiling = await withoutCertificate.current();
    assert.deepEqual([(await poll.run())?.state, await told()], ['within', []]);
    assert.equal((await nodeStore(store).standing('eu'))?.ceiling, null);
    assert.equal(await nodeStore(store).standing('us'), null, 'another cluster was never counted');
  });

  test('a leader that was followed by another writes nothing', async (t) => {
    const store = await engine.open(t);
    const { world, poll, told } = await polling(store);
    await raiseClusterFence(store, 'eu', 'another', AT);
    await assert.rejects(poll.run(), /another process leads the cluster now/);
    world.leads = false;
    assert.equal(await poll.run(), null);
    assert.deepEqual([await nodeStore(store).standing('eu'), await told()], [null, []]);
  });

  test('a transition whose plan fails leaves neither standing nor event', async (t) => {
    const store = await engine.open(t);
    const fence = await raiseClusterFence(store, 'eu', 'one', AT);
    await subscribe(store);
    const nodes = nodeStore(store);
    const count = { cluster: 'eu', count: 11, ceiling: 10, at: AT, grace: 0 };
    await assert.rejects(
      nodes.change(fence, 'eu', AT, (before) => {
        const plan = planNodes(before, count);
        return { ...plan, notices: [{ event: 'nodes_over', payload: { loop: 1n } }] };
      }),
      TypeError,
    );
    assert.equal(await nodes.standing('eu'), null);
  });
});
