import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { runtimeWhatIfSchema } from '../../src/api/contract/runtime-whatif.ts';
import { runtimeWhatIfRoutes } from '../../src/api/index.ts';
import { parseEvent, RuntimeReplay, runtimePolicySpec, runtimeRule } from '../../src/runtime/index.ts';
import {
  runtimeHistory,
  runtimeIntake,
  runtimePolicySource,
  runtimeRuleStore,
} from '../../src/store/index.ts';
import { scratchDirectory } from '../app/running.ts';
import { ipo } from '../cli/fake-terminal.ts';
import { forEachEngine, type TestEngine } from '../store/engines.ts';
import { startApi } from './service.ts';

const NOW = Date.UTC(2026, 10, 26, 6);
const DAY = 86_400_000;
const DIGEST = `sha256:${'a'.repeat(64)}`;

/** Twelve days of events, one an hour, of three rules; every third of no image. */
async function start(t: TestContext, engine: TestEngine) {
  const store = await engine.open(t);
  const events = Array.from({ length: 288 }, (_, n) => {
    const event = parseEvent(
      JSON.stringify({
        ...{ rule: `Rule ${n % 3}`, priority: 'Warning', hostname: 'node', output: `event ${n}` },
        time: new Date(NOW - (288 - n) * 3_600_000).toISOString(),
        output_fields: { 'proc.name': n % 2 === 0 ? 'sh' : 'nginx', 'proc.ino': 0 },
      }),
      null,
    );
    if ('fault' in event) throw new Error(event.fault);
    return { event, receivedAt: NOW };
  });
  await runtimeIntake(store).append('eu', events);
  await store.write((transaction) =>
    sql`update runtime_events set decided_at = at, effect = 'record', namespace = 'shop', workload = 'deployment/web', pod = 'web-1', pod_uid = 'u1',
      digest = case when id % 3 = 0 then null else ${DIGEST} end, image = 'acme/web:1'`.execute(transaction),
  );
  const parts = {
    ...{ history: runtimeHistory(store), runtimeRules: runtimeRuleStore(store) },
    ...{ policySource: runtimePolicySource(store), limits: { maxStops: 10, ownNamespace: 'ipo' } },
    ...{ cluster: 'eu', clock: { now: () => NOW } },
  };
  const { url } = await startApi(t, runtimeWhatIfRoutes(parts));
  const call = async (body: unknown) => {
    const answer = await fetch(`${url}/api/v1/runtime/whatif`, {
      method: 'POST',
      headers: { authorization: 'Bearer viewer-token', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return { store, parts, call, url };
}

const RULE = {
  name: 'shells',
  match: { fields: [{ name: 'proc.name', equals: 'sh' }] },
  window: { count: 2, duration: '5h' },
  action: 'notify',
};
const POLICY = {
  ...{ apiVersion: 'ipo.dev/v1', kind: 'RuntimePolicy', metadata: { name: 'stop' } },
  spec: { match: { rules: ['Rule 1'] } },
};

forEachEngine('the what-if over stored events', (engine) => {
  test('events of the last days are decided under a draft as one replay over them would, and nothing is written', async (t) => {
    const { store, parts, call } = await start(t, engine);
    const before = await sql`select * from runtime_events order by id`.execute(store.read);
    const { status, body } = await call({ rules: [RULE], policies: [POLICY], days: 7 });
    assert.equal(status, 200);
    runtimeWhatIfSchema.parse(body);
    const spec = runtimePolicySpec.parse(POLICY.spec);
    const draft = { rules: [runtimeRule.parse(RULE)], policies: [{ name: 'stop', spec }] };
    const replay = new RuntimeReplay(draft, parts.limits, false);
    for await (const page of parts.history.recorded('eu', 0, new Set(['proc.name'])))
      for (const event of page)
        if (event.subject.at >= NOW - 7 * DAY) replay.take(event);
        else replay.remember(event);
    assert.deepEqual(body, JSON.parse(JSON.stringify(replay.result())));
    assert.deepEqual([body['evaluated'], body['joined']], [168, 112]);
    assert.ok(Number(body['alerts']) > 0 && Number(body['stops']) > 0);
    const after = await sql`select * from runtime_events order by id`.execute(store.read);
    assert.deepEqual(after.rows, before.rows);
  });

  test('what a draft leaves out is as it stands, another cluster is not replayed, and wrong drafts are refused', async (t) => {
    const { store, parts, call } = await start(t, engine);
    await runtimeRuleStore(store).change({ at: 1, accountId: null, name: null }, () => [
      { id: null, rule: runtimeRule.parse({ name: 'all', action: 'allow' }) },
    ]);
    const { body } = await call({ policies: [POLICY] });
    assert.deepEqual(body['effects'], { allow: 168, record: 0, notify: 0 });
    assert.equal(body['stops'], 0, 'an allowed event stops nothing');
    const pages: number[] = [];
    for await (const page of parts.history.recorded('us', 0, new Set())) pages.push(page.length);
    assert.equal(
      pages.reduce((sum, length) => sum + length, 0),
      0,
    );
    for (const wrong of [
      { days: 0 },
      { days: 91 },
      { rules: [{ name: 'a', action: 'block' }] },
      { policies: [{ ...POLICY, spec: { action: 'kill' } }] },
      { rule: [] },
      [],
    ])
      assert.equal((await call(wrong)).status, 400, JSON.stringify(wrong));
  });

  test('of events whose pods were stopped, what their rules had decided counts beside the stops', async (t) => {
    const { store, call } = await start(t, engine);
    // One that no rule matched, one that alerted, one that a rule recorded or that was throttled.
    await store.write((transaction) =>
      sql`update runtime_events set effect = 'stop', policy = 'stop', policy_effect = 'stop', matched_rule = case when id = 286 then null else 'shells' end,
        alerted = case when id = 287 then 1 else 0 end where id >= 286`.execute(transaction),
    );
    const { body } = await call({ rules: [RULE], policies: [] });
    assert.deepEqual(body['recorded'], { allow: 0, record: 167, notify: 1, alerts: 1, stops: 3 });
  });

  test('ipo runtime whatif asks the service where no file of events is given', async (t) => {
    const { url } = await start(t, engine);
    const directory = scratchDirectory(t);
    const file = join(directory, 'draft.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'ipo.dev/v1', kind: 'RuntimeRules', rules: [RULE] }));
    const run = (...args: readonly string[]) =>
      ipo(['runtime', 'whatif', file, ...args], {
        env: { IPO_SERVER: url, IPO_TOKEN: 'viewer-token', XDG_CONFIG_HOME: directory },
      });
    const json = await run('--days', '12', '-o', 'json');
    assert.deepEqual([json.code, JSON.parse(json.out).evaluated], [0, 288], json.err);
    for (const format of ['table', 'markdown', 'html', 'yaml']) {
      const { code, out } = await run('-o', format);
      assert.equal(code, 0);
      assert.match(out, format === 'yaml' ? /evaluated: 168/ : /Of 168 events, the draft would give/);
    }
    assert.equal((await run('--days', '100')).code, 2);
    assert.equal((await run('--days', '2', '--events', file)).code, 2);
  });
});
