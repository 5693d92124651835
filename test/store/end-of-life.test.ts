import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OsRelease } from '../../src/catalogues/index.ts';
import { releaseStore } from '../../src/store/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { readFacts } from '../../src/store/facts/facts.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { forEachEngine } from './engines.ts';
import { AT, digestOf, factsText, finding, scanOf } from './image-records.ts';

const FROM = {
  source: 'file:///etc/end-of-life/os.json',
  validators: { etag: '"a"', lastModified: null },
  at: AT,
};
const NEVER = new AbortController().signal;
const DAY = 86_400_000;

const debian = (ends: number | null): OsRelease => ({
  product: 'debian',
  release: '12',
  endsAt: ends,
  extendedEndsAt: null,
});

function record(
  store: Store,
  n: number,
  family: string,
  name: string,
  eosl = false,
  hour = 2,
): Promise<unknown> {
  const scan = scanOf([finding('CVE-1')], {
    scannedAt: `2026-11-19T0${hour}:00:00Z`,
    os: { family, name, eosl },
  });
  return store.write((transaction) =>
    recordScan(transaction, { digest: digestOf(n), names: [], source: null, scan, at: AT }),
  );
}

/** What decisions read. */
async function said(store: Store, n: number): Promise<boolean | null> {
  return (await readFacts(store.read, digestOf(n)))?.scan?.os?.eosl ?? null;
}

forEachEngine('the end of life of operating systems', (engine) => {
  test('release data counts where the scanner says nothing, for scans of before and after it', async (t) => {
    const store = await engine.open(t);
    const releases = releaseStore(store);
    await record(store, 1, 'debian', '12.5');
    await record(store, 2, 'alpine', '3.9.4', true);
    assert.deepEqual([await said(store, 1), await said(store, 2)], [false, true]);

    assert.equal(await releases.replace({ releases: [debian(AT)] }, FROM), 1);
    assert.equal(await said(store, 1), false);
    assert.equal(await releases.mark(AT - 1, NEVER), 0);
    assert.equal(await releases.mark(AT, NEVER), 1);
    assert.equal(await releases.mark(AT, NEVER), 0);
    await record(store, 3, 'debian', '12.1');
    await record(store, 4, 'debian', '13.1');
    assert.deepEqual([await said(store, 1), await said(store, 3), await said(store, 4)], [true, true, false]);
  });

  test('release data that was wrong is taken back, and the word of the scanner is not', async (t) => {
    const store = await engine.open(t);
    const releases = releaseStore(store);
    await releases.replace({ releases: [debian(AT)] }, FROM);
    await record(store, 1, 'debian', '12.5');
    await record(store, 2, 'debian', '12.5', true);
    assert.equal(await releases.replace({ releases: [debian(AT + DAY)] }, FROM), 1);
    assert.equal(await releases.replace({ releases: [debian(AT + DAY)] }, FROM), 0);
    assert.equal(await releases.mark(AT, NEVER), 1);
    assert.deepEqual([await said(store, 1), await said(store, 2)], [false, true]);
    assert.equal(await releases.mark(AT + DAY, NEVER), 1);
    assert.deepEqual([await said(store, 1), await said(store, 2)], [true, true]);
    // Without release data, the scanner's word alone counts.
    await store.write((transaction) => runText(transaction, 'delete from os_releases', []));
    await releases.mark(AT + DAY, NEVER);
    assert.deepEqual([await said(store, 1), await said(store, 2)], [false, true]);
  });

  test('an image whose answer stays is not written, and an abort ends it', async (t) => {
    const store = await engine.open(t);
    const releases = releaseStore(store);
    await record(store, 1, 'debian', '12.5');
    await record(store, 2, 'wolfi', '20230201');
    const before = await factsText(store, digestOf(2));
    await releases.replace({ releases: [debian(AT)] }, FROM);
    assert.equal(await releases.mark(AT, AbortSignal.abort()), 0);
    assert.equal(await said(store, 1), false);
    await releases.mark(AT, NEVER);
    assert.deepEqual(await factsText(store, digestOf(2)), before);
  });

  test('how the release data stands is kept', async (t) => {
    const store = await engine.open(t);
    const releases = releaseStore(store);
    assert.deepEqual(await releases.state(), {
      entries: 0,
      version: null,
      releasedAt: null,
      fetchedAt: null,
      checkedAt: null,
      lastError: null,
      source: null,
      validators: { etag: null, lastModified: null },
    });
    await releases.replace({ releases: [debian(AT)], releasedAt: AT - 7 }, FROM);
    await releases.failed('it is gone');
    await releases.checked(AT + 5);
    await releases.failed('it is gone again');
    assert.deepEqual(await releases.state(), {
      entries: 1,
      version: null,
      releasedAt: AT - 7,
      fetchedAt: AT,
      checkedAt: AT + 5,
      lastError: 'it is gone again',
      source: FROM.source,
      validators: FROM.validators,
    });
  });
});
