import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Informer, RESOURCES, type KubeObject } from '../../src/adapters/kubernetes/index.ts';
import { StatusError } from './fake/status-error.ts';
import {
  benchOf,
  eventually,
  onEveryServer,
  openFake,
  plainConnection,
  realTime,
  silent,
  type Bench,
} from './servers.ts';

type Data = Readonly<Record<string, string>>;

const configMap = (name: string, data: Data, labels: Data = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels },
  data,
});

const CONFIG_MAPS = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };

function informer(
  { api, atEnd }: Bench,
  mark: string,
  onChange: (keys: readonly string[] | null) => void = () => {},
) {
  const made = new Informer<Data>({
    api,
    resource: CONFIG_MAPS,
    namespace: 'default',
    labelSelector: `test=${mark}`,
    project: (object) => (object as KubeObject & { data?: Data }).data ?? {},
    onChange,
    clock: realTime,
    log: silent,
    random: () => 0,
  });
  atEnd(() => made.stop());
  return made;
}

onEveryServer(
  'what is listed and watched is what the server has, over pages and changes',
  async (_, bench) => {
    const mark = bench.name('m');
    const labels = { test: mark };
    for (let i = 0; i < 3; i += 1) await bench.put(configMap(`${mark}-${i}`, { i: String(i) }, labels));
    const changes: (readonly string[] | null)[] = [];
    const held = informer(bench, mark, (keys) => changes.push(keys));
    assert.equal(held.synced, false);
    assert.notEqual(held.staleSince(), 1);
    held.start();
    assert.equal(await held.untilSynced(10_000), true);
    assert.deepEqual(
      [...held.objects.keys()],
      [0, 1, 2].map((i) => `default/${mark}-${i}`),
    );
    await bench.put(configMap(`${mark}-new`, { i: 'new' }, labels));
    await eventually(() => held.objects.get(`default/${mark}-new`)?.['i'] === 'new');
    const path = `/api/v1/namespaces/default/configmaps/${mark}-1`;
    await bench.api.call({
      method: 'PATCH',
      patch: 'merge',
      path,
      body: { data: { i: 'changed' } },
      what: 'it',
    });
    await eventually(() => held.objects.get(`default/${mark}-1`)?.['i'] === 'changed');
    // One that the selector no longer holds for is gone, as one that was deleted.
    await bench.api.call({
      method: 'PATCH',
      patch: 'merge',
      path,
      body: { metadata: { labels: { test: 'no' } } },
      what: 'it',
    });
    await bench.api.call({
      method: 'DELETE',
      path: `/api/v1/namespaces/default/configmaps/${mark}-2`,
      what: 'it',
    });
    await eventually(() => !held.objects.has(`default/${mark}-2`) && !held.objects.has(`default/${mark}-1`));
    assert.equal(held.staleSince(), null);
    assert.deepEqual(changes[0], null);
    assert.ok(changes.some((keys) => keys?.includes(`default/${mark}-new`) === true));
  },
);

async function faked(t: TestContext, options: Parameters<typeof openFake>[0] = {}) {
  const { fake, url } = await openFake(options);
  const bench = benchOf(t, () => plainConnection(url), fake);
  return { fake, bench };
}

test('a list of many pages is whole, also when its first version is gone before the last page', async (t) => {
  const { fake, bench } = await faked(t);
  for (let i = 0; i < 1_203; i += 1)
    fake.seed(configMap(`c${String(i).padStart(4, '0')}`, {}, { test: 'many' }));
  let pages = 0;
  fake.faults.answer = ({ path, query }) => {
    if (!path.endsWith('/configmaps') || query.has('watch')) return null;
    pages += 1;
    if (pages === 2) fake.objects.compact();
    if (pages === 2) fake.seed(configMap('c9999', {}, { test: 'many' }));
    return pages === 2 ? new StatusError(410, 'Expired', 'The provided continue parameter is too old') : null;
  };
  const held = informer(bench, 'many');
  held.start();
  assert.equal(await held.untilSynced(10_000), true);
  assert.equal(held.objects.size, 1_204);
  assert.equal(pages, 3);
});

test('a watch goes on from a bookmark, so that a server that forgot old changes costs no new list', async (t) => {
  const { fake, bench } = await faked(t, { bookmarkMs: 20 });
  fake.seed(configMap('a', { v: '1' }, { test: 'x' }));
  const held = informer(bench, 'x');
  held.start();
  await held.untilSynced(5_000);
  // Changes of other kinds, which this watch has no event of.
  for (let i = 0; i < 50; i += 1)
    fake.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `n${i}` } });
  const version = fake.objects.version;
  await new Promise((resolve) => setTimeout(resolve, 100));
  fake.objects.compact();
  fake.endWatches();
  await eventually(() => fake.seen.filter(({ query }) => query.get('watch') === '1').length >= 2);
  fake.seed(configMap('b', { v: '2' }, { test: 'x' }));
  await eventually(() => held.objects.has('default/b'));
  const lists = fake.seen.filter(({ path, query }) => path.endsWith('/configmaps') && !query.has('watch'));
  assert.equal(lists.length, 1);
  const last = fake.seen.findLast(({ query }) => query.get('watch') === '1');
  assert.ok(Number(last?.query.get('resourceVersion')) >= version);
});

