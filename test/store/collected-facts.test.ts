import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Collected, Part } from '../../src/supply-chain/index.ts';
import { collectionStore } from '../../src/store/scans/collected-facts.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { readFacts } from '../../src/store/facts/facts.ts';
import { fenceWrites, underLeadership } from '../../src/store/leadership/fenced-writes.ts';
import { recordProofs, recordScan } from '../../src/store/scans/scans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { raiseFence } from '../../src/store/leadership/fence.ts';
import { forEachEngine } from './engines.ts';
import { AT, digestOf, rowsOf, scanOf } from './image-records.ts';

const MINUTE = 60_000;
const SINCE = AT - 7 * 24 * 60 * MINUTE;
const A = digestOf(1);
const B = digestOf(2);

async function seen(store: Store, digest: string, at: number, names = ['ghcr.io/acme/web:1']): Promise<void> {
  await store.write((transaction) =>
    recordScan(transaction, { digest, names, source: null, scan: scanOf(null), at }),
  );
}

const part = <T>(entries: readonly T[] = [], complete = true): Part<T> => ({ entries, complete });
const signed = (identity: string) => ({
  identity,
  issuer: 'https://issuer.example',
  payload: null,
  signature: null,
  payloadType: null,
});
const collected = (more: Partial<Collected> = {}): Collected => ({
  digest: A,
  signatures: part(),
  attestations: part(),
  provenance: part(),
  vex: part(),
  attachedVexRead: true,
  vexTakenBack: new Set(),
  attempts: [],
  problems: [],
  vexTally: { statements: {}, rejected: {} },
  ...more,
});

