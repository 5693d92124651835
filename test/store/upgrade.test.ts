import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { leafHash } from '../../src/ledger/index.ts';
import { policySpec, revisionOf } from '../../src/policy/index.ts';
import { changeTotals, type CountedFinding } from '../../src/store/findings/cve-totals.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { rebuildFacts } from '../../src/store/facts/facts.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { ledgerReader } from '../../src/store/ledger/rows.ts';
import { ledgerTree } from '../../src/store/ledger/tree.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { shapeHash, type ShapeFields } from '../../src/store/cells/shape.ts';
import { rowsWithin } from '../../src/store/ledger/spans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { unpackUid } from '../../src/store/cells/uid.ts';
import { makeSigner, treeOf } from '../ledger/grown.ts';
import { contentHash, contentOf } from './content.ts';
import { forEachEngine, type TestEngine } from './engines.ts';
import { asOf, digestOf, pseudonymOf, SEEDED, seedRows, type SeedRow } from './release-ledger.ts';
import { BASELINE, levelOf, makeRelease, NOW, RELEASES, ROWS } from './releases.ts';

const hashes = new Map<string, string>();

forEachEngine(
  'an upgrade',
  (engine) => {
    for (const release of RELEASES) {
      test(`from ${release} keeps everything`, async (t) => {
        const store = await upgraded(t, engine, release);
        const level = levelOf(release);
        await ledgerIsKept(store, level);
        await lastReviewsAreRight(store, level);
        await peopleAreKept(store);
        await policiesAreKept(store, level);
        await imagesAreKept(store, level);
        await channelsAreKept(store);
        await runtimeIsKept(store, level);
        await nothingDangles(store);

        const hash = await contentHash(store.read);
        assert.equal(hash, hashes.get(release) ?? hash, 'both engines hold the same');
        hashes.set(release, hash);
      });
    }
  },
  { concurrency: 4 },
);

async function upgraded(t: TestContext, engine: TestEngine, release: string): Promise<Store> {
  const url = await engine.empty();
  await makeRelease(url, release);
  const store = await openStore({ url, now: () => NOW });
  t.after(() => store.close());
  return store;
}

type StoredRow = Omit<ShapeFields, 'id'> & {
  readonly id: number;
  readonly at: number;
  readonly part: number;
  readonly pod: string | null;
  readonly pod_uid: Buffer | null;
  readonly review_uid: Buffer | null;
  readonly requester: string | null;
  readonly hash: Buffer;
};

/** The rows as an upgrade numbers them: by time, and where two have one, in the order they were written. */
function expectedRows(level: number): SeedRow[] {
  const rows = seedRows(ROWS).map((row) => asOf(row, level));
  return level < 9 ? rows.toSorted((a, b) => a.at - b.at) : rows;
}

async function ledgerIsKept(store: Store, level: number): Promise<void> {
  const rows = await runText<StoredRow>(
    store.read,
    `select s.*, r.id, r.at, r.part, r.pod, r.pod_uid, r.review_uid, n.name as requester from ledger_rows r
     join ledger_shapes s on s.id = r.shape left join ledger_names n on n.id = r.requester order by r.id`,
    [],
  );
  const parts = new Map<string, number>();
  const expected = expectedRows(level).map((row, i) => {
    const part = row.review_uid === null ? 0 : (parts.get(row.review_uid) ?? 0);
    if (row.review_uid !== null) parts.set(row.review_uid, part + 1);
    return { ...row, id: i + 1, part, requester: pseudonymOf(row.requester) };
  });
  assert.deepEqual(
    rows.map(({ hash, ...row }) => {
      assert.deepEqual(hash, shapeHash(row), 'a shape is found again by what it holds');
      const uid = row.review_uid === null ? null : unpackUid(row.review_uid);
      return { ...row, review_uid: uid, pod_uid: row.pod_uid === null ? null : unpackUid(row.pod_uid) };
    }),
    expected,
  );
  assert.deepEqual(await store.read.selectFrom('ledger_head').selectAll().execute(), [{ id: 1, size: ROWS }]);
  const times = expected.map(({ at }) => at);
  const found = await rowsWithin(store, Math.min(...times), Math.max(...times));
  assert.deepEqual(found, { first: 1, last: ROWS });
  if (level < 20) assert.ok(rows.every(({ signals, inputs }) => signals === null && inputs === null));
  if (level < 7) assert.ok(rows.every((row) => row.policy_revision === ''));
}

async function lastReviewsAreRight(store: Store, level: number): Promise<void> {
  const last = new Map<string, readonly [id: number, allowed: number]>();
  expectedRows(level).forEach(({ digest, image, kind, allowed }, i) => {
    const named = digest ?? image?.split('@')[1];
    if (named !== undefined && kind === 'review') last.set(named, [i + 1, allowed]);
  });
  assert.ok(last.size > 5 && new Set([...last.values()].map(([, allowed]) => allowed)).size === 2);
  const images = await store.read
    .selectFrom('images')
    .select(['digest', 'last_row_id', 'last_allowed'])
    .execute();
  assert.equal(images.length, 7);
  for (const { digest, last_row_id, last_allowed } of images)
    assert.deepEqual([last_row_id, last_allowed], last.get(digest) ?? [null, null], digest);
}

