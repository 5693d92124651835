import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KevCatalogue, KevEntry } from '../../src/catalogues/index.ts';
import type { Finding } from '../../src/findings/index.ts';
import { kevDueDates, kevStore } from '../../src/store/index.ts';
import { changeTotals } from '../../src/store/findings/cve-totals.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { readFacts } from '../../src/store/facts/facts.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import { countedFindings } from '../../src/store/findings/stored-findings.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { forEachEngine } from './engines.ts';
import { AT, digestOf, factsText, finding, rowsOf, scanOf } from './image-records.ts';

const FROM = { source: 'file:///etc/kev/kev.json', validators: { etag: '"a"', lastModified: null }, at: AT };
const NEVER = new AbortController().signal;

function catalogue(...entries: readonly (string | KevEntry)[]): KevCatalogue {
  return {
    version: `v${entries.length}`,
    releasedAt: AT - 1000,
    entries: entries.map((entry) =>
      typeof entry === 'string' ? { cve: entry, dateAdded: '2026-01-02', dueDate: '2026-01-23' } : entry,
    ),
  };
}

function record(store: Store, n: number, findings: readonly Finding[], hour = 2): Promise<unknown> {
  const scan = scanOf(findings, { scannedAt: `2026-11-19T0${hour}:00:00Z` });
  const names = [`ghcr.io/acme/web:${n}`];
  return store.write((transaction) =>
    recordScan(transaction, { digest: digestOf(n), names, source: null, scan, at: AT }),
  );
}

/** What the facts of an image say of its findings, which is what decisions read. */
async function said(store: Store, n: number): Promise<readonly (readonly [string, boolean | null])[]> {
  const facts = await readFacts(store.read, digestOf(n));
  return facts?.scan?.findings?.map(({ cve, knownExploited }) => [cve, knownExploited] as const) ?? [];
}

/** The totals are what they would be if they were counted anew, which is what the list of vulnerabilities reads. */
async function holdTotals(store: Store): Promise<void> {
  const text = 'select cve, images, exploited, not_exploited from cve_totals order by cve';
  const before = await rowsOf(store, text);
  await store.write(async (transaction) => {
    await runText(transaction, 'delete from cve_totals', []);
    await runText(transaction, 'delete from cve_packages', []);
    for (const { id } of await runText<{ id: number }>(
      transaction,
      'select id from scans where current = 1',
      [],
    ))
      await changeTotals(transaction, [], await countedFindings(transaction, id));
  });
  assert.deepEqual(await rowsOf(store, text), before);
}