forEachEngine('what was collected of an image', (engine) => {
  const claimOne = async (store: Store, at = AT) => {
    const kept = collectionStore(store);
    const [claim] = await kept.claim(at, at - 15 * MINUTE, SINCE, 1);
    assert.ok(claim !== undefined);
    return { kept, claim };
  };

  test('images in use are taken in once, and those that nobody saw for long are left', async (t) => {
    const store = await engine.open(t);
    await seen(store, A, AT);
    await seen(store, B, SINCE - 1, ['ghcr.io/acme/old:1']);
    const kept = collectionStore(store);
    assert.equal(await kept.enrol(AT, SINCE, 10), 1);
    assert.equal(await kept.enrol(AT, SINCE, 10), 0);
    assert.equal(await kept.waiting(AT, SINCE), 1);
    assert.equal(await kept.waiting(AT - 1, SINCE), 0);
    assert.equal((await kept.state(A))?.dueAt, AT);
    assert.equal(await kept.state(B), null);
  });

  test('a claim gives the names, holds, and is lost after its time', async (t) => {
    const store = await engine.open(t);
    await seen(store, A, AT, ['ghcr.io/acme/web:1', 'mirror.example/web:1']);
    await collectionStore(store).enrol(AT, SINCE, 10);
    const { kept, claim } = await claimOne(store);
    assert.deepEqual(claim, {
      digest: A,
      names: ['ghcr.io/acme/web:1', 'mirror.example/web:1'],
      attempts: 0,
      firstSeenAt: AT,
      claimedAt: AT,
    });
    assert.deepEqual(await kept.claim(AT + 1, AT - 1, SINCE, 1), []);
    const [later] = await kept.claim(AT + 15 * MINUTE, AT, SINCE, 1);
    assert.ok(later !== undefined);
    // The first worker was not dead after all: what it found is not written over the other's.
    assert.equal(await kept.record(claim, collected(), { at: AT, dueAt: AT }), false);
    assert.equal((await readFacts(store.read, A))?.signatures ?? null, null);
    assert.equal(await kept.record(later, collected(), { at: AT, dueAt: AT + 1 }), true);
    await kept.release(claim, AT - 5);
    assert.equal((await kept.state(A))?.dueAt, AT + 1);
  });

  test('of what is due the longest waiting comes first; of what is new, the newest, and none that was tried in vain', async (t) => {
    const store = await engine.open(t);
    const [c, d] = [digestOf(3), digestOf(4)];
    for (const digest of [A, B, c, d]) await seen(store, digest, AT);
    const kept = collectionStore(store);
    for (const [n, digest] of [A, B, c, d].entries()) await kept.request([digest], AT + n, 0);
    await store.write((transaction) =>
      runText(transaction, 'update proof_collections set attempts = 2 where digest = ?', [d]),
    );
    const next = async (lane: 'all' | 'new') =>
      (await kept.claim(AT + 9, AT, SINCE, 1, lane)).map(({ digest }) => digest);
    assert.deepEqual(
      [await next('all'), await next('new'), await next('new'), await next('new'), await next('all')],
      [[A], [c], [B], [], [d]],
    );
  });

  test('all images are walked in parts; those of no use are put off, and found when they are used again', async (t) => {
    const store = await engine.open(t);
    const many = Array.from({ length: 4500 }, (_, n) => digestOf(n + 10));
    await store.write(async (transaction) => {
      for (const [n, digest] of many.entries()) {
        await runText(transaction, 'insert into images (digest, first_seen_at) values (?, ?)', [digest, AT]);
        if (n % 1000 === 0)
          await runText(
            transaction,
            'insert into image_names (digest, name, last_seen_at) values (?, ?, ?)',
            [digest, 'ghcr.io/acme/web:1', AT],
          );
      }
    });
    const kept = collectionStore(store);
    const rounds: number[] = [];
    for (let round = 0; round < 6; round += 1) rounds.push(await kept.enrol(AT, SINCE, 500));
    assert.deepEqual(rounds, [2, 2, 1, 0, 0, 0]);
    // More than are taken in at once: the next call goes on in the same part.
    await seen(store, A, AT);
    await seen(store, B, AT);
    assert.deepEqual(
      [await kept.enrol(AT, SINCE, 1), await kept.enrol(AT, SINCE, 1), await kept.enrol(AT, SINCE, 1)],
      [1, 1, 0],
    );

    const later = AT + 8 * 24 * 60 * MINUTE;
    await collectionStore(store).enrol(later, later - 7 * 24 * 60 * MINUTE, 500);
    const due = await rowsOf(store, `select digest from proof_collections where due_at <= ${later}`);
    assert.deepEqual(due, []);
    await kept.request([A], later, MINUTE);
    assert.equal((await kept.state(A))?.dueAt, later);
  });

  test('two workers never hold one digest', async (t) => {
    const store = await engine.open(t);
    for (const n of [1, 2, 3, 4, 5]) await seen(store, digestOf(n), AT);
    const kept = collectionStore(store);
    await kept.enrol(AT, SINCE, 10);
    const claims = await Promise.all([1, 2, 3].map(() => kept.claim(AT, AT - MINUTE, SINCE, 2)));
    const digests = claims.flat().map(({ digest }) => digest);
    // What both wanted at once is left by one of them to the next time.
    const rest = await kept.claim(AT, AT - MINUTE, SINCE, 10);
    const all = [...digests, ...rest.map(({ digest }) => digest)];
    assert.equal(new Set(all).size, 5);
    assert.equal(all.length, 5);
  });

  test('what was read whole makes the facts, and none is none', async (t) => {
    const store = await engine.open(t);
    await seen(store, A, AT);
    await collectionStore(store).enrol(AT, SINCE, 10);
    const { kept, claim } = await claimOne(store);
    await kept.record(claim, collected({ signatures: part([signed('alice')]) }), {
      at: AT + 5,
      dueAt: AT + 9,
    });
    const facts = await readFacts(store.read, A);
    assert.deepEqual(facts?.signatures, [signed('alice')]);
    assert.deepEqual([facts?.attestations, facts?.provenance, facts?.vex], [[], [], []]);
    assert.deepEqual(await kept.state(A), {
      triedAt: AT + 5,
      collectedAt: AT + 5,
      dueAt: AT + 9,
      problems: [],
    });
    assert.deepEqual(await kept.claim(AT + 8, AT, SINCE, 1), []);
  });

  test('what could not be read is unknown, leaves what was known, and says why and when it is tried again', async (t) => {
    const store = await engine.open(t);
    await seen(store, A, AT);
    await store.write((transaction) => recordProofs(transaction, A, { signatures: [signed('known')] }, AT));
    await collectionStore(store).enrol(AT, SINCE, 10);
    const { kept, claim } = await claimOne(store);
    const problem = {
      where: 'ghcr.io/acme/web sig',
      reason: 'unavailable',
      message: `cannot be reached \u0000 ${'x'.repeat(9999)}`,
      leavesUnknown: true,
      mayPass: true,
    };
    const partial = collected({
      signatures: part([signed('new')], false),
      attestations: part([], false),
      problems: [
        { ...problem, leavesUnknown: false, reason: 'absent' },
        ...Array.from({ length: 40 }, () => problem),
      ],
    });
    await kept.record(claim, partial, { at: AT, dueAt: AT + MINUTE });
    const facts = await readFacts(store.read, A);
    assert.deepEqual(facts?.signatures, [signed('known'), signed('new')]);
    assert.equal(facts?.attestations, null);
    assert.deepEqual(facts?.vex, []);
    const state = await kept.state(A);
    assert.equal(state?.collectedAt, null);
    assert.equal(state?.problems.length, 20);
    assert.equal(state?.problems[0]?.reason, 'unavailable');
    assert.equal(state?.problems[0]?.message.length, 500);
    const [again] = await kept.claim(AT + MINUTE, AT, SINCE, 1);
    assert.equal(again?.attempts, 1);
    assert.ok(again !== undefined);
    await kept.record(again, collected(), { at: AT + MINUTE, dueAt: AT + 9 * MINUTE });
    const [third] = await kept.claim(AT + 9 * MINUTE, AT, SINCE, 1);
    assert.equal(third?.attempts, 0);
  });

  test('a request makes a digest due, but not one that was just tried, nor one that nobody knows', async (t) => {
    const store = await engine.open(t);
    await seen(store, A, AT);
    const kept = collectionStore(store);
    await kept.request([A, digestOf(99)], AT, MINUTE);
    assert.equal((await kept.state(A))?.dueAt, AT);
    assert.equal(await kept.state(digestOf(99)), null);
    const { claim } = await claimOne(store);
    await kept.record(claim, collected(), { at: AT, dueAt: AT + 90 * MINUTE });
    await kept.request([A], AT + MINUTE - 1, MINUTE);
    assert.equal((await kept.state(A))?.dueAt, AT + 90 * MINUTE);
    await kept.request([A], AT + MINUTE, MINUTE);
    assert.equal((await kept.state(A))?.dueAt, AT + MINUTE);
  });

  test('who no longer leads neither claims nor records', async (t) => {
    const store = await engine.open(t);
    await seen(store, A, AT);
    const fenced = fenceWrites(store);
    const kept = collectionStore(fenced);
    const fence = await raiseFence(store, 'one', AT);
    const [claim] = await underLeadership(fence, async () => {
      await kept.enrol(AT, SINCE, 1);
      return kept.claim(AT, AT, SINCE, 1);
    });
    assert.ok(claim !== undefined);
    await raiseFence(store, 'two', AT);
    await assert.rejects(
      underLeadership(fence, () => kept.record(claim, collected(), { at: AT, dueAt: AT })),
      { name: 'LeadershipError', message: /another process leads now/ },
    );
    assert.equal((await kept.state(A))?.triedAt, null);
  });
});