async function peopleAreKept({ read }: Store): Promise<void> {
  const accounts = await read
    .selectFrom('accounts')
    .select(['id', 'name', 'disabled_at'])
    .orderBy('id')
    .execute();
  assert.deepEqual(
    accounts.map(({ name, disabled_at }) => [name, disabled_at]),
    [
      ['Ada', null],
      ['Kim', null],
      ['Kim', null],
      [null, null],
    ],
  );
  assert.equal((await read.selectFrom('sessions').selectAll().execute()).length, 1);
  const entries = await read
    .selectFrom('audit')
    .select(['actor', 'actor_id'])
    .where('action', '=', 'policy_update')
    .orderBy('id')
    .execute();
  assert.deepEqual(
    entries.map(({ actor }) => actor),
    ['Ada', 'Kim', 'dddddddddddddddd@example.com', 'somebody who left', 'Ada'],
  );
  const [ada, kim] = entries;
  assert.equal(ada?.actor_id, 'aaaaaaaaaaaaaaaa');
  assert.equal(kim?.actor_id, null, 'two people have the name');
}

async function policiesAreKept({ read }: Store, level: number): Promise<void> {
  const policies = await read.selectFrom('policies').selectAll().orderBy('name').execute();
  assert.deepEqual(
    policies.map(({ document }) => JSON.parse(document)),
    [BASELINE, { kind: 'SomethingElse', note: 'ü' }],
  );
  const [baseline, strange] = policies;
  const had = level >= 21 && level < 31;
  if (level < 7 || had) assert.equal(baseline?.revision, revisionOf(policySpec.schema.parse(BASELINE.spec)));
  else assert.equal(baseline?.revision, 'recorded revision of baseline');
  assert.equal(baseline?.version, level < 7 ? 1 : had ? 4 : 3);
  assert.equal(baseline?.updated_by, 'Ada');
  const revisions = await read
    .selectFrom('policy_revisions')
    .select(['name', 'revision', 'document'])
    .execute();
  assert.equal(revisions.length, had ? 3 : 2);
  for (const { name, revision } of [baseline, strange].filter((policy) => policy !== undefined))
    assert.ok(
      revisions.some((known) => known.name === name && known.revision === revision),
      name,
    );
}

async function imagesAreKept(store: Store, level: number): Promise<void> {
  const { read } = store;
  const scans = await read.selectFrom('scans').selectAll().orderBy('id').execute();
  assert.equal(scans.length, level < 27 ? 11 : 6);
  assert.deepEqual(new Set(scans.map(({ scanner }) => scanner)), new Set(['trivy']));
  assert.deepEqual(
    new Set(scans.map((scan) => scan.scanner_version)),
    new Set([level < 12 ? null : '0.70.0']),
  );
  const current = scans.filter((scan) => scan.current === 1);
  assert.equal(current.length, 5);
  assert.ok(current.every(({ scanned_at }) => scanned_at === SEEDED + 86_400_000));
  const findings = await read.selectFrom('findings').selectAll().execute();
  assert.equal(findings.length, 4 + 5 + 6 + 7 + 8);
  assert.ok(findings.every(({ known_exploited }) => (known_exploited === null) === level < 18));
  const triage = await read.selectFrom('triage').selectAll().orderBy('id').execute();
  assert.deepEqual(
    triage.map(({ severity }) => severity),
    ['CRITICAL', 'HIGH', 'MEDIUM'].map((_, i) => highest(i)),
  );
  assert.equal(triage[0]?.account_id, 'aaaaaaaaaaaaaaaa');
  assert.equal((await read.selectFrom('scan_queue').selectAll().execute()).length, 1);

  // What follows from them is as the service itself would make it.
  const before = await contentOf(read);
  const totals = [before.get('cve_totals'), before.get('cve_packages')];
  assert.ok(totals.every((lines) => lines !== undefined && lines.length > 3));
  await store.write(async (transaction) => {
    for (const image of [0, 1, 2, 3, 4, 5, 6]) await rebuildFacts(transaction, digestOf(image));
    await transaction.deleteFrom('cve_totals').execute();
    await transaction.deleteFrom('cve_packages').execute();
    for (const { id } of current) {
      const found = findings.filter(({ scan_id }) => scan_id === id) satisfies CountedFinding[];
      await changeTotals(transaction, [], found);
    }
  });
  const after = await contentOf(read);
  assert.deepEqual([after.get('cve_totals'), after.get('cve_packages')], totals);
  assert.deepEqual(after.get('images'), before.get('images'));
  const judged = await read.selectFrom('image_states').select('digest').execute();
  assert.ok(judged.length === 7 || level >= 27, 'every image is going to be judged');
}

