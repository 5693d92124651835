import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Appended } from '../../src/ledger/index.ts';
import { runs } from '../runs.ts';
import { DEADLINE, openAppender } from './append-parts.ts';
import { numbers, review, uidOf, until } from './parts.ts';

test('whatever happens to the database, what was answered is there once and in order', async () => {
  const happenings = fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          what: fc.constant('append' as const),
          n: fc.integer({ min: 1, max: 12 }),
          rows: fc.integer({ min: 1, max: 3 }),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({ what: fc.constantFrom('up' as const, 'down' as const, 'hanging' as const) }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          what: fc.constantFrom('fire' as const, 'turn' as const, 'break' as const, 'mend' as const),
        }),
      },
    ),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(happenings, fc.boolean(), async (steps, sidesteps) => {
      const { appender, ledger, spool, timers } = openAppender({
        deadline: DEADLINE,
        groupRows: 4,
        sidesteps,
      });
      spool.maxRows = 20;
      const answers: Promise<Appended | null>[] = [];
      const asked: string[] = [];
      for (const step of steps) {
        if (step.what === 'append') {
          asked.push(uidOf(step.n));
          answers.push(appender.append(review(step.n, step.rows)).catch(() => null));
        } else if (step.what === 'fire') timers.fire();
        else if (step.what === 'break' || step.what === 'mend') spool.broken = step.what === 'break';
        else if (step.what === 'turn')
          for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setImmediate(resolve));
        else {
          ledger.mode = step.what;
          if (step.what !== 'hanging') ledger.release();
        }
      }
      ledger.mode = 'up';
      spool.broken = false;
      let settled = false;
      const outcomes = Promise.all(answers).then((all) => ((settled = true), all));
      await until(
        () => (ledger.release(), timers.fire(), settled && !appender.delayed && spool.rows === 0),
        'it comes to rest',
      );
      const uids = ledger.uids();
      const firsts = uids.filter((uid, i) => uids.indexOf(uid) === i);
      const answered = (await outcomes).flatMap((answer, i) =>
        answer === null ? [] : [{ rows: answer.rows, repeat: answer.repeat, uid: asked[i] }],
      );
      for (const { uid, rows } of answered) {
        const stored = ledger.rows.filter((row) => row.review_uid === uid);
        assert.deepEqual(
          rows.map((row) => ({ ...row, id: 0 })),
          stored.map((row) => ({ ...row, id: 0 })),
          `${uid} is there once, as answered`,
        );
      }
      assert.deepEqual(
        numbers(ledger.rows),
        ledger.rows.map((_, i) => i + 1),
      );
      assert.equal(spool.rows, 0);
      // In the order in which they were asked for, but for what was refused at first.
      const refused = new Set(asked.filter((_, i) => !answered.some(({ uid }) => uid === asked[i])));
      const order = asked.filter((uid, i) => asked.indexOf(uid) === i && !refused.has(uid));
      const sure = firsts.filter((uid) => order.includes(uid ?? ''));
      if (answered.length === asked.length) assert.deepEqual(sure, order);
    }),
    { numRuns: runs(300) },
  );
});
