import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewRow } from '../../src/ledger/index.ts';
import { NO_CEILING, type Ceiling } from '../../src/licence/index.ts';
import { Meter, type MeterStore, type NodeStanding } from '../../src/nodes/index.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { meterStore } from '../../src/store/cluster/meter.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { listen } from '../ledger/parts.ts';
import { forEachEngine } from '../store/engines.ts';
import { rowsOf } from '../store/image-records.ts';

const AT = Date.UTC(2026, 10, 20, 6);
const DECEMBER = Date.UTC(2026, 11, 1);
const SIGNAL = new AbortController().signal;

const ENFORCED: NodeStanding = {
  ...{ count: 4, ceiling: 3, countedAt: AT, state: 'enforced', overSince: 0, notified: 'nodes_enforced' },
};

function made(counted: readonly string[] = [], store?: MeterStore) {
  const world = {
    now: AT,
    ceiling: NO_CEILING as Ceiling | Error,
    standing: null as NodeStanding | null,
    running: [] as string[] | Error,
  };
  const read = <T>(value: T | Error): T => {
    if (value instanceof Error) throw value;
    return value;
  };
  const meter = new Meter({
    cluster: 'eu',
    meter: store ?? {
      names: async (_, month) => new Set(month === '2026-11' ? counted : []),
      follow: async () => false,
    },
    nodes: { standing: async () => world.standing },
    ceilings: { current: async () => read(world.ceiling) },
    running: { names: async () => read(world.running) },
    clock: { now: () => world.now },
    log: listen(),
  });
  return { world, meter };
}

test('without ceilings no name is refused', async () => {
  const { meter } = made();
  assert.equal(meter.refusal('docker.io/library/nginx', AT), null);
  await meter.refresh();
  assert.equal(meter.refusal('docker.io/library/nginx', AT), null);
});

test('beyond the allowance of a month a new name is refused, and one that was admitted is not', async () => {
  const { meter, world } = made(['a.io/one']);
  world.ceiling = { nodes: null, imageNames: 2 };
  await meter.refresh();
  assert.equal(meter.refusal('a.io/two', AT), null);
  assert.equal(meter.counted, 1, 'asking counts nothing');
  meter.admitted(['a.io/two'], AT);
  assert.equal(meter.refusal('a.io/three', AT), 'monthly allowance of 2 image names exceeded');
  assert.deepEqual([meter.refusal('a.io/one', AT), meter.refusal('a.io/two', AT)], [null, null]);
  assert.equal(meter.refusal('a.io/three', DECEMBER), null, 'a new month begins with none');
  await meter.refresh();
  assert.equal(meter.refusal('a.io/two', AT), null, 'though it is not in the database yet');
  meter.admitted(['a.io/three'], DECEMBER);
  assert.equal(meter.counted, 1);
  meter.admitted(['a.io/four'], AT);
  assert.equal(meter.counted, 2, 'a row of the month before does not bring it back');
});

test('an enforced ceiling refuses names that the period has not seen: neither admitted nor running', async () => {
  const { meter, world } = made(['a.io/one']);
  world.standing = ENFORCED;
  world.running = ['a.io/long'];
  await meter.refresh();
  const refused = (at: number): string[] =>
    ['a.io/one', 'a.io/long', 'a.io/new'].filter((name) => meter.refusal(name, at) !== null);
  assert.equal(meter.refusal('a.io/new', AT), 'node ceiling of 3 exceeded');
  assert.deepEqual(refused(AT), ['a.io/new']);
  assert.deepEqual(refused(DECEMBER), ['a.io/one', 'a.io/new'], 'what runs comes back after the first');
  world.standing = { ...ENFORCED, state: 'over' };
  await meter.refresh();
  assert.deepEqual(refused(AT), []);
});

test('what was cleared denies nothing from the next look at the standing on, without reading the names again', async () => {
  let reads = 0;
  const names = async () => ((reads += 1), new Set<string>());
  const { meter, world } = made([], { names, follow: async () => false } as unknown as MeterStore);
  world.standing = ENFORCED;
  await meter.refresh();
  assert.equal(meter.refusal('a.io/new', AT), 'node ceiling of 3 exceeded');
  world.standing = { ...ENFORCED, state: 'within' };
  await meter.refreshStanding();
  assert.deepEqual([meter.refusal('a.io/new', AT), reads], [null, 1]);
});

test('the node ceiling denies no image name until what runs was listed once', async () => {
  const { meter, world } = made(['a.io/one']);
  world.standing = ENFORCED;
  world.running = new Error('the pods of the cluster were not read yet');
  await meter.refresh();
  assert.equal(meter.refusal('a.io/long', AT), null);
  world.running = ['a.io/long'];
  await meter.refresh();
  assert.equal(meter.refusal('a.io/long', AT), null);
  assert.equal(meter.refusal('a.io/new', AT), 'node ceiling of 3 exceeded');
});

