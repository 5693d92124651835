import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { suite, test } from 'node:test';
import { AppendError } from '../../src/ledger/index.ts';
import { openReviewer, policyOf, reviewOf } from './reviews.ts';

const enforcing = policyOf('{ enforcement: Enforce, targetNamespaces: [shop] }');
const audit = policyOf('{}');
const BAD = { containers: {} };
/** A review whose object is deeper than is read. */
const deep = (text: Parameters<typeof reviewOf>[0] = {}) =>
  Buffer.from(
    reviewOf(text)
      .toString()
      .replace('"spec":{', `"spec":{"x":${'['.repeat(200)}${']'.repeat(200)},`),
  );

suite('a review that cannot be read', () => {
  test('the same uid again gets the same answer', async () => {
    let policies = [enforcing];
    const { ask, rows, counts } = openReviewer([], {
      policies: { current: () => policies, staleSince: () => null },
    });
    const body = reviewOf({ uid: 'same', spec: BAD });
    const first = await ask(body);
    assert.equal(first.allowed, false);
    policies = [];
    assert.deepEqual(await ask(body), first);
    assert.equal(rows().length, 1);
    assert.equal(counts().get('svc_admission_reviews_total repeat'), 1);
    assert.equal(counts().get('svc_admission_reviews_total unreadable'), 1);
  });

  test('its row names who asked, under a pseudonym, and which pod', async () => {
    const { ask, rows } = openReviewer([enforcing]);
    const text = {
      userInfo: { username: 'jane@example.com', groups: [] },
      subResource: 'ephemeralcontainers',
    };
    await ask(named(reviewOf({ ...text, operation: 'UPDATE', spec: BAD })));
    await ask(named(deep(text)));
    const hash = createHash('sha256').update('jane@example.com').digest('hex').slice(0, 16);
    for (const row of rows()) {
      assert.deepEqual(
        [row.namespace, row.pod, row.requester, row.subresource],
        ['shop', 'web-1', `k8s-user:${hash}`, 'ephemeralcontainers'],
      );
      assert.match(row.reason, /^not readable: .*; subresource ephemeralcontainers$/);
    }
    assert.equal(rows().length, 2);
  });

  test('a ledger that takes nothing: Fail refuses it, Ignore says that it is not recorded', async () => {
    const down = { append: async () => Promise.reject(new AppendError('unavailable', 'the spool is full')) };
    for (const failurePolicy of ['Ignore', 'Fail'] as const) {
      const { ask, counts, events } = openReviewer([audit], { ledger: down }, { failurePolicy });
      const response = await ask(reviewOf({ spec: BAD }));
      assert.equal(response.allowed, failurePolicy === 'Ignore');
      assert.ok(response.warnings?.includes('ledger unavailable: this review is not recorded'));
      assert.deepEqual(
        events.map(({ kind }) => kind),
        ['unrecorded'],
      );
      assert.equal(counts().get('svc_admission_unrecorded_total'), 1);
    }
  });

  test('the cluster is told, and that the ledger is behind is said', async () => {
    const delayed = { append: async () => ({ rows: [], repeat: false, delayed: true }) };
    const { ask, events } = openReviewer([enforcing], { ledger: delayed });
    const response = await ask(reviewOf({ spec: BAD }));
    assert.deepEqual([response.allowed, response.warnings], [false, ['ledger delayed']]);
    assert.deepEqual(
      events.map(({ kind, allowed, namespace }) => [kind, allowed, namespace]),
      [['denied', false, 'shop']],
    );
  });

  test('a dry run writes nothing, also where it is too deep to be parsed', async () => {
    const opened = openReviewer([enforcing]);
    for (const body of [reviewOf({ spec: BAD, dryRun: true }), deep({ dryRun: true })]) {
      assert.equal((await opened.ask(body)).allowed, false);
    }
    assert.deepEqual([opened.rows(), opened.events], [[], []]);
    assert.equal(opened.counts().get('svc_admission_reviews_total dry_run'), 2);
  });

  test('the policies of its own namespace are asked, as far as its beginning tells which that is', async () => {
    const { ask, reviewer } = openReviewer([enforcing]);
    assert.equal((await ask(deep({ namespace: 'other' }))).allowed, true);
    assert.equal((await ask(deep({ namespace: 'shop' }))).allowed, false);
    const beginning = (namespace: string) => reviewOf({ namespace }).subarray(0, 700);
    assert.match((await reviewer.reviewOversized(beginning('other'))).body, /"allowed":true/);
    assert.match((await reviewer.reviewOversized(beginning('shop'))).body, /"allowed":false/);
    // A text that looks like the end of a beginning is one no more than a text.
    const username = ',"object":{},"namespace":"other"';
    const body = deep({ namespace: 'shop', userInfo: { username, groups: [] } });
    assert.equal((await ask(body)).allowed, false);
  });
});

/** The API server names the pod in the request as well. */
function named(body: Buffer): Buffer {
  return Buffer.from(body.toString().replace('"namespace":', '"name":"web-1","namespace":'));
}
