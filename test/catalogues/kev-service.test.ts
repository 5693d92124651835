import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IpoError } from '../../src/base/index.ts';
import {
  KnownExploited,
  type CatalogueSource,
  type CatalogueState,
  type CatalogueStore,
  type Fetched,
  type KevCatalogue,
  type KevChange,
  type Validators,
} from '../../src/catalogues/index.ts';
import { keptLog } from '../api/service.ts';

const NOW = Date.UTC(2026, 10, 21);
const NO_VALIDATORS: Validators = { etag: null, lastModified: null };

function catalogueOf(count: number, version = 'v1', releasedAt: number | null = null): KevCatalogue {
  const entries = Array.from({ length: count }, (_, i) => ({
    cve: `CVE-2026-${1000 + i}`,
    dateAdded: null,
    dueDate: null,
  }));
  return { version, releasedAt, entries };
}

/** A store that keeps a catalogue in memory, and tells what was asked of it. */
function memory(): CatalogueStore<KevCatalogue, KevChange> & {
  readonly acts: string[];
  now: CatalogueState;
} {
  const store = {
    acts: [] as string[],
    now: {
      entries: 0,
      version: null,
      releasedAt: null,
      fetchedAt: null,
      checkedAt: null,
      lastError: null,
      source: null,
      validators: NO_VALIDATORS,
    } as CatalogueState,
    state: async () => store.now,
    replace: async (
      { version, releasedAt, entries }: KevCatalogue,
      { source, validators, at }: { source: string; validators: Validators; at: number },
    ) => {
      const added = entries.length - store.now.entries;
      store.acts.push(`replace ${version}`);
      store.now = {
        ...{ entries: entries.length, version, releasedAt, source, validators },
        ...{ fetchedAt: at, checkedAt: at, lastError: null },
      };
      return { added: Math.max(0, added), removed: Math.max(0, -added), redated: 0 };
    },
    checked: async (at: number) => {
      store.acts.push('checked');
      store.now = { ...store.now, checkedAt: at, lastError: null };
    },
    failed: async (message: string) => {
      store.acts.push(`failed: ${message}`);
      store.now = { ...store.now, lastError: message };
    },
    mark: async () => {
      store.acts.push('mark');
      return 0;
    },
  };
  return store;
}

/** A source that gives one answer after another. */
function answers(
  ...given: readonly (Fetched<KevCatalogue> | Error | (() => Promise<Fetched<KevCatalogue>>))[]
): CatalogueSource<KevCatalogue> & { readonly asked: (Validators | null)[] } {
  const asked: (Validators | null)[] = [];
  return {
    name: 'https://kev.example.com/',
    asked,
    ask: async (known) => {
      const answer = given[asked.length];
      asked.push(known);
      if (answer === undefined) throw new assert.AssertionError({ message: 'asked too often' });
      if (answer instanceof Error) throw answer;
      return typeof answer === 'function' ? answer() : answer;
    },
  };
}

const whole = (catalogue: KevCatalogue, validators = NO_VALIDATORS): Fetched<KevCatalogue> => ({
  kind: 'new',
  value: catalogue,
  validators,
});

function open(source: CatalogueSource<KevCatalogue> | null) {
  const store = memory();
  const log = keptLog();
  return { store, log, kev: new KnownExploited({ source, store, log, clock: { now: () => NOW } }) };
}

test('a new catalogue is kept, findings are marked, and it is said once', async () => {
  const validators = { etag: '"1"', lastModified: null };
  const source = answers(whole(catalogueOf(3), validators), { kind: 'same' });
  const { kev, store, log } = open(source);
  assert.equal((await kev.refresh()).outcome, 'updated');
  const second = await kev.refresh();
  assert.deepEqual([second.outcome, second.fault], ['unchanged', null]);
  assert.deepEqual(store.acts, ['replace v1', 'mark', 'checked', 'mark']);
  assert.deepEqual(source.asked, [null, validators]);
  assert.deepEqual(
    log.lines.map(({ level, keys }) => [level, keys['entries'], keys['added']]),
    [['info', 3, 3]],
  );
});

