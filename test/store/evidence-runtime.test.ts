import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { DAY_MS, formatTime, parseTime } from '../../src/base/index.ts';
import { toRequest } from '../../src/evidence/index.ts';
import { runtimeSection } from '../../src/store/evidence/runtime.ts';
import { run } from '../../src/store/sql/run.ts';
import { forEachEngine } from './engines.ts';

const TO = parseTime('2026-11-20T06:00:00Z');
const FROM = TO - 30 * DAY_MS;
const NOW = TO + DAY_MS;

forEachEngine('runtime events in evidence', (engine) => {
  test('runtime events, rules and stops are those of the clusters and namespaces that were asked for', async (t) => {
    const store = await engine.open(t);
    const places = [
      ['east', 'shop'],
      ['east', 'pay'],
      ['west', 'shop'],
      [null, null],
    ] as const;
    await store.write(async (transaction) => {
      for (const [cluster, namespace] of places) {
        await run(
          transaction,
          sql`insert into runtime_events (at, rule, priority, output, effect, matched_rule, cluster, namespace, kind)
            values (${FROM}, 'Shell', 'Notice', 'o', 'notify', 'all', ${cluster}, ${namespace}, 'event')`,
        );
        await run(
          transaction,
          sql`insert into pod_stops (at, policy, event_id, cluster, namespace, pod, pod_uid, stop_mode, outcome)
            values (${FROM}, 'p', 1, ${cluster}, ${namespace ?? 'none'}, 'web', ${`u${cluster}${namespace}`}, 'immediate', 'stopped'),
              (${FROM}, 'sweep', null, ${cluster}, ${namespace ?? 'none'}, 'web', 'u', 'graceful', 'stopped')`,
        );
      }
      await run(
        transaction,
        sql`insert into runtime_rules (place, name, enabled, action, match, count, duration_ms, created_at, updated_at)
          values (1, 'all', 1, 'notify', '{}', 1, 0, ${FROM}, ${FROM})`,
      );
    });
    for (const [clusters, namespaces, expected] of [
      [[], [], 4],
      [['east'], [], 2],
      [['east', 'west'], ['shop'], 2],
      [[], ['pay'], 1],
      [['north'], [], 0],
    ] as const) {
      const wish = { from: FROM, to: TO, clusters, namespaces, includeRuntimeRaw: true };
      const { rules, events, joined, by_effect, stops, decisions_total, decisions, raw } =
        await runtimeSection(store, toRequest(wish, NOW));
      const rule = rules.find(({ name }) => name === 'all');
      assert.deepEqual(
        [rule?.events, events, decisions_total, decisions.length, raw?.length, stops['stopped'] ?? 0],
        [expected, expected, expected, expected, expected, expected],
        JSON.stringify(wish),
      );
      assert.deepEqual([joined['none'] ?? 0, by_effect['notify'] ?? 0], [expected, expected]);
      assert.equal(rule?.effect, expected === 0 ? null : 'notify');
    }
  });

  test('raw events are as they are stored, the newest first, and no more than their bounds', async (t) => {
    const store = await engine.open(t);
    const fields = '{"proc.exe_ino.ctime":18446744073670260079,"proc.name":"sh"}';
    const insert = (at: number, count: number, text: string): Promise<unknown> =>
      store.write((transaction) =>
        run(
          transaction,
          sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
            insert into runtime_events (at, rule, priority, output, kind, host, time, tags, fields, pod_uid, workload, received_at)
            select ${at}, 'Shell', 'Notice', ${text}, 'event', 'node-1', '2026-10-21T06:00:00.5Z', '["shell"]', ${fields}, 'u1', 'Deployment/web', ${at + 5} from n`,
        ),
      );
    const wish = { from: FROM, to: TO, clusters: [], namespaces: [], includeRuntimeRaw: true };
    const raw = async () => (await runtimeSection(store, toRequest(wish, NOW))).raw ?? [];
    await insert(FROM, 450, 'old');
    await insert(FROM + 1, 1, 'new');
    const all = await raw();
    assert.equal(all.length, 451);
    assert.deepEqual(
      [all[0]?.['output'], all[1]?.['output'], new Set(all.map((one) => one['output'])).size],
      ['new', 'old', 2],
    );
    const { output_fields, tags, time, host, pod_uid, workload, received_at, truncated } = all[0] as Record<
      string,
      unknown
    >;
    assert.deepEqual(
      { output_fields, tags, time, host, pod_uid, workload, received_at, truncated },
      {
        ...{ output_fields: fields, tags: ['shell'], time: '2026-10-21T06:00:00.5Z', host: 'node-1' },
        ...{ pod_uid: 'u1', workload: 'Deployment/web', truncated: false },
        received_at: formatTime(FROM + 6),
      },
    );
    await insert(FROM + 2, 10, 'x'.repeat(2_000_000));
    assert.equal((await raw()).length, 7, 'of 16,000,000 characters');
  });

  test('a stopped event is listed by its policy, with the rule that decided', async (t) => {
    const store = await engine.open(t);
    await store.write((transaction) =>
      run(
        transaction,
        sql`insert into runtime_events (at, rule, priority, output, effect, matched_rule, policy, policy_effect, kind)
          values (${FROM}, 'Shell', 'Notice', 'o', 'stop', 'all', 'no-shells', 'stop', 'event')`,
      ),
    );
    const wish = { from: FROM, to: TO, clusters: [], namespaces: [], includeRuntimeRaw: false };
    const [decision] = (await runtimeSection(store, toRequest(wish, NOW))).decisions;
    assert.deepEqual([decision?.['matched'], decision?.['matched_rule']], ['policy:no-shells', 'all']);
  });
});