forEachEngine('the catalogue of known exploited vulnerabilities', (engine) => {
  test('without one, nothing is known to be exploited, nor not', async (t) => {
    const store = await engine.open(t);
    await record(store, 1, [
      finding('CVE-2021-44228'),
      finding('CVE-2026-0001', 'LOW', { knownExploited: true }),
    ]);
    assert.deepEqual(await said(store, 1), [
      ['CVE-2021-44228', null],
      ['CVE-2026-0001', true],
    ]);
    const { entries, fetchedAt } = await kevStore(store).state();
    assert.deepEqual([entries, fetchedAt], [0, null]);
    assert.equal(await kevStore(store).mark(AT, NEVER), 0);
    assert.deepEqual(await kevDueDates(store)(['CVE-2021-44228']), new Map());
  });

  test('a new one marks the findings of current scans, with the facts and totals that follow', async (t) => {
    const store = await engine.open(t);
    await record(store, 1, [finding('CVE-2021-44228'), finding('CVE-2026-0001'), finding('GHSA-aaaa-bbbb')]);
    await record(store, 2, [finding('cve-2021-44228', 'CRITICAL', { knownExploited: false })]);
    await record(store, 3, [finding('CVE-2026-0001', 'LOW', { knownExploited: false })]);
    const untouched = await factsText(store, digestOf(3));
    const kev = kevStore(store);
    const change = await kev.replace(catalogue('CVE-2021-44228', 'CVE-2020-0001'), FROM);
    assert.deepEqual(change, { added: 2, removed: 0, redated: 0 });
    assert.equal(await kev.mark(AT, NEVER), 2);
    assert.deepEqual(await said(store, 1), [
      ['CVE-2021-44228', true],
      ['CVE-2026-0001', false],
      ['GHSA-aaaa-bbbb', false],
    ]);
    assert.deepEqual(await said(store, 2), [['cve-2021-44228', true]]);
    assert.deepEqual(await factsText(store, digestOf(3)), untouched, 'right already');
    await holdTotals(store);
    assert.equal(await kev.mark(AT, NEVER), 0, 'once is enough');
    assert.deepEqual(await kev.state(), {
      ...{ entries: 2, version: 'v2', releasedAt: AT - 1000, fetchedAt: AT, checkedAt: AT, lastError: null },
      ...{ source: FROM.source, validators: FROM.validators },
    });
    const judged = await rowsOf(
      store,
      'select digest from image_states where judged_for is null order by digest',
    );
    assert.deepEqual(
      judged.map(({ digest }) => digest),
      [digestOf(1), digestOf(2), digestOf(3)],
    );
  });

  test('what comes in and goes out later changes only the images that have it', async (t) => {
    const store = await engine.open(t);
    const kev = kevStore(store);
    await kev.replace(catalogue('CVE-2026-0001', 'CVE-2026-0002'), FROM);
    await record(store, 1, [finding('CVE-2026-0001')]);
    await record(store, 2, [finding('CVE-2026-0003')]);
    await record(store, 3, [finding('CVE-2026-0002')]);
    assert.equal(await kev.mark(AT, NEVER), 0, 'scans are marked as they are recorded');
    const change = await kev.replace(
      catalogue(
        { cve: 'CVE-2026-0002', dateAdded: '2026-01-02', dueDate: '2026-02-01' },
        'CVE-2026-0003',
        'CVE-2026-0004',
      ),
      { ...FROM, at: AT + 5 },
    );
    assert.deepEqual(change, { added: 2, removed: 1, redated: 1 });
    assert.equal(await kev.mark(AT, NEVER), 2);
    assert.deepEqual(
      [await said(store, 1), await said(store, 2), await said(store, 3)],
      [[['CVE-2026-0001', false]], [['CVE-2026-0003', true]], [['CVE-2026-0002', true]]],
    );
    await holdTotals(store);
    assert.deepEqual(
      await kevDueDates(store)(['cve-2026-0002', 'CVE-2026-0001', 'CVE-2026-0004', 'GHSA-x']),
      new Map([
        ['cve-2026-0002', '2026-02-01'],
        ['CVE-2026-0004', '2026-01-23'],
      ]),
    );
  });

  test('the same one once more, or other dates, change no findings', async (t) => {
    const store = await engine.open(t);
    const kev = kevStore(store);
    const first = catalogue('CVE-2026-0001', { cve: 'CVE-2026-0002', dateAdded: null, dueDate: null });
    await kev.replace(first, FROM);
    await record(store, 1, [finding('CVE-2026-0001')]);
    await kev.mark(AT, NEVER);
    const before = await factsText(store, digestOf(1));
    assert.deepEqual(await kev.replace(first, FROM), { added: 0, removed: 0, redated: 0 });
    assert.deepEqual(await kev.replace(catalogue('CVE-2026-0001', 'CVE-2026-0002'), FROM), {
      ...{ added: 0, removed: 0, redated: 1 },
    });
    assert.equal(await kev.mark(AT, NEVER), 0);
    assert.deepEqual(await factsText(store, digestOf(1)), before);
  });

  test('a scan that is recorded is marked by it, whatever came with it', async (t) => {
    const store = await engine.open(t);
    await kevStore(store).replace(catalogue('CVE-2026-0001'), FROM);
    await record(store, 1, [
      finding('CVE-2026-0001', 'HIGH', { knownExploited: false }),
      finding('CVE-2026-0002', 'HIGH', { knownExploited: true }),
      finding('cve-2026-0001'),
    ]);
    const marked = [
      ['CVE-2026-0001', true],
      ['CVE-2026-0002', false],
      ['cve-2026-0001', true],
    ];
    assert.deepEqual(await said(store, 1), marked);
    await record(store, 1, [finding('CVE-2026-0001'), finding('CVE-2026-0003')], 3);
    assert.deepEqual(await said(store, 1), [
      ['CVE-2026-0001', true],
      ['CVE-2026-0003', false],
    ]);
    await holdTotals(store);
  });

  test('marking that was cut off goes on with the next call', async (t) => {
    const store = await engine.open(t);
    for (const n of [1, 2, 3, 4]) await record(store, n, [finding('CVE-2026-0001')]);
    const kev = kevStore(store);
    await kev.replace(catalogue('CVE-2026-0001'), FROM);
    const stop = new AbortController();
    const write = store.write.bind(store);
    let writes = 0;
    const cut: Store = {
      ...store,
      write: (act) => {
        if (++writes === 2) stop.abort();
        return write(act);
      },
    };
    assert.equal(await kevStore(cut).mark(AT, stop.signal), 2);
    assert.equal(await kev.mark(AT, NEVER), 2);
    for (const n of [1, 2, 3, 4]) assert.deepEqual(await said(store, n), [['CVE-2026-0001', true]]);
    assert.equal(await kev.mark(AT, NEVER), 0);
  });

  test('a catalogue that changes while findings are marked is followed by the next call', async (t) => {
    const store = await engine.open(t);
    for (const n of [1, 2]) await record(store, n, [finding('CVE-2026-0001')]);
    const kev = kevStore(store);
    await kev.replace(catalogue('CVE-2026-0001'), FROM);
    const write = store.write.bind(store);
    let writes = 0;
    const crossed: Store = {
      ...store,
      write: async (act) => {
        // After the first image, as another replica would.
        if (++writes === 2) await kev.replace(catalogue('CVE-2026-0002'), FROM);
        return write(act);
      },
    };
    await kevStore(crossed).mark(AT, NEVER);
    await kev.mark(AT, NEVER);
    for (const n of [1, 2]) assert.deepEqual(await said(store, n), [['CVE-2026-0001', false]]);
    await holdTotals(store);
  });

  test('scans that are recorded at the very time of a change are marked by one or the other, and right in the end', async (t) => {
    const store = await engine.open(t, { poolSize: 8 });
    const kev = kevStore(store);
    const cves = ['CVE-2026-0001', 'CVE-2026-0002'];
    await kev.replace(catalogue('CVE-2026-0001'), FROM);
    for (let round = 0; round < 4; round += 1) {
      const listed = cves[(round + 1) % 2] ?? '';
      const scans = [0, 1, 2, 3, 4].map((n) =>
        record(
          store,
          round * 5 + n,
          cves.map((cve) => finding(cve)),
        ),
      );
      await Promise.all([
        ...scans.slice(0, 3),
        kev.replace(catalogue(listed), FROM).then(() => kev.mark(AT, NEVER)),
        ...scans.slice(3),
      ]);
      for (let n = 0; n < round * 5 + 5; n += 1)
        assert.deepEqual(
          await said(store, n),
          cves.map((cve) => [cve, cve === listed]),
          `round ${round}, image ${n}`,
        );
    }
    await holdTotals(store);
  });

  test('why an attempt failed is kept until one works, and says nothing of when it was checked', async (t) => {
    const store = await engine.open(t);
    const kev = kevStore(store);
    await kev.failed('x'.repeat(5000));
    const failed = await kev.state();
    assert.deepEqual([failed.lastError?.length, failed.checkedAt], [1000, null]);
    await kev.checked(AT + 7);
    const checked = await kev.state();
    assert.deepEqual([checked.lastError, checked.checkedAt, checked.fetchedAt], [null, AT + 7, null]);
  });
});