test('what another source gave to ask with is not shown to this one', async () => {
  const source = answers(whole(catalogueOf(3)));
  const { kev, store } = open(source);
  store.now = {
    ...store.now,
    entries: 3,
    source: 'https://other.example.com/',
    validators: { etag: 'x', lastModified: 'y' },
  };
  await kev.refresh();
  assert.deepEqual(source.asked, [null]);
});

test('a source that cannot be had, or gives what is not believed, leaves the kept one in use', async () => {
  const network = new IpoError('network', 'kev.example.com is not a known host');
  const source = answers(
    whole(catalogueOf(1000)),
    network,
    whole(catalogueOf(0)),
    whole(catalogueOf(799, 'v2')),
  );
  const { kev, store, log } = open(source);
  await kev.refresh();
  for (const message of [
    'kev.example.com is not a known host',
    'the catalogue of known exploited vulnerabilities is empty',
    'the catalogue of known exploited vulnerabilities has shrunk from 1000 to 799 entries, so it is not used',
  ]) {
    const { outcome, fault } = await kev.refresh();
    assert.deepEqual([outcome, fault?.message], ['failed', message]);
    assert.deepEqual([store.now.lastError, store.now.entries, store.now.version], [message, 1000, 'v1']);
  }
  assert.equal(log.lines.length, 1, 'who runs it says what is wrong');
});

test('a person may take one that has shrunk', async () => {
  const { kev, store } = open(answers(whole(catalogueOf(1000)), whole(catalogueOf(10, 'v2'))));
  await kev.refresh();
  const { outcome, change } = await kev.refresh({ acceptShrunk: true });
  assert.deepEqual([outcome, change.removed, store.now.entries], ['updated', 990, 10]);
});

test('what a crash left unmarked is marked also when nothing is new, or nobody answers', async () => {
  const { kev, store } = open(answers({ kind: 'same' }, new IpoError('network', 'gone')));
  await kev.refresh();
  await kev.refresh();
  assert.deepEqual(store.acts, ['checked', 'mark', 'failed: gone', 'mark']);
});

test('a defect is thrown, not taken for a fault of the source', async () => {
  const { kev, store } = open(answers(new TypeError('a defect'), { kind: 'same' }));
  await assert.rejects(kev.refresh(), TypeError);
  assert.deepEqual(store.acts, []);
  assert.equal((await kev.refresh()).outcome, 'unchanged', 'the next one runs');
});

test('one refresh runs at a time: who comes meanwhile gets its outcome, who accepts more comes after it', async () => {
  const gate = Promise.withResolvers<Fetched<KevCatalogue>>();
  const source = answers(() => gate.promise, whole(catalogueOf(10, 'v2')));
  const { kev, store } = open(source);
  const first = kev.refresh();
  const second = kev.refresh();
  const third = kev.refresh({ acceptShrunk: true });
  gate.resolve(whole(catalogueOf(1000)));
  assert.equal(await first, await second);
  assert.equal((await third).outcome, 'updated');
  assert.deepEqual(store.acts, ['replace v1', 'mark', 'replace v2', 'mark']);
});

test('without a source nobody is asked', async () => {
  const { kev, store } = open(null);
  assert.equal(kev.off, true);
  assert.equal((await kev.refresh()).outcome, 'off');
  assert.deepEqual(store.acts, []);
});

test('a service that ends notes nothing of what it cut off, and begins nothing', async () => {
  const source: CatalogueSource<KevCatalogue> = {
    name: 'https://kev.example.com/',
    ask: (_, signal) =>
      new Promise((_done, fail) => {
        signal.addEventListener('abort', () => fail(new IpoError('network', 'cut')));
      }),
  };
  const { kev, store } = open(source);
  const running = kev.refresh();
  await new Promise(setImmediate);
  kev.stop();
  assert.equal((await running).outcome, 'stopped');
  assert.equal((await kev.refresh()).outcome, 'stopped');
  assert.deepEqual(store.acts, []);
});

