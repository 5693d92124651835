import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import type { StopAnswer, StopAttempt, StopCounts, StopEvent } from '../../src/runtime/index.ts';
import { podStopLog, sweepLog, type Store } from '../../src/store/index.ts';
import { checkPayloads, subscribe } from '../notify/subscriber.ts';
import { forEachEngine, type TestEngine } from './engines.ts';
import { rowsOf } from './image-records.ts';

const AT = Date.UTC(2026, 10, 26, 6);
const DIGEST = `sha256:${'a'.repeat(64)}`;
const STOP = (): StopAnswer => ({ kind: 'stop' });
const withheld = (why: string) => (): StopAnswer => ({ kind: 'withheld', loop: true, why });

const eventOf = (id: number, more: Partial<StopEvent> = {}): StopEvent => ({
  ...{
    id,
    at: AT,
    receivedAt: AT,
    rule: 'Shell "x"',
    fields: null,
    namespace: 'shop',
    pod: `web-${id}`,
    podUid: `uid-${id}`,
  },
  ...{ workload: 'deployment/web', image: 'ghcr.io/acme/web:1', digest: DIGEST, ...more },
});
const attemptOf = (id: number, at = AT, more: Partial<StopEvent> = {}): StopAttempt => ({
  ...{ at, cluster: 'eu', policy: 'stop-shells', stopMode: 'immediate', event: eventOf(id, more) },
});

async function open(t: TestContext, engine: TestEngine) {
  const store = await engine.open(t);
  await store.write(async (transaction) => {
    await sql`insert into fences (name, value, holder, acquired_at) values ('cluster:eu', 7, 'me', 1)`.execute(
      transaction,
    );
    for (let id = 1; id <= 30; id += 1)
      await sql`insert into runtime_events (id, at, rule, priority, output, effect, policy, policy_effect)
        values (${id}, ${AT}, 'Shell', 'Notice', '', 'notify', 'stop-shells', 'pending')`.execute(
        transaction,
      );
  });
  const log = podStopLog(store);
  return {
    store,
    log,
    begin: (attempt: StopAttempt, answer: (counts: StopCounts) => StopAnswer = STOP) =>
      log.begin(7, attempt, null, answer, null),
  };
}

const stopsIn = (store: Store) =>
  rowsOf(store, 'select event_id, outcome, last_error, workload, stop_mode from pod_stops order by id');
const auditIn = async (store: Store) =>
  (await rowsOf(store, "select target, detail from audit where action = 'runtime_pod_stop' order by id")).map(
    ({ target, detail }) => ({
      target,
      ...(JSON.parse(String(detail)) as { pod_uid: string; outcome?: string }),
    }),
  );
const effectOf = async (store: Store, id: number) =>
  (await rowsOf(store, `select effect, policy_effect from runtime_events where id = ${id}`))[0];

