import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime } from '../../src/base/index.ts';
import { scanQueue } from '../../src/store/scans/queue.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import { followLedger } from '../../src/store/images/sightings.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { forEachEngine } from './engines.ts';
import { append, AT, digestOf, scanOf } from './image-records.ts';

const MINUTE = 60_000;

async function seen(store: Store, count: number): Promise<string[]> {
  const digests = Array.from({ length: count }, (_, n) => digestOf(n + 1));
  await append(
    store,
    digests.map((digest) => ({ digest })),
  );
  return digests;
}

const failure = (message: string) => ({ platform: null, reason: 'unreachable' as const, message, at: AT });

forEachEngine('the scan queue', (engine) => {
  test('a request says which digests were queued, which waited already, and which nobody knows', async (t) => {
    const store = await engine.open(t);
    const queue = scanQueue(store);
    const [a = '', b = ''] = await seen(store, 2);
    const stranger = digestOf(99);
    assert.deepEqual(await queue.request([b, stranger, a, b], 'user:x', AT), {
      queued: [b, a],
      alreadyQueued: [],
      unknown: [stranger],
    });
    assert.deepEqual(await queue.request([a], null, AT + 1), { queued: [], alreadyQueued: [a], unknown: [] });
    assert.equal(await queue.size(), 2);
  });

  test('a claim is held until its time is over, and one that was lost can neither finish nor fail', async (t) => {
    const store = await engine.open(t);
    const queue = scanQueue(store);
    const [a = ''] = await seen(store, 1);
    await queue.request([a], null, AT);
    const [first] = await queue.claim(AT, AT - MINUTE, 10);
    assert.deepEqual(first, { digest: a, requestedAt: AT, attempts: 1, claimedAt: AT, done: [] });
    assert.deepEqual(await queue.claim(AT + MINUTE - 1, AT - 1, 10), []);
    // The worker died, or takes too long: another takes over.
    const [second] = await queue.claim(AT + MINUTE, AT, 10);
    assert.deepEqual(second, { digest: a, requestedAt: AT, attempts: 2, claimedAt: AT + MINUTE, done: [] });
    assert.ok(first && second);
    assert.equal(await queue.finish(first), false);
    assert.equal(await queue.fail(first, failure('late'), AT), false);
    assert.equal(await queue.size(), 1);
    assert.equal(await queue.finish(second), true);
    assert.equal(await queue.size(), 0);
  });

  test('what a clock that was ahead claimed or put off does not wait for that time', async (t) => {
    const store = await engine.open(t);
    const queue = scanQueue(store);
    const [a = '', b = '', c = ''] = await seen(store, 3);
    const ahead = AT + 365 * 24 * 60 * MINUTE;
    await queue.request([a, b, c], null, AT);
    const claims = await queue.claim(ahead, ahead - 15 * MINUTE, 10);
    const of = (digest: string) => claims.find((claim) => claim.digest === digest) ?? assert.fail();
    // One was cut off, one failed then, and one fails now and waits as long as ever.
    await queue.fail(of(b), failure('away'), ahead + 6 * 60 * MINUTE);
    await queue.fail(of(c), failure('away'), AT + 6 * 60 * MINUTE);
    const again = await queue.claim(AT, AT - 15 * MINUTE, 10);
    assert.deepEqual(again.map(({ digest }) => digest).toSorted(), [a, b].toSorted());
    assert.deepEqual(await queue.claim(AT + 1, AT - 15 * MINUTE, 10), []);
    assert.equal((await queue.claim(AT + 6 * 60 * MINUTE, AT, 1)).length, 1);
  });

  test('a failed scan is due again at its time, or at once when a person asks', async (t) => {
    const store = await engine.open(t);
    const queue = scanQueue(store);
    const [a = ''] = await seen(store, 1);
    await queue.request([a], null, AT);
    const [claim] = await queue.claim(AT, AT - MINUTE, 10);
    assert.ok(claim);
    assert.equal(await queue.fail(claim, failure('registry unreachable'), AT + 5 * MINUTE), true);
    assert.deepEqual(await queue.claim(AT + 5 * MINUTE - 1, AT, 10), []);
    assert.equal((await queue.claim(AT + 5 * MINUTE, AT, 10))[0]?.attempts, 2);
    const again = { ...claim, claimedAt: AT + 5 * MINUTE };
    assert.equal(await queue.fail(again, failure('registry unreachable'), AT + 60 * MINUTE), true);
    await queue.request([a], 'user:x', AT + 6 * MINUTE);
    const [asked] = await queue.claim(AT + 6 * MINUTE, AT, 10);
    assert.equal(asked?.attempts, 3);
    assert.equal(asked !== undefined && (await queue.fail(asked, failure('gone for good'), null)), true);
    assert.equal(await queue.size(), 0);
  });

  test('claims outlive the process that made them, for as long as they hold', async (t) => {
    const url = await engine.migrated();
    const before = await openStore({ url });
    const [a = '', b = ''] = await seen(before, 2);
    await scanQueue(before).request([a, b], null, AT);
    await scanQueue(before).claim(AT, AT - MINUTE, 1);
    await before.close();
    const after = await openStore({ url });
    t.after(() => after.close());
    assert.deepEqual(
      (await scanQueue(after).claim(AT + 1, AT - MINUTE, 10)).map(({ digest }) => digest),
      [b],
    );
    assert.deepEqual(
      (await scanQueue(after).claim(AT + MINUTE, AT, 10)).map(({ digest }) => digest),
      [a],
    );
  });

  test('workers that claim at once share the work, and no digest goes to two', async (t) => {
    const url = await engine.migrated();
    const stores = await Promise.all([openStore({ url }), openStore({ url })]);
    t.after(() => Promise.all(stores.map((store) => store.close())));
    const [one, two] = stores.map(scanQueue);
    assert.ok(one && two);
    const digests = await seen(stores[0] as Store, 60);
    await one.request(digests, null, AT);
    const taken: string[] = [];
    const work = async (queue: typeof one): Promise<void> => {
      for (let idle = 0; idle < 3;) {
        const claims = await queue.claim(AT, AT - MINUTE, 7);
        idle = claims.length === 0 ? idle + 1 : 0;
        taken.push(...claims.map(({ digest }) => digest));
      }
    };
    await Promise.all([work(one), work(two), work(one), work(two)]);
    assert.deepEqual(taken.toSorted(), digests);
  });

  test('a report that is newer than the request serves it', async (t) => {
    const store = await engine.open(t);
    const queue = scanQueue(store);
    const [a = '', b = ''] = await seen(store, 2);
    await queue.request([a, b], null, AT);
    const record = (digest: string, scannedAt: number, findings: readonly [] | null): Promise<unknown> =>
      store.write((transaction) =>
        recordScan(transaction, {
          digest,
          names: [],
          source: null,
          scan: scanOf(findings, { scannedAt: formatTime(scannedAt) }),
          at: AT,
        }),
      );
    await record(a, AT - 1, []);
    await record(a, AT, null);
    assert.equal(await queue.size(), 2);
    await record(a, AT, []);
    assert.deepEqual(
      (await queue.claim(AT, AT - MINUTE, 10)).map(({ digest }) => digest),
      [b],
    );
  });

  test('each namespace has its turn: who makes many pods holds up his own images', async (t) => {
    const store = await engine.open(t);
    const queue = scanQueue(store);
    const many = Array.from({ length: 30 }, (_, n) => digestOf(n + 1));
    const [first, second] = [digestOf(101), digestOf(102)];
    await append(
      store,
      many.map((digest) => ({ digest, namespace: 'crowd', image: `evil.example.com/x@${digest}` })),
    );
    await append(
      store,
      [first, second].map((digest) => ({ digest, namespace: 'bank' })),
    );
    while (await followLedger(store, 1000));
    await queue.request(many, null, AT);
    await queue.request([second, first], null, AT + MINUTE);
    const lost = AT - MINUTE;
    const [running] = await queue.claim(AT + MINUTE, lost, 1);
    assert.ok(running !== undefined && many.includes(running.digest));
    const order: string[] = [];
    for (let n = 0; n < 2; n += 1) {
      const [next] = await queue.claim(AT + MINUTE, lost, 1);
      assert.ok(next !== undefined);
      order.push(next.digest);
      await queue.finish(next);
    }
    assert.deepEqual(order, [first, second], 'before the second of the crowd');
    // Several at once are of both.
    await queue.request([first, second], null, AT + MINUTE);
    const both = await queue.claim(AT + MINUTE, lost, 4);
    assert.equal(both.filter(({ digest }) => !many.includes(digest)).length, 2);
  });
});