const DAY = 24 * 60 * 60_000;

test('a catalogue of an older date or version does not replace a newer one, and a person may take it', async () => {
  const { kev, store } = open(
    answers(
      whole(catalogueOf(1000, '2026.11.20', NOW - DAY)),
      whole(catalogueOf(990, '2026.11.01', NOW - 20 * DAY)),
      whole(catalogueOf(1100, '2026.11.01', NOW - 20 * DAY)),
      whole(catalogueOf(1000, '2026.11.19')),
      whole(catalogueOf(1000, 'v7')),
      whole(catalogueOf(1001, '2026.11.20', NOW - DAY)),
      whole(catalogueOf(990, '2026.11.01', NOW - 20 * DAY)),
    ),
  );
  await kev.refresh();
  for (const said of [
    'is of 2026-11-01T00:00:00Z, older than the one that is kept, of 2026-11-20T00:00:00Z, so it is not used',
    'is of 2026-11-01T00:00:00Z, older than the one that is kept, of 2026-11-20T00:00:00Z, so it is not used',
    'is version 2026.11.19, older than the one that is kept, 2026.11.20, so it is not used',
    'does not say when it was released, and the one that is kept does, so it is not used',
  ]) {
    const { outcome, fault } = await kev.refresh();
    const message = `the catalogue of known exploited vulnerabilities ${said}`;
    assert.deepEqual([outcome, fault?.message], ['failed', message]);
    assert.match(fault?.hint ?? '', /kev\.source.*accept_older=true/);
    assert.deepEqual(
      [store.now.lastError, store.now.entries, store.now.version],
      [message, 1000, '2026.11.20'],
    );
  }
  // The same date is no older one; it may be corrected.
  assert.equal((await kev.refresh()).outcome, 'updated');
  assert.equal((await kev.refresh({ acceptOlder: true })).change.removed, 11);
  assert.deepEqual([store.now.version, store.now.lastError], ['2026.11.01', null]);
});

test('an older catalogue is not taken because somebody accepts a shrunk one, nor the other way', async () => {
  const source = answers(
    whole(catalogueOf(1000, 'v1', NOW - DAY)),
    whole(catalogueOf(10, 'v2', NOW - 2 * DAY)),
    whole(catalogueOf(10, 'v2', NOW - 2 * DAY)),
    whole(catalogueOf(10, 'v2', NOW - 2 * DAY)),
  );
  const { kev, store } = open(source);
  await kev.refresh();
  assert.match((await kev.refresh({ acceptShrunk: true })).fault?.message ?? '', /older/);
  assert.match((await kev.refresh({ acceptOlder: true })).fault?.message ?? '', /shrunk/);
  assert.equal((await kev.refresh({ acceptShrunk: true, acceptOlder: true })).outcome, 'updated');
  assert.equal(store.now.entries, 10);
});

test('a catalogue that is dated in the future is taken with a warning, and does not keep the right ones out', async () => {
  const { kev, store, log } = open(
    answers(whole(catalogueOf(3, 'v1', NOW + 400 * DAY)), whole(catalogueOf(4, 'v2', NOW + 1))),
  );
  assert.equal((await kev.refresh()).outcome, 'updated');
  assert.ok(log.lines.some(({ level, message }) => level === 'warn' && message.includes('in the future')));
  assert.equal((await kev.refresh()).outcome, 'updated');
  assert.equal(store.now.version, 'v2');
});

test('a source that never says when may follow another that does', async () => {
  const { kev, store } = open(answers(whole(catalogueOf(3, 'mine'))));
  store.now = {
    ...store.now,
    entries: 3,
    version: '2026.11.20',
    releasedAt: NOW,
    fetchedAt: NOW,
    source: 'other',
  };
  assert.notEqual((await kev.refresh()).outcome, 'failed');
  assert.equal(store.now.version, 'mine');
});
