import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { forEachEngine, type TestEngine } from '../store/engines.ts';
import { counted, TORTURE, turns, type Turns } from '../runs.ts';
import { runSchedule, type Outcome, type Plan } from './world.ts';

async function play(
  engine: TestEngine,
  t: TestContext,
  plan: Omit<Plan, 'seed'>,
  schedules: Turns = turns(engine.name === 'sqlite' ? 3 : 1, 200),
): Promise<Outcome> {
  const sum: Record<string, number> = {};
  const store = await engine.open(t);
  for (let seed = schedules.from + 1; seed <= schedules.until; seed += 1) {
    const outcome = await runSchedule(store, { ...plan, seed });
    for (const [name, count] of Object.entries(outcome)) sum[name] = (sum[name] ?? 0) + count;
    const wrong = outcome.falseUnreviewed + outcome.falseStops + outcome.lost;
    if (wrong > 0 && plan.rule === 'all') t.diagnostic(`schedule ${seed}: ${JSON.stringify(outcome)}`);
  }
  if (plan.rule !== 'all') return sum as unknown as Outcome; // what is wrong there is wrong on purpose
  counted(t, {
    [`schedules on ${engine.name}`]: schedules.until - schedules.from,
    'false unreviewed': sum['falseUnreviewed'] ?? 0,
    'false stops': sum['falseStops'] ?? 0,
    'reviews lost': sum['lost'] ?? 0,
    'pods found without a review': sum['found'] ?? 0,
    'pods stopped that were due': sum['stopped'] ?? 0,
  });
  return sum as unknown as Outcome;
}

forEachEngine('three replicas that die, and a database that goes away', (engine) => {
  for (const death of ['killed', 'terminated'] as const) {
    for (const away of ['all', 'one'] as const) {
      test(`${death}, the database away for ${away}: no pod that was reviewed is called unreviewed or stopped, and none that was not is missed`, async (t) => {
        const sum = await play(engine, t, { death, away, rule: 'all' });
        assert.deepEqual([sum.falseUnreviewed, sum.falseStops, sum.lost], [0, 0, 0]);
        assert.deepEqual([sum.found, sum.stopped], [sum.missed, sum.toStop]);
        assert.ok(sum.missed > 0 && sum.toStop > 0 && sum.sweeps > sum.partial);
        if (TORTURE) assert.ok(sum.partial > 0);
      });
    }
  }

  // Once is enough to know that the schedules can tell.
  const skip = engine.name === 'sqlite' || TORTURE ? false : 'under torture';
  test('a leader that looks only at its own spool fails the same schedules', { skip }, async (t) => {
    const sum = await play(engine, t, { death: 'killed', away: 'one', rule: 'own' }, { from: 0, until: 6 });
    assert.ok(sum.falseUnreviewed > 0 && sum.falseStops > 0);
  });
});
