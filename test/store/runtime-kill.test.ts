import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { DecideEvents, readRule, RuntimeDecider, toRecorded, parseEvent } from '../../src/runtime/index.ts';
import { decisionStore, openStore, runtimeRuleStore } from '../../src/store/index.ts';
import { subscribe } from '../notify/subscriber.ts';
import { joinProgram } from '../joined-program.ts';
import { counted, turns } from '../runs.ts';
import { forEachEngine } from './engines.ts';
import { rowsOf } from './image-records.ts';

const MAIN = join(import.meta.dirname, 'runtime-process.ts');
const AT = Date.UTC(2026, 10, 20, 6);
const RULES = [
  { name: 'quiet', match: { rules: ['Rule 2'] }, action: 'record' },
  {
    name: 'burst',
    match: { rules: ['Rule 1'] },
    window: { count: 4, duration: '2s' },
    action: 'notify',
    throttle: '5s',
  },
  { name: 'all', match: {}, action: 'notify', throttle: '3s' },
].map(readRule);

/** Keeps and decides events until it is killed; gives the events that it said to be durable. */
async function killed(url: string, round: number, after: number): Promise<readonly string[]> {
  const { file, env } = await joinProgram(MAIN);
  const child = spawn(process.execPath, [file, url, String(round)], {
    ...{ env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child.stdout, 'data');
  await sleep(after);
  child.kill('SIGKILL');
  const [, by] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  assert.equal(by, 'SIGKILL');
  // What stands behind the last line end may be cut.
  return said
    .slice(0, said.lastIndexOf('\n'))
    .split('\n')
    .filter((line) => line.includes('/'));
}

forEachEngine('a process that keeps and decides events', (engine) => {
  test('loses no durable event, and gives no alert twice or beyond the throttle, wherever it is killed', async (t) => {
    const url = await engine.migrated();
    const store = await openStore({ url });
    t.after(() => store.close());
    await subscribe(store, 'desk', ['runtime_alert']);
    await runtimeRuleStore(store).change({ at: AT, accountId: null, name: null }, () =>
      RULES.map((rule) => ({ id: null, rule })),
    );
    const { from, until } = turns(5, 300);
    const durable: string[] = [];
    for (let round = from; round < until; round += 1)
      durable.push(...(await killed(url, round, (round * 83) % 400)));
    const decide = new DecideEvents({
      ...{ cluster: '', store: decisionStore(store), rules: runtimeRuleStore(store), stopper: null },
      policies: { inEffect: async () => [] },
      pods: async () => ({
        byUid: () => null,
        byName: () => null,
        byContainer: () => null,
        imageOf: () => null,
      }),
      ...{ fence: () => null, clock: { now: () => AT }, count: { add() {} } },
    });
    let rows: Awaited<ReturnType<typeof rowsOf>> = [];
    // PostgreSQL may commit a moment later what the last process had sent when it was killed.
    for (let tries = 0; tries < 100; tries += 1) {
      await decide.run(new AbortController().signal);
      rows = await rowsOf(store, 'select * from runtime_events order by id');
      if (rows.every((row) => row['decided_at'] !== null)) break;
      await sleep(20);
    }
    const kept = new Set(rows.map(({ output }) => String(output)));
    assert.deepEqual(
      durable.filter((output) => !kept.has(output)),
      [],
    );
    assert.equal(kept.size, rows.length);
    const decider = new RuntimeDecider(RULES, []);
    const expected = rows.map(({ rule, time, host, output }) => {
      const line = { rule, priority: 'Notice', hostname: host, tags: [], time, output, output_fields: {} };
      const event = parseEvent(JSON.stringify(line), AT);
      if ('fault' in event) throw new Error(event.fault);
      const { rule: matched, effect, alert } = decider.decide(toRecorded(event, 0).subject);
      return [output, matched, effect, alert ? 1 : 0];
    });
    assert.deepEqual(
      rows.map((row) => [row['output'], row['matched_rule'], row['effect'], row['alerted']]),
      expected,
    );
    const alerts = rows.filter(({ alerted }) => alerted === 1).length;
    const [told] = await rowsOf(store, 'select sum(count) as count from outbox');
    assert.equal(Number(told?.['count']), alerts);
    assert.ok(durable.length > 0 && alerts > 0);
    counted(t, { kills: until - from, events: rows.length, alerts });
  });
});