forEachEngine('stops of pods for events', (engine) => {
  test('an attempt is written with its audit entry before it is made, and ends once', async (t) => {
    const { store, log, begin } = await open(t, engine);
    const begun = await begin(attemptOf(1));
    assert.ok(begun.kind === 'begun');
    const [entry] = await auditIn(store);
    assert.deepEqual([entry?.target, entry?.pod_uid], ['shop/web-1', 'uid-1']);
    // As after a process that was killed in between: it is taken up, and written no second time.
    assert.deepEqual(await begin(attemptOf(1, AT + 5)), { kind: 'resumed', id: begun.id });
    await log.end(begun.id, 1, 'stopped', null);
    assert.deepEqual(await begin(attemptOf(1, AT + 9)), { kind: 'done' });
    assert.deepEqual(await stopsIn(store), [
      {
        event_id: 1,
        outcome: 'stopped',
        last_error: null,
        workload: 'deployment/web',
        stop_mode: 'immediate',
      },
    ]);
    assert.deepEqual(await effectOf(store, 1), { effect: 'stop', policy_effect: 'stop' });
    assert.equal((await auditIn(store)).length, 1);
    // An attempt that failed is not open.
    const second = await begin(attemptOf(2));
    assert.ok(second.kind === 'begun');
    await log.end(second.id, 2, 'failed', 'the API server answers 500');
    assert.deepEqual(await begin(attemptOf(2)), { kind: 'done' });
    assert.deepEqual(await effectOf(store, 2), { effect: 'notify', policy_effect: 'failed' });
  });

  test('a process that does not lead its cluster any more writes nothing', async (t) => {
    const { store, log } = await open(t, engine);
    await assert.rejects(log.begin(6, attemptOf(1), null, STOP, null), /another process leads the cluster/);
    assert.deepEqual([await stopsIn(store), await auditIn(store)], [[], []]);
    assert.deepEqual(await effectOf(store, 1), { effect: 'notify', policy_effect: 'pending' });
  });

  test('what is gone, changed or only audited is written without an audit entry, since nothing is stopped', async (t) => {
    const { store, log } = await open(t, engine);
    for (const [id, standing] of [
      [1, 'gone'],
      [2, 'changed'],
    ] as const) {
      const settled = await log.begin(7, attemptOf(id), standing, STOP, null);
      assert.deepEqual(settled, { kind: 'settled', outcome: standing, why: null });
      assert.deepEqual(await effectOf(store, id), { effect: 'notify', policy_effect: standing });
    }
    await log.begin(7, attemptOf(3), null, () => ({ kind: 'would_stop' }), null);
    assert.deepEqual(await effectOf(store, 3), { effect: 'notify', policy_effect: 'would_stop' });
    assert.deepEqual(
      (await stopsIn(store)).map(({ outcome }) => outcome),
      ['gone', 'changed'],
    );
    assert.deepEqual(await auditIn(store), []);
    // What knows no pod has a row too.
    const unknown = { namespace: null, pod: null, podUid: null, digest: null, workload: null };
    await log.begin(7, attemptOf(4, AT, unknown), null, withheld('its pod is not known'), null);
    assert.equal((await stopsIn(store)).length, 3);
  });

  test('stops of a minute and of a workload’s hour are counted in the act, together with those of sweeps', async (t) => {
    const { store, log, begin } = await open(t, engine);
    const counts: StopCounts[] = [];
    const look = (found: StopCounts): StopAnswer => {
      counts.push(found);
      return { kind: 'stop' };
    };
    const sweep = sweepLog(store);
    const swept = (at: number) =>
      sweep.stopBegun(
        7,
        { at, cluster: 'eu', policy: 'p', namespace: 'x', pod: 'y', podUid: 'z', digest: null },
        4,
      );
    assert.ok((await swept(AT - 120_000)) !== null);
    assert.ok((await swept(AT - 1)) !== null);
    for (const id of [1, 2]) {
      const begun = await begin(attemptOf(id), look);
      assert.ok(begun.kind === 'begun');
      await log.end(begun.id, id, id === 1 ? 'stopped' : 'gone', null);
    }
    await begin(attemptOf(3, AT, { workload: 'deployment/other' }), look);
    assert.ok((await swept(AT + 1)) !== null);
    assert.equal(await swept(AT + 2), null, 'sweeps share the limit');
    await begin(attemptOf(4, AT + 3_600_000), look);
    assert.deepEqual(counts, [
      { stops: 1, workloadStops: 0 },
      { stops: 2, workloadStops: 1 },
      { stops: 2, workloadStops: 0 },
      { stops: 0, workloadStops: 0 },
    ]);
    const exact = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        begin(attemptOf(10 + n, AT + 7_200_000), ({ stops }) =>
          stops >= 5
            ? { kind: 'withheld', loop: false, why: '5 pods were stopped within a minute' }
            : { kind: 'stop' },
        ),
      ),
    );
    assert.equal(exact.filter(({ kind }) => kind === 'begun').length, 5);
  });

  test('a withheld stop is told once a day with its draft, and audited once an hour', async (t) => {
    const { store, log } = await open(t, engine);
    await subscribe(store, 'desk', ['pod_stop_withheld']);
    const draft = {
      policy: '{"kind":"ImagePolicy"}',
      effect: 'Of 120 admissions, it would deny 3 that were allowed.',
    };
    for (const [id, after] of [
      [1, 0],
      [2, 1000],
      [3, 3_700_000],
      [4, 90_000_000],
    ] as const)
      await log.begin(7, attemptOf(id, AT + after), null, withheld('3 pods of its workload'), draft);
    assert.deepEqual(
      (await stopsIn(store)).map(({ outcome, last_error }) => [outcome, last_error]),
      Array.from({ length: 4 }, () => ['withheld', '3 pods of its workload']),
    );
    const audited = await auditIn(store);
    assert.deepEqual(
      audited.map(({ pod_uid, outcome }) => [pod_uid, outcome]),
      [
        ['uid-1', 'withheld'],
        ['uid-3', 'withheld'],
        ['uid-4', 'withheld'],
      ],
    );
    assert.equal((audited[0] as { draft?: string }).draft, draft.policy);
    assert.deepEqual(await checkPayloads(store), ['pod_stop_withheld']);
    const [row] = await rowsOf(store, 'select items from outbox');
    const items = String(row?.['items'])
      .split('\n')
      .map((one) => JSON.parse(one) as Record<string, unknown>);
    assert.deepEqual(
      items.map(({ pod, withheld: why, draft_effect }) => [pod, why, draft_effect]),
      [
        ['web-1', '3 pods of its workload', draft.effect],
        ['web-4', '3 pods of its workload', draft.effect],
      ],
    );
  });
});
