import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatTime } from '../../src/base/index.ts';
import { diffPackages, drawSample } from '../../src/evidence/index.ts';
import type { LedgerRow } from '../../src/ledger/index.ts';
import { openBytesPackage } from './open-bytes.ts';
import { DAY, documentOf, FROM, packageOf, sourceOf, worlds } from './source.ts';

const [WORLD] = fc.sample(
  worlds.filter(
    ({ rows }) => new Set(rows.map(({ kind, namespace }) => kind === 'review' && namespace)).size > 3,
  ),
  { seed: 5, numRuns: 1 },
);
assert.ok(WORLD !== undefined);
const source = sourceOf(WORLD);

test('admissions are sampled from those that were asked for, as they are counted', async () => {
  for (const namespaces of [[], ['shop'], ['pay', 'kube-system']]) {
    const pkg = await openBytesPackage(await packageOf(source, { namespaces }));
    const { total, items, gaps } = await drawSample(pkg, 'admissions', 1000, 's');
    assert.equal(total, pkg.document.admissions.rows, namespaces.join());
    for (const { record } of items)
      assert.ok(namespaces.length === 0 || namespaces.includes(String(record['namespace'])));
    assert.deepEqual(gaps, [], 'rows of others are no gap');
  }
});

test('a row between the last millisecond of a month and the next month is in one of them', async () => {
  const [one] = WORLD.rows;
  assert.ok(one !== undefined);
  // An API server writes microseconds.
  const times = ['30T23:59:59.999', '30T23:59:59.999499', '30T23:59:59.999999999', '31T00:00:00'];
  const rows = times
    .map((time, i) => ({ ...one, id: i + 1, kind: 'review', time: `2026-10-${time}Z` }))
    .reverse();
  const of = sourceOf({ ...WORLD, rows });
  const day = Date.UTC(2026, 9, 31);
  const before = await documentOf(of, { from: FROM, to: day - 1 });
  const after = await documentOf(of, { from: day, to: day + DAY - 1 });
  assert.deepEqual([before.admissions.rows, after.admissions.rows], [3, 1]);
  assert.deepEqual([before.coverage.rows.outside_period, after.coverage.rows.outside_period], [1, 3]);
  const { total } = await drawSample(
    await openBytesPackage(await packageOf(of, { from: FROM, to: day - 1 })),
    'admissions',
    10,
    's',
  );
  assert.equal(total, 3);
});

test('a row of an older release counts under the label of its sentence and the digest of its reference', async () => {
  const [one] = WORLD.rows;
  assert.ok(one !== undefined);
  const digest = `sha256:${'a'.repeat(64)}`;
  const time = formatTime(FROM + DAY);
  const plain = { ...one, time, kind: 'review', label: null, digest: null, reason: '', pod_level: false };
  const refused = { ...plain, allowed: false, review_allowed: false, break_glass: false };
  const rows: LedgerRow[] = [
    { ...refused, reason: 'tag latest not allowed: nginx', image: 'nginx' },
    { ...refused, reason: 'workload hardening: root', image: null, pod_level: true },
    { ...refused, reason: 'refused by another webhook', image: `registry/b:1@${digest}` },
    { ...refused, allowed: true, reason: 'audit mode: digest required: nginx', image: 'nginx' },
    { ...plain, allowed: true, break_glass: true, image: `registry/b@${digest}` },
    { ...plain, allowed: true, break_glass: false, image: 'registry/b', digest },
  ];
  const of = rows.map((row, i) => ({ ...row, id: i + 1, review_uid: `r-${i}` })).reverse();
  const { admissions, break_glass: bypasses } = await documentOf(sourceOf({ ...WORLD, rows: of }));
  assert.deepEqual(
    admissions.by_label.map(({ label, rows: count }) => [label, count]),
    [
      ['digest', 1],
      ['other', 1],
      ['tag', 1],
      ['workload_hardening', 1],
    ],
  );
  assert.equal(admissions.denied + admissions.admitted_by_audit, 4, 'the labels add up to them');
  assert.equal(admissions.images, 1);
  const [bypass] = bypasses.items as readonly { digest: string; judged_again_at: string }[];
  assert.deepEqual([bypass?.digest, bypass?.judged_again_at], [digest, time]);
});

test('windows that policies declare are written in one way', async () => {
  const policies = WORLD.policies.map((policy, i) => {
    const { spec, ...rest } = policy.document as { readonly spec: object };
    return {
      ...policy,
      document: { ...rest, spec: { ...spec, sla: { critical: i === 0 ? '24h0m0s' : '1440m' } } },
    };
  });
  const { policies: shown } = await documentOf(sourceOf({ ...WORLD, policies }));
  assert.ok(shown.length > 0);
  for (const { critical_window: window } of shown) assert.equal(window, '24h');
});

test('requirements that only the older package has are part of a difference', async () => {
  const before = await documentOf(source, { frameworks: ['soc2', 'essential-eight'] });
  const after = await documentOf(source, { frameworks: ['essential-eight'] });
  const { requirements } = diffPackages(before, after);
  const soc2 = before.requirements.find(({ id }) => id === 'soc2')?.requirements ?? [];
  assert.deepEqual(
    requirements.map(({ framework, id, from, to }) => [framework, id, from, to]),
    soc2.map(({ id, state }) => ['soc2', id, state, null]),
  );
  assert.equal(diffPackages(after, before).requirements.length, soc2.length);
});

test('each finding and observation of OSCAL names the file of the rows by its digest', async () => {
  const pkg = await openBytesPackage(await packageOf(source));
  const { results, 'back-matter': back } = JSON.parse(
    String(await pkg.read('oscal-assessment-results.json')),
  )['assessment-results'];
  const [resource] = back.resources;
  const sum = pkg.document.files.find(({ name }) => name === 'admissions.ndjson.gz')?.sha256;
  assert.equal(resource.rlinks[0].hashes[0].value, sum);
  for (const { findings, observations } of results) {
    for (const { links } of findings) assert.equal(links[0].href, `#${resource.uuid}`);
    for (const { 'relevant-evidence': evidence } of observations)
      assert.equal(evidence[0].href, `#${resource.uuid}`);
  }
});
