import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { catalogueRoutes } from '../../src/api/index.ts';
import type { CataloguesRefreshedBody } from '../../src/api/contract/catalogues.ts';
import { KnownExploited, type CatalogueSource, type KevCatalogue } from '../../src/catalogues/index.ts';
import { kevStore } from '../../src/store/index.ts';
import { openFile } from './inventory.ts';
import { keptLog, startApi } from './service.ts';

const NOW = Date.UTC(2026, 10, 21);
const RELEASES = {
  ...{
    entries: 0,
    version: null,
    releasedAt: null,
    fetchedAt: null,
    checkedAt: null,
    lastError: null,
    source: null,
  },
  validators: { etag: null, lastModified: null },
};
const DATABASE = { version: null, updatedAt: null, fetchedAt: null, checkedAt: null, lastError: null };
/** What stands beside the answer of the catalogue of known exploited vulnerabilities where nothing else is asked. */
const OTHERS = [
  { name: 'end_of_life', outcome: 'off', entries: 0, changed: 0, images: 0 },
  { name: 'trivy_db', outcome: 'off' },
];

async function start(t: TestContext, source: CatalogueSource<KevCatalogue> | null) {
  const store = kevStore(await openFile(t));
  const kev = new KnownExploited({ source, store, log: keptLog(), clock: { now: () => NOW } });
  const audited: (readonly [string, unknown])[] = [];
  const audit = {
    record: async ({ action, detail }: { action: string; detail?: Readonly<Record<string, unknown>> }) =>
      void audited.push([action, detail?.['outcome']]),
  };
  const endOfLife = {
    refresh: async () => ({ outcome: 'off', fault: null, change: 0, images: 0 }) as const,
    state: async () => RELEASES,
  };
  const database = {
    refresh: async () => ({ outcome: 'off', fault: null }) as const,
    state: async () => DATABASE,
  };
  return { kev, audited, ...(await startApi(t, catalogueRoutes({ kev, endOfLife, database, audit }))) };
}

const refresh = 'POST /catalogues/refresh';

test('without a source a refresh says so', async (t) => {
  const { as, audited } = await start(t, null);
  const { body } = await as('administrator').json<CataloguesRefreshedBody>(refresh);
  assert.deepEqual(body, {
    catalogues: [{ name: 'kev', outcome: 'off', entries: 0, added: 0, removed: 0, images: 0 }, ...OTHERS],
  });
  assert.deepEqual(audited, [
    ['catalogue_refresh', 'off'],
    ['vulnerability_db_refresh', 'off'],
  ]);
});

test('what came of it is answered with times and figures', async (t) => {
  const entries = [{ cve: 'CVE-2026-0001', dateAdded: null, dueDate: null }];
  const { as } = await start(t, {
    name: 'https://kev.example.com/',
    ask: async () => ({
      kind: 'new',
      value: { version: '2026.11.21', releasedAt: null, entries },
      validators: { etag: null, lastModified: null },
    }),
  });
  const { body } = await as('administrator').json<CataloguesRefreshedBody>(refresh);
  const time = '2026-11-21T00:00:00Z';
  assert.deepEqual(body.catalogues, [
    {
      ...{ name: 'kev', outcome: 'updated', version: '2026.11.21', entries: 1 },
      ...{ added: 1, removed: 0, images: 0, fetched_at: time, checked_at: time },
    },
    ...OTHERS,
  ]);
});

test('only an administrator may, and nothing unknown is taken', async (t) => {
  const { as, audited } = await start(t, null);
  for (const somebody of ['viewer', 'deployer'] as const)
    await assert.rejects(as(somebody).json(refresh), { code: 'forbidden' });
  await assert.rejects(as('anonymous').json(refresh), { code: 'unauthenticated' });
  for (const query of [{ accept_shrunk: 'yes' }, { force: 'true' }])
    await assert.rejects(as('administrator').json(refresh, { query }), { code: 'invalid_request' });
  await assert.rejects(as('administrator').json(refresh, { body: { accept_shrunk: true } }), {
    code: 'invalid_request',
  });
  assert.deepEqual(audited, []);
});

test('a service that ends asks nobody any more', async (t) => {
  let asked = 0;
  const { as, kev } = await start(t, {
    name: 'https://kev.example.com/',
    ask: async () => {
      asked += 1;
      return { kind: 'same' };
    },
  });
  kev.stop();
  await assert.rejects(as('administrator').json(refresh), { code: 'unavailable' });
  assert.equal(asked, 0);
});
