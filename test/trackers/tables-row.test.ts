import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FAKE_KINDS, type FakeKind } from '../../fakes/index.ts';
import type { TrackingRow } from '../../src/trackers/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { digestOf } from '../store/image-records.ts';
import { actsOf, commentsOf, desksOf, type Desk } from './tables-world.ts';
import { DAY, HOUR, MINUTE } from './virtual-clock.ts';

type Row = readonly [name: string, play: (desk: Desk, kind: FakeKind) => Promise<void>];

const SEQUENCE = ['comment', 'close'];

/** The rows of the table of the states of a tracking history row, each in its words. */
const STATES: readonly Row[] = [
  [
    'none, `critical_finding` candidate, "No row exists for (digest, CVE); channel enabled; daily cap not reached", to open: "The row is claimed before the tracker is called. Then one issue is created"',
    async (desk, kind) => {
      const { fake } = await desk.channel(kind);
      const before: (readonly TrackingRow[])[] = [];
      fake.faults.at({ act: 'create' }, 'before', async () => void before.push(await desk.world.rows()));
      await desk.world.scan(1, ['CVE-1']);
      await desk.file();
      const [claimed] = before[0] ?? [];
      assert.deepEqual([claimed?.state, claimed?.issue, claimed?.cve], ['open', null, 'CVE-1']);
      assert.deepEqual(actsOf(fake), ['create']);
      const row = await desk.world.row();
      assert.deepEqual([row.state, row.issue?.id], ['open', String(fake.state.issues[0]?.id)]);
      await desk.file();
      assert.deepEqual(actsOf(fake), ['create']);
    },
  ],
  [
    'none, candidate, to open: "or a first-run summary issue is used"',
    async (desk, kind) => {
      const { fake } = await desk.channel(kind);
      await desk.world.scan(1, ['CVE-1', 'CVE-2', 'CVE-3', 'CVE-4', 'CVE-5', 'CVE-6']);
      await desk.file();
      assert.deepEqual(actsOf(fake), ['create']);
      const rows = await desk.world.rows();
      assert.equal(rows.length, 6);
      assert.ok(
        rows.every(({ issue, summary }) => summary && issue?.id === String(fake.state.issues[0]?.id)),
      );
    },
  ],
  [
    'none, candidate, "A row for (digest, CVE) already exists", unchanged: "The finding is counted as skipped with reason `dedup`; the cluster name is added to the row."',
    async (desk, kind) => {
      const { world } = desk;
      const { fake } = await desk.channel(kind);
      await world.seen(1, world.clock.now(), { cluster: 'east' });
      await world.scan(1, ['CVE-1']);
      await desk.file();
      const before = await world.row();
      await world.seen(1, world.clock.now(), { cluster: 'west' });
      await world.scan(1, ['CVE-1']);
      await desk.file();
      assert.equal(world.count('svc_issues_skipped_total dedup'), 1);
      assert.deepEqual(await world.row(), { ...before, clusters: ['east', 'west'] });
      assert.deepEqual(actsOf(fake), ['create']);
    },
  ],
  [
    'none, candidate, "Cap reached in the rolling 24 hours", none: "The finding stays a candidate and is retried when the window rolls. One warning per day per channel is logged. Counted as skipped `cap`."',
    async (desk, kind) => {
      const { world } = desk;
      const { fake } = await desk.channel(kind, { dailyCap: 1 });
      await world.scan(1, ['CVE-1', 'CVE-2']);
      for (let hour = 0; hour < 24; hour += 1) {
        await desk.file();
        assert.equal((await world.rows()).length, 1, 'no row is made');
        world.clock.advance(HOUR - MINUTE);
      }
      assert.equal(world.count('svc_issues_skipped_total cap'), 1);
      const warned = (): number => world.log.filter(({ message }) => message.includes('daily cap')).length;
      assert.equal(warned(), 1);
      world.clock.advance(24 * MINUTE);
      await desk.file();
      assert.equal(fake.state.issues.length, 2);
    },
  ],
  [
    'open, closing sweep, "Newest scan of the digest no longer reports the CVE", to closed, reason `fixed`: "Comment with the reason is posted, then the issue is closed, and only after the tracker confirms is the row marked closed."',
    async (desk, kind) => {
      const { world } = desk;
      const { fake } = await desk.channel(kind);
      await world.scan(1, ['CVE-1']);
      await desk.file();
      await world.scan(1, ['CVE-2'], { severity: 'HIGH' });
      const states: string[] = [];
      fake.faults.at({ act: 'close' }, 'after', async () => void states.push((await world.row()).state));
      await desk.sweep();
      assert.deepEqual(actsOf(fake).slice(1), SEQUENCE);
      assert.deepEqual(states, ['open'], 'it was open until the tracker had answered');
      const row = await world.row();
      assert.deepEqual([row.state, row.reason, row.closedAt], ['closed', 'fixed', world.clock.now()]);
      assert.match(commentsOf(fake.state.issues[0]!)[0] ?? '', /CVE-1[\s\S]*\bfixed\b/);
    },
  ],
  [
    'open, sweep, "An unexpired triage decision covers that CVE for that image", to closed, reason `triaged`: "Same sequence."',
    async (desk, kind) => {
      const { world } = desk;
      const { fake } = await desk.channel(kind);
      await world.scan(1, ['CVE-1']);
      await desk.file();
      await world.triage(2, 'CVE-1', world.clock.now() + DAY);
      await world.triage(1, 'CVE-9', world.clock.now() + DAY);
      await desk.sweep();
      assert.equal((await world.row()).state, 'open', 'another image, another CVE');
      await world.triage(1, 'CVE-1', world.clock.now() + DAY);
      await desk.sweep();
      assert.deepEqual(actsOf(fake).slice(1), SEQUENCE);
      assert.equal((await world.row()).reason, 'triaged');
      assert.match(commentsOf(fake.state.issues[0]!)[0] ?? '', /CVE-1[\s\S]*\btriaged\b/);
    },
  ],
  [
    'open, sweep, "No pod observed running the digest for 24 hours, and a runtime reconciliation sweep ran within the last 24 hours", to closed, reason `image_retired`: "Same sequence. Without a recent reconciliation sweep this closure is withheld."',
    async (desk, kind) => {
      const { world } = desk;
      const { fake } = await desk.channel(kind);
      await world.seen(1, world.clock.now());
      await world.swept('prod', world.clock.now());
      await world.scan(1, ['CVE-1']);
      await desk.file();
      world.clock.advance(DAY + MINUTE);
      await desk.sweep();
      assert.equal((await world.row()).state, 'open');
      assert.match((await world.row()).withheld ?? '', /no whole reconciliation sweep/);
      await world.swept('prod', world.clock.now());
      await desk.sweep();
      assert.deepEqual(actsOf(fake).slice(1), SEQUENCE);
      assert.equal((await world.row()).reason, 'image_retired');
      assert.match(commentsOf(fake.state.issues[0]!)[0] ?? '', /\bimage_retired\b/);
    },
  ],
  [
    'open, sweep, "Provider call fails", open: "Error recorded on the row; the next sweep retries."',
    async (desk, kind) => {
      const { world } = desk;
      const { fake } = await desk.channel(kind);
      await world.scan(1, ['CVE-1']);
      await desk.file();
      await world.scan(1, []);
      for (const act of ['comment', 'close'] as const) {
        fake.faults.inject({ act }, '500 before effect');
        await desk.sweep();
        const row = await world.row();
        assert.equal(row.state, 'open');
        assert.match(row.lastError ?? '', /answers 500/);
        world.clock.advance(10 * MINUTE);
      }
      await desk.sweep();
      assert.deepEqual([(await world.row()).state, (await world.row()).lastError], ['closed', null]);
      assert.equal(commentsOf(fake.state.issues[0]!).length, 1);
    },
  ],
  [
    'open (claimed, no issue), next critical finding for the image, "Provider failure left a lock without an issue", retried: "The row is retried, not released."',
    async (desk, kind) => {
      const { world } = desk;
      const { fake } = await desk.channel(kind);
      await world.scan(1, ['CVE-1']);
      await fake.down();
      await desk.file();
      const locked = await world.row();
      assert.deepEqual([locked.state, locked.issue], ['open', null]);
      await fake.up();
      world.clock.advance(MINUTE);
      await world.scan(1, ['CVE-1', 'CVE-2']);
      await desk.file();
      const [retried, next] = await world.rows();
      assert.deepEqual([retried?.id, retried?.claimedAt], [locked.id, locked.claimedAt]);
      assert.ok(retried?.issue && next?.issue);
      assert.equal(fake.state.issues.length, 2);
    },
  ],
  [
    'closed (`triaged`), triage expires and the finding returns, to new row, open: "A new issue is opened; the closed row stays as history."',
    async (desk, kind) => {
      const { world } = desk;
      const { fake } = await desk.channel(kind);
      await world.scan(1, ['CVE-1']);
      await desk.file();
      const until = world.clock.now() + HOUR;
      await world.triage(1, 'CVE-1', until);
      await desk.sweep();
      const closed = await world.row();
      world.clock.advance(until - 1 - world.clock.now());
      await desk.file();
      assert.deepEqual(await world.row(), closed);
      world.clock.advance(1);
      await desk.file();
      const [history, opened] = await world.rows();
      assert.deepEqual(history, closed);
      assert.deepEqual([opened?.state, opened?.digest, opened?.cve], ['open', digestOf(1), 'CVE-1']);
      assert.deepEqual(
        fake.state.issues.map(({ id, state }) => [String(id), state]),
        [
          [closed.issue?.id, 'closed'],
          [opened?.issue?.id, 'open'],
        ],
      );
    },
  ],
];

forEachEngine('Tracking history row', (engine) => {
  const open = desksOf(engine);
  const kinds = engine.name === 'sqlite' ? FAKE_KINDS : (['gitlab'] as const);
  for (const kind of kinds)
    suite(kind, () => {
      for (const [name, play] of STATES)
        test(name, async (t) => {
          const desk = await open(t);
          await play(desk, kind);
        });
    });
});