test('what cannot be read stays as it was; what was never read refuses nothing', async () => {
  const { meter, world } = made(['a.io/one']);
  world.standing = ENFORCED;
  world.running = ['a.io/long'];
  world.ceiling = { nodes: 3, imageNames: 1 };
  meter.admitted(['a.io/other'], AT);
  assert.equal(meter.refusal('a.io/new', AT), null);
  await meter.refresh();
  world.running = new Error('the list broke off');
  world.ceiling = new Error('the database does not answer');
  await meter.refresh();
  assert.equal(meter.refusal('a.io/new', AT), 'monthly allowance of 1 image names exceeded');
});

forEachEngine('the meter of a ledger', (engine) => {
  let reviews = 0;
  async function append(store: Store, rows: readonly Partial<NewRow>[]): Promise<void> {
    await ledgerWriter(store).appendAll(
      rows.map((row) => ({
        uid: `00000000-0000-4000-8000-${String(++reviews).padStart(12, '0')}`,
        rows: [
          {
            at: AT,
            cluster: 'eu',
            namespace: 'shop',
            container: 'c',
            image: 'nginx',
            allowed: true,
            reason: '',
            ...row,
          },
        ],
      })),
    );
  }

  test('it counts distinct names of admitted images, by the month of their rows', async (t) => {
    const store = await engine.open(t);
    await append(store, [
      { image: 'nginx:1' },
      { image: `docker.io/library/nginx@sha256:${'a'.repeat(64)}`, at: AT + 1 },
      { image: 'ghcr.io/acme/web:1', at: AT + 2 },
      { image: 'ghcr.io/acme/web:1', at: DECEMBER },
      { image: 'ghcr.io/audited/web:1', reason: 'audit mode: tag latest not allowed: x', label: 'tag' },
      { image: 'ghcr.io/refused/web:1', allowed: false, reason: 'registry not allowed: x' },
      { image: 'ghcr.io/beside-refused/web:1', review_allowed: false },
      { image: 'ghcr.io/bypassed/web:1', break_glass: true },
      { image: 'ghcr.io/debug/web:1', subresource: 'ephemeralcontainers' },
      { image: 'ghcr.io/reconciled/web:1', kind: 'reconcile' },
      { image: null, pod_level: true },
      { image: 'Not A Reference' },
    ]);
    const { meter } = made([], meterStore(store));
    await meter.follow(SIGNAL);
    assert.deepEqual(
      await rowsOf(store, 'select month, name, first_admitted_at as at from meter order by month, name'),
      [
        { month: '2026-11', name: 'docker.io/library/nginx', at: AT },
        { month: '2026-11', name: 'ghcr.io/acme/web', at: AT + 2 },
        { month: '2026-11', name: 'ghcr.io/audited/web', at: AT },
        { month: '2026-12', name: 'ghcr.io/acme/web', at: DECEMBER },
      ],
    );
    assert.deepEqual(await meterStore(store).names('eu', '2026-12'), new Set(['ghcr.io/acme/web']));
  });

  test('what a process admitted right before it died is counted by the next one', async (t) => {
    const store = await engine.open(t);
    const { meter, world } = made([], meterStore(store));
    world.ceiling = { nodes: null, imageNames: 1 };
    await meter.refresh();
    await append(store, [{ image: 'a.io/one' }]);
    meter.admitted(['a.io/one'], AT);
    const next = made([], meterStore(store));
    next.world.ceiling = world.ceiling;
    await next.meter.follow(SIGNAL);
    await next.meter.refresh();
    assert.deepEqual(
      [next.meter.refusal('a.io/one', AT), next.meter.refusal('a.io/two', AT)],
      [null, 'monthly allowance of 1 image names exceeded'],
    );
  });

  test('rows are taken in once, a part at a time, by whichever process; months before the first are left out', async (t) => {
    const store = await engine.open(t);
    await append(store, [{ image: 'a.io/old', at: Date.UTC(2026, 9, 31) }]);
    await append(
      store,
      Array.from({ length: 25 }, (_, n) => ({ image: `a.io/n${n}`, at: AT + n })),
    );
    const [one, two] = [meterStore(store), meterStore(store)];
    let turns = 0;
    while ((await Promise.all([one.follow(10, AT), two.follow(10, AT)])).some(Boolean)) turns += 1;
    assert.ok(turns >= 1 && turns <= 3, String(turns));
    const names = await one.names('eu', '2026-11');
    assert.equal(names.size, 25);
    assert.deepEqual(await one.names('eu', '2026-10'), new Set(), 'not counted after the fact');
    assert.equal(await one.follow(10, AT), false);
    await append(store, [{ image: 'a.io/elsewhere', cluster: 'us' }]);
    await append(store, [{ image: 'a.io/late', at: AT + 100 }]);
    assert.equal(await two.follow(10, AT), false);
    assert.equal((await one.names('eu', '2026-11')).size, 26);
    assert.deepEqual(
      await one.names('us', '2026-11'),
      new Set(['a.io/elsewhere']),
      'each cluster has its own',
    );
  });
});
