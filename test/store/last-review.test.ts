import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openImages, type Images, type ImageStore } from '../../src/inventory/index.ts';
import type { NewRow } from '../../src/ledger/index.ts';
import { imageStore } from '../../src/store/images/images.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { forEachEngine } from './engines.ts';
import { AT, digestOf, rowsOf } from './image-records.ts';

function images(store: ImageStore): Images {
  const policies = async () => ({ policies: [], key: '' });
  const clock = { now: () => AT };
  return openImages({ store, policies, coldImagePolicy: 'AllowAndScan', clock });
}

/** A process that appends reviews, or what a sweep says, and remembers what it wrote. */
function process(store: Store): (seconds: readonly number[], more?: Partial<NewRow>) => Promise<void> {
  const writer = ledgerWriter(store);
  return async (seconds, more = {}) => {
    for (const second of seconds)
      await writer.appendAll([
        {
          uid: `review-${second}-${more.kind ?? ''}`,
          rows: [
            {
              ...{
                at: AT + second * 1000,
                kind: 'review',
                namespace: 'shop',
                pod: `web-${second}`,
                container: 'web',
              },
              ...{ image: 'ghcr.io/acme/web:1', digest: digestOf(1), allowed: true, reason: '' },
              ...more,
            },
          ],
        },
      ]);
  };
}

const lastReview = async (store: Store): Promise<number | undefined> =>
  (await images(imageStore(store)).detail(digestOf(1))).item.lastReview?.at;

const at = (second: number): number => AT + second * 1000;

forEachEngine('what an image was seen for last', (engine) => {
  test('the last review of an image is the last one of a burst, for each caller and after a restart', async (t) => {
    const store = await engine.open(t);
    const append = process(store);
    await append([0, 1, 20, 59]);
    assert.equal(await lastReview(store), at(59));
    // What a sweep says is no review.
    await append([70], { kind: 'reconcile' });
    await append([61, 62]);
    assert.equal(await lastReview(store), at(62));
    await process(store)([63, 64]);
    assert.equal(await lastReview(store), at(64));
    const [named] = await rowsOf(store, 'select last_seen_at from image_names');
    assert.equal(named?.last_seen_at, at(70));
    await append([71, 72, 73]);
    assert.equal(await lastReview(store), at(73));
    // No append writes a name that it wrote within a minute.
    assert.deepEqual(await rowsOf(store, 'select name, last_seen_at from image_names'), [
      { name: 'ghcr.io/acme/web:1', last_seen_at: at(73) },
    ]);
  });

  test('a judgement that was read before a burst ended does not take its last review back', async (t) => {
    const store = await engine.open(t);
    const append = process(store);
    await append([0]);
    const found = imageStore(store);
    while (await found.follow(100));
    const [stale] = await found.stale('', AT, 10);
    assert.ok(stale);
    await append([1, 2]);
    while (await found.follow(100));
    // The judgement comes to its end only now.
    const late = [[stale], []];
    await images({ ...found, follow: async () => false, stale: async () => late.shift() ?? [] }).refresh();
    assert.equal(await lastReview(store), at(2));
  });
});