test('a version that is gone brings a new list, and what was deleted meanwhile goes', async (t) => {
  const { fake, bench } = await faked(t, { bookmarkMs: 60_000 });
  const gone = fake.seed(configMap('gone', {}, { test: 'x' }));
  fake.seed(configMap('stays', {}, { test: 'x' }));
  const held = informer(bench, 'x');
  held.start();
  await held.untilSynced(5_000);
  fake.faults.answer = () => new StatusError(503, 'ServiceUnavailable', 'away');
  fake.endWatches();
  await eventually(() => held.staleSince() !== null);
  assert.deepEqual(
    [...held.objects.keys()].toSorted(),
    ['default/gone', 'default/stays'],
    'old contents are served meanwhile',
  );
  assert.equal(held.fault?.fault, 'server');
  fake.objects.remove(fake.kindOf('v1', 'ConfigMap'), gone);
  fake.seed(configMap('new', {}, { test: 'x' }));
  fake.objects.compact();
  fake.faults.answer = null;
  await eventually(() => held.objects.has('default/new'));
  assert.deepEqual([...held.objects.keys()].toSorted(), ['default/new', 'default/stays']);
  assert.equal(held.staleSince(), null);
  assert.equal(held.fault, null);
});

test('a version that the server answers with its own faults again and again is given up for a new list', async (t) => {
  const { fake, url } = await openFake();
  const bench = benchOf(t, () => plainConnection(url), fake);
  await bench.put(configMap('a', {}, { test: 'm' }));
  const held = informer(bench, 'm');
  held.start();
  assert.equal(await held.untilSynced(10_000), true);
  await eventually(() => fake.watches === 1);
  const ahead = fake.seen.findLast(({ query }) => query.get('watch') !== null)?.query.get('resourceVersion');
  // As after its etcd was restored from a backup: no watch from a version that is still to come.
  fake.faults.answer = ({ query }) =>
    query.get('watch') !== null && query.get('resourceVersion') === ahead
      ? new StatusError(504, 'Timeout', `Too large resource version: ${ahead}, current: 7`)
      : null;
  fake.endWatches();
  await eventually(() => held.fault !== null);
  fake.seed(configMap('b', {}, { test: 'm' }));
  await eventually(() => held.objects.has('default/b') && held.staleSince() === null);
});

test('connections that break again and again are waited out longer and longer, and none is left behind', async (t) => {
  const { fake, bench } = await faked(t);
  fake.seed(configMap('a', {}, { test: 'x' }));
  const held = informer(bench, 'x');
  held.start();
  await held.untilSynced(5_000);
  for (let i = 0; i < 3; i += 1) {
    await eventually(() => held.staleSince() === null && fake.watches > 0);
    fake.faults.breakAll();
    await eventually(() => held.staleSince() !== null);
  }
  await eventually(() => held.staleSince() === null);
  assert.ok(fake.faults.connections <= 2, `${fake.faults.connections} connections`);
  await held.stop();
  await eventually(() => fake.faults.connections <= 1);
});

test('an event that is not JSON, or longer than any object is, ends the watch instead of being passed over', async (t) => {
  const { fake, bench } = await faked(t);
  fake.seed(configMap('a', { v: 'ü'.repeat(100_000) }, { test: 'x' }));
  const held = informer(bench, 'x');
  held.start();
  await held.untilSynced(5_000);
  fake.seed(configMap('b', { v: 'ü'.repeat(400_000) }, { test: 'x' }));
  await eventually(() => held.objects.get('default/b')?.['v'] === 'ü'.repeat(400_000));
  fake.seed(configMap('huge', { v: 'x'.repeat(9 * 1024 * 1024) }, { test: 'x' }));
  await eventually(() => held.fault !== null);
  assert.equal(held.fault?.fault, 'unreadable');
  // The list brings it all the same.
  await eventually(() => held.objects.has('default/huge'));
});

test('the server is asked no sooner than it allows', async (t) => {
  const { fake, bench } = await faked(t);
  fake.faults.answer = () => new StatusError(429, 'TooManyRequests', 'slow down', 1);
  const held = informer(bench, 'x');
  held.start();
  await eventually(() => held.fault !== null);
  assert.equal(held.fault?.fault, 'rate_limited');
  assert.equal(held.fault?.retryAfter, 1);
  fake.faults.answer = null;
  assert.equal(await held.untilSynced(5_000), true);
});

test('a kind that is not installed, and one that may not be read, are said so', async (t) => {
  const { fake, bench } = await faked(t);
  const held = new Informer({
    api: bench.api,
    resource: RESOURCES.openReports,
    project: () => 1,
    clock: realTime,
    log: silent,
  });
  bench.atEnd(() => held.stop());
  held.start();
  await eventually(() => held.fault?.fault === 'not_found');
  fake.faults.answer = () => new StatusError(403, 'Forbidden', 'User "x" cannot list resource "configmaps"');
  const other = informer(bench, 'x');
  other.start();
  await eventually(() => other.fault?.fault === 'forbidden');
  assert.match(other.fault?.message ?? '', /cannot list resource "configmaps"/);
});