/** The findings of a CVE stand at every fourth place, and severities go round by five. */
function highest(image: number): string {
  const order = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'UNKNOWN'];
  const places = Array.from({ length: 4 + image }, (_, i) => i).filter((i) => i % 4 === 0);
  return order[Math.min(...places.map((i) => (i + image) % 5))] ?? '';
}

async function channelsAreKept({ read }: Store): Promise<void> {
  const channels = await read.selectFrom('channels').selectAll().orderBy('place').execute();
  assert.deepEqual(
    channels.map(({ id }) => id),
    ['hub', 'mail'],
  );
  assert.deepEqual(JSON.parse(channels[0]?.settings ?? ''), {
    apiBaseUrl: 'https://api.github.com',
    defaultRepo: 'example/app',
  });
  assert.match(channels[1]?.settings ?? '', /stored as before/);
  const credentials = await read
    .selectFrom('channel_credentials')
    .select(['channel_id', 'field', 'value'])
    .execute();
  assert.deepEqual(credentials, [{ channel_id: 'hub', field: 'token', value: 'plain-token' }]);
}

async function runtimeIsKept({ read }: Store, level: number): Promise<void> {
  if (level < 16) return;
  const events = await read
    .selectFrom('runtime_events')
    .select(['at', 'rule', 'output', 'decided_at', 'kind'])
    .orderBy('at')
    .execute();
  assert.deepEqual(
    events.map(({ at, decided_at, kind }) => [at, decided_at, kind]),
    [
      [SEEDED, SEEDED, 'event'],
      [SEEDED + 1, SEEDED + 1, 'event'],
    ],
  );
  if (level < 21) return;
  const rules = await read
    .selectFrom('runtime_rules')
    .select(['name', 'action', 'account_id'])
    .orderBy('place')
    .execute();
  assert.deepEqual(
    rules.map(({ action }) => action),
    ['notify', 'notify', 'record'],
  );
  assert.ok(rules.every(({ account_id }) => account_id === 'aaaaaaaaaaaaaaaa'));
  if (level >= 31) return;
  const policies = await read.selectFrom('runtime_policies').selectAll().orderBy('name').execute();
  assert.deepEqual(
    policies.map(({ name, enabled }) => [name, enabled]),
    [
      ['shells', 0],
      ['shells-2', 0],
    ],
  );
  assert.deepEqual(JSON.parse(policies[0]?.document ?? '').spec.window, { count: 3, duration: '60s' });
  const releases = await read
    .selectFrom('audit')
    .selectAll()
    .where('action', '=', 'runtime_block_release')
    .execute();
  assert.equal(releases.length, 1);
  assert.equal(releases[0]?.actor_id, 'aaaaaaaaaaaaaaaa');
  assert.deepEqual(JSON.parse(releases[0]?.detail ?? ''), {
    rule: 'Shells!',
    opened_at: SEEDED,
    reason: 'false_positive',
    note: 'a drill',
  });
}

async function nothingDangles(store: Store): Promise<void> {
  const counts = await runText<{ n: number }>(
    store.read,
    `select count(*) as n from ledger_rows r left join ledger_shapes s on s.id = r.shape where s.id is null
     union all select count(*) from findings f left join scans s on s.id = f.scan_id where s.id is null`,
    [],
  );
  assert.deepEqual(
    counts.map(({ n }) => n),
    [0, 0],
  );
  if (store.engine !== 'sqlite') return;
  assert.deepEqual(await runText(store.read, 'select * from pragma_integrity_check', []), [
    { integrity_check: 'ok' },
  ]);
  assert.deepEqual(await runText(store.read, 'select * from pragma_foreign_key_check', []), []);
}

forEachEngine('a ledger of the first release', (engine) => {
  test('goes on: a review that comes again is answered, new ones follow, the tree covers all', async (t) => {
    const store = await upgraded(t, engine, '0.1.0');
    const row = (at: number) => ({ at, image: 'app', allowed: true, reason: '', namespace: 'shop' });
    const known = seedRows(ROWS)[1]?.review_uid ?? '';
    const [repeated, fresh] = await ledgerWriter(store).appendAll([
      { uid: known, rows: [row(NOW)] },
      { uid: 'ffffffff-0000-4000-8000-000000000000', rows: [row(NOW), row(NOW)] },
    ]);
    assert.equal(repeated?.repeat, true);
    assert.ok(repeated.rows.every(({ review_uid }) => review_uid === known));
    assert.deepEqual(
      fresh?.rows.map(({ id }) => id),
      [ROWS + 1, ROWS + 2],
    );
    const tree = treeOf(store, makeSigner());
    assert.equal((await tree.checkpoint())?.size, ROWS + 2);
    const [leaf] = await ledgerTree(store).leaves(4, 1);
    const fifth = await ledgerReader(store).row(5);
    assert.ok(fifth !== null);
    assert.deepEqual(leaf?.hash, leafHash(fifth));
  });
});
