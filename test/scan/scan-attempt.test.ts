import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isDigest } from '../../src/base/index.ts';
import { incompleteAt, nextAttempt, placesOf } from '../../src/scan/scan-attempt.ts';
import { runs } from '../runs.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;

test('an image is asked for by its digest, in each repository that it was seen in, three at most', () => {
  const names = [
    ...[
      'docker.io/library/nginx:1',
      'nginx:2',
      `ghcr.io/acme/web@${OTHER}`,
      'not a name',
      'localhost:5000/web:1',
    ],
    'registry.example.com/web:1',
  ];
  assert.deepEqual(
    placesOf(DIGEST, names, 1).map(({ name, tag, digest }) => [name, tag, digest]),
    ['docker.io/library/nginx', 'ghcr.io/acme/web', 'localhost:5000/web'].map((name) => [name, null, DIGEST]),
  );
});

test('names that lead nowhere do not hide where an image is: each place comes to be the first that is asked', () => {
  for (const count of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const names = Array.from({ length: count }, (_, n) => `r${n}.example.com/web:1`);
    const first = [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => placesOf(DIGEST, names, attempt)[0]?.host);
    if (count <= 3) assert.equal(new Set(first).size, count);
    const all = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((attempt) => placesOf(DIGEST, names, attempt));
    assert.equal(new Set(all.map(({ host }) => host)).size, count);
  }
  const many = Array.from({ length: 24 }, (_, n) => `r${n}.example.com/web:1`);
  const all = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((attempt) => placesOf(DIGEST, many, attempt));
  assert.equal(new Set(all.map(({ host }) => host)).size, 24);
});

test('no name leads to where a cloud gives out credentials', () => {
  const hosts = [
    '169.254.169.254',
    '169.254.169.254:80',
    '[fe80::1]',
    '[FD00:EC2::254]:80',
    '[::ffff:169.254.169.254]',
  ];
  for (const host of [...hosts, '[::ffff:a9fe:a9fe]', 'metadata.google.internal', 'Metadata:80'])
    assert.deepEqual(placesOf(DIGEST, [`${host}/latest/meta-data:x`], 1), [], host);
  assert.equal(
    placesOf(DIGEST, ['10.0.0.1:5000/web:1', 'metadata.example.com/web:1', '169.254.example.com/x'], 1)
      .length,
    3,
  );
});

test('whatever names there are, a place names the digest and is never an option of a program', () => {
  const name = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.stringMatching(/^[-a-zA-Z0-9._/:@]{1,40}$/),
    fc.constantFrom('--config/x:1', '-v', 'a/../b', `x@${OTHER}`, 'a b', 'http://x/y', 'x\n--server/y'),
  );
  fc.assert(
    fc.property(fc.array(name, { maxLength: 6 }), (names) => {
      const places = placesOf(DIGEST, names, 1);
      assert.ok(places.length <= 3);
      for (const { text, digest } of places) {
        assert.ok(digest !== null && isDigest(digest) && digest === DIGEST);
        assert.match(text, /^[a-z0-9[]/i);
        assert.doesNotMatch(text, /\s/);
      }
    }),
    { numRuns: runs(5000) },
  );
});

test('a failed scan waits 1, 2, 4 … minutes and is given up after eight; the scanner’s own fault is not held against it', () => {
  const claim = (attempts: number) => ({ digest: DIGEST, requestedAt: 0, attempts, claimedAt: 0, done: [] });
  const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((attempts) => nextAttempt(claim(attempts), 'image', 0));
  assert.deepEqual(waits, [...[1, 2, 4, 8, 16, 32, 64].map((minutes) => minutes * 60_000), null]);
  assert.deepEqual(
    [1, 8, 99].map((attempts) => nextAttempt(claim(attempts), 'scanner', 5)),
    [60_005, 60_005, 60_005],
  );
  assert.equal(nextAttempt(claim(8), 'stopped', 5), 5);
  assert.deepEqual([incompleteAt(claim(1), 0), incompleteAt(claim(8), 0)], [6 * 3_600_000, null]);
});
