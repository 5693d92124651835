import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import type { AuditEntry } from '../../src/accounts/index.ts';
import { runtimeEventRoutes, runtimeRuleRoutes } from '../../src/api/index.ts';
import { openRuntimeRules, parseEvent } from '../../src/runtime/index.ts';
import { runtimeEvents, runtimeIntake, runtimeRuleStore } from '../../src/store/index.ts';
import { run } from '../../src/store/sql/run.ts';
import { forEachEngine, type TestEngine } from '../store/engines.ts';
import { startApi } from './service.ts';

const NOW = Date.UTC(2026, 10, 20, 6);

interface Answer {
  readonly status: number;
  readonly etag: string;
  readonly body: Record<string, unknown> & { items: Record<string, unknown>[] };
}

async function start(t: TestContext, engine: TestEngine) {
  const store = await engine.open(t);
  const audited: AuditEntry[] = [];
  const refusing = { audit: false };
  const audit = {
    record: async (entry: AuditEntry) => {
      if (refusing.audit) throw new Error('the audit log is full');
      audited.push(entry);
    },
  };
  const { url } = await startApi(t, [
    ...runtimeRuleRoutes({
      runtimeRules: openRuntimeRules(runtimeRuleStore(store), { now: () => NOW }),
      audit,
      together: (act) => store.write(act),
    }),
    ...runtimeEventRoutes({ events: runtimeEvents(store), clock: Date }),
  ]);
  const call = async (
    method: string,
    path: string,
    { body, match, role = 'administrator' }: { body?: unknown; match?: string; role?: string } = {},
  ): Promise<Answer> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${role}-token`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(match !== undefined && { 'if-match': match }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const etag = answer.headers.get('etag') ?? '';
    return { status: answer.status, etag, body: text === '' ? {} : JSON.parse(text) };
  };
  const order = async (): Promise<readonly string[]> =>
    (await call('GET', '/runtime/rules', { role: 'viewer' })).body.items.map(({ name }) => String(name));
  return { store, call, order, audited, refusing };
}

forEachEngine('the routes of runtime rules', (engine) => {
  test('rules are added, edited, moved and deleted, each act with its entry', async (t) => {
    const { call, order, audited } = await start(t, engine);
    const shells = { name: 'shells', match: { tags: ['shell'] }, action: 'notify', throttle: '60m' };
    const added = await call('POST', '/runtime/rules', { body: shells });
    assert.equal(added.status, 201);
    assert.deepEqual(added.body['document'], {
      ...{ name: 'shells', enabled: true, match: { tags: ['shell'] }, action: 'notify', throttle: '1h' },
    });
    await call('POST', '/runtime/rules?before=shells', {
      body: { name: 'backup / restic', action: 'allow' },
    });
    await call('POST', '/runtime/rules', { body: { name: 'all', action: 'record' } });
    await call('POST', '/runtime/rules?place=2', {
      body: { name: 'grave', match: { priority: 'error' }, action: 'notify' },
    });
    assert.deepEqual(await order(), ['backup / restic', 'grave', 'shells', 'all']);

    const path = '/runtime/rules/backup%20%2F%20restic';
    const shown = await call('GET', path, { role: 'viewer' });
    assert.deepEqual(
      [shown.status, shown.body['place'], shown.body['created_by']],
      [200, 1, 'a administrator'],
    );
    const moved = await call('POST', `${path}/move`, { body: { after: 'shells' }, match: shown.etag });
    assert.deepEqual(
      [moved.status, moved.body['place'], moved.body['changed'], moved.etag],
      [200, 3, true, shown.etag],
    );
    assert.deepEqual(await order(), ['grave', 'shells', 'backup / restic', 'all']);

    const same = await call('PUT', '/runtime/rules/shells', {
      body: { ...shells, throttle: '1h' },
      match: added.etag,
    });
    assert.deepEqual([same.status, same.body['changed'], same.etag], [200, false, added.etag]);
    const renamed = await call('PUT', '/runtime/rules/shells', {
      body: { ...shells, name: 'Shells' },
      match: added.etag,
    });
    assert.deepEqual([renamed.status, renamed.body['name'], renamed.body['changed']], [200, 'Shells', true]);
    const late = await call('PUT', '/runtime/rules/Shells', { body: shells, match: added.etag });
    assert.equal(late.status, 412);
    assert.equal((await call('DELETE', '/runtime/rules/all', { match: '*' })).status, 204);
    assert.deepEqual(await order(), ['grave', 'Shells', 'backup / restic']);
    assert.deepEqual(
      audited.map(({ action, target }) => [action, target]),
      [
        ['runtime_rule_create', 'shells'],
        ['runtime_rule_create', 'backup / restic'],
        ['runtime_rule_create', 'all'],
        ['runtime_rule_create', 'grave'],
        ['runtime_rule_move', 'backup / restic'],
        ['runtime_rule_update', 'Shells'],
        ['runtime_rule_delete', 'all'],
      ],
    );
  });

  test('what is wrong with a rule is said, the blocks of old releases in their own words, and nothing is written', async (t) => {
    const { call, order, audited, refusing } = await start(t, engine);
    const refused = async (body: unknown, path = '/runtime/rules'): Promise<unknown> => {
      const { status, body: problem } = await call('POST', path, { body });
      return [status, problem['detail']];
    };
    assert.deepEqual(await refused({ name: 'x', action: 'block' }), [
      400,
      'action "block" is not supported since 1.3.1; use notify, or a RuntimePolicy that stops the pod',
    ]);
    assert.deepEqual(await refused({ name: 'x', action: 'notify', mtach: {} }), [
      400,
      'unknown field "mtach" (did you mean match?)',
    ]);
    assert.deepEqual(await refused({ name: 'x', action: 'notify', throttle: '1.5ms' }), [
      400,
      'throttle is not a duration of at most 720h, such as 5m or 1h',
    ]);
    assert.deepEqual(await refused({ name: 'x', action: 'notify' }, '/runtime/rules?before=y'), [
      404,
      'no runtime rule has the name y',
    ]);
    assert.equal(
      (await call('POST', '/runtime/rules?before=a&after=b', { body: { name: 'x', action: 'allow' } }))
        .status,
      400,
    );
    await call('POST', '/runtime/rules', { body: { name: 'x', action: 'allow' } });
    assert.equal(
      (await call('POST', '/runtime/rules', { body: { name: 'x', action: 'allow' } })).status,
      409,
    );
    assert.equal(
      (await call('PUT', '/runtime/rules/x', { body: { name: 'x', action: 'record' } })).status,
      428,
    );
    assert.equal((await call('POST', '/runtime/rules/x/move', { body: {}, match: '*' })).status, 400);
    assert.equal(
      (await call('PUT', '/runtime/rules/y', { body: { name: 'y', action: 'allow' }, match: '*' })).status,
      404,
    );
    for (const role of ['viewer', 'deployer'])
      assert.equal((await call('DELETE', '/runtime/rules/x', { match: '*', role })).status, 403);
    refusing.audit = true;
    assert.equal((await call('DELETE', '/runtime/rules/x', { match: '*' })).status, 500);
    assert.deepEqual(await order(), ['x']);
    assert.equal(audited.length, 1);
  });

  test('a whole list takes the place of the one that stands, and what is the same is not written', async (t) => {
    const { call, order, audited } = await start(t, engine);
    const rule = (name: string, action = 'record') => ({ name, action });
    const all = ['a', 'b', 'c', 'd'].map((name) => rule(name));
    const first = await call('PUT', '/runtime/rules', { body: { rules: all }, match: '*' });
    assert.deepEqual([first.status, first.body['added']], [200, ['a', 'b', 'c', 'd']]);
    const { etag: before } = await call('GET', '/runtime/rules/c');
    const next = [rule('d', 'notify'), rule('c'), rule('e'), rule('b')];
    assert.equal((await call('PUT', '/runtime/rules', { body: { rules: next }, match: '"x"' })).status, 412);
    const second = await call('PUT', '/runtime/rules', { body: { rules: next }, match: first.etag });
    const { added, updated, deleted, reordered } = second.body;
    assert.deepEqual([added, updated, deleted, reordered], [['e'], ['d'], ['a'], true]);
    assert.deepEqual(await order(), ['d', 'c', 'e', 'b']);
    assert.equal((await call('GET', '/runtime/rules/c')).etag, before);
    const again = await call('PUT', '/runtime/rules', { body: { rules: next }, match: second.etag });
    assert.deepEqual([again.etag, again.body['updated']], [second.etag, []]);
    const twice = await call('PUT', '/runtime/rules', {
      body: { rules: [rule('a'), rule('a')] },
      match: '*',
    });
    assert.deepEqual([twice.status, twice.body['detail']], [400, 'the rule "a" is there twice']);
    assert.deepEqual(
      audited.map(({ action }) => action),
      ['runtime_rules_replace', 'runtime_rules_replace'],
    );
  });

  test('two persons who add rules at once both have theirs, each at a place of its own', async (t) => {
    const { call, order } = await start(t, engine);
    const names = Array.from({ length: 12 }, (_, n) => `rule ${n}`);
    await Promise.all(
      names.map((name) => call('POST', '/runtime/rules?place=1', { body: { name, action: 'record' } })),
    );
    assert.deepEqual((await order()).toSorted(), names.toSorted());
  });

  test('a rule of an old release whose match cannot be read is shown, counts for nothing, and can be written again', async (t) => {
    const { store, call } = await start(t, engine);
    await store.write((transaction) =>
      run(
        transaction,
        sql`insert into runtime_rules (place, name, match, action, created_at, updated_at) values (1, 'old', '{"Rules":1}', 'notify', 1, 1)`,
      ),
    );
    const old = await call('GET', '/runtime/rules/old');
    assert.deepEqual([old.body['enabled'], typeof old.body['fault']], [false, 'string']);
    const mended = await call('PUT', '/runtime/rules/old', {
      body: { name: 'old', action: 'notify' },
      match: old.etag,
    });
    assert.deepEqual([mended.body['enabled'], mended.body['fault']], [true, null]);
  });
});

forEachEngine('the routes of runtime events', (engine) => {
  test('events are listed and shown with their numbers as written, and filters are checked', async (t) => {
    const { store, call } = await start(t, engine);
    const line = (n: number): string =>
      `{"rule":"Rule ${n}","priority":"Notice","time":"2026-11-20T06:00:0${n}Z","hostname":"node-1","output":"x","output_fields":{"t":18446744073670260079}}`;
    const events = [1, 2, 3].map((n) => {
      const event = parseEvent(line(n), NOW);
      if ('fault' in event) throw new Error(event.fault);
      return { event, receivedAt: NOW };
    });
    await runtimeIntake(store).append('eu-1', events);
    const { body } = await call('GET', '/runtime/events?rule=Rule%202&since=2026-11-20T06:00:00Z', {
      role: 'viewer',
    });
    const [{ id, rule, cluster, effect, matched } = {}] = body.items;
    assert.deepEqual([body['total'], rule, cluster, effect, matched], [1, 'Rule 2', 'eu-1', null, null]);
    assert.equal((await call('GET', `/runtime/events/${id as number}`)).body['rule'], 'Rule 2');
    assert.equal((await call('GET', '/runtime/events/999')).status, 404);
    for (const query of [
      'effect=block',
      'priority=high',
      'since=yesterday',
      'after=1&offset=2',
      'limit=1001',
      'x=1',
    ])
      assert.equal((await call('GET', `/runtime/events?${query}`)).status, 400, query);
  });

  test('a stopped event keeps the rule that decided, is found by it and by its policy, and says what the rules saw', async (t) => {
    const { store, call } = await start(t, engine);
    const events = [1, 2, 3].map((n) => {
      const time = `2026-11-20T06:00:0${n}Z`;
      const event = parseEvent(JSON.stringify({ rule: 'Shell', priority: 'Notice', time }), NOW);
      assert.ok(!('fault' in event));
      return { event, receivedAt: NOW };
    });
    await runtimeIntake(store).append('', events);
    await store.write((transaction) =>
      run(
        transaction,
        sql`update runtime_events set decided_at = 1, matched_rule = case when id = 2 then null else 'shells' end, policy = 'stop-shells',
          effect = case when id = 3 then 'notify' else 'stop' end, policy_effect = case when id = 3 then 'withheld' else 'stop' end,
          last_verdict = 'refused', signed = 1`,
      ),
    );
    const of = async (query: string): Promise<readonly unknown[]> =>
      (await call('GET', `/runtime/events?after=0&${query}`)).body.items.map(
        ({ id, matched, matched_rule: rule }) => [id, matched, rule],
      );
    const first = [1, 'policy:stop-shells', 'shells'];
    const second = [2, 'policy:stop-shells', null];
    const third = [3, 'shells', 'shells'];
    assert.deepEqual(await of('rule=shells'), [first, third]);
    assert.deepEqual(await of('rule=policy:stop-shells'), [first, second]);
    assert.deepEqual(await of('rule=Shell'), [first, second, third]);
    const { body } = await call('GET', '/runtime/events/1');
    assert.deepEqual([body['last_verdict'], body['signed']], ['refused', true]);
  });

  test('a number that no double holds goes out as it came', async (t) => {
    const store = await engine.open(t);
    const event = parseEvent(
      '{"rule":"R","priority":"Notice","time":"2026-11-20T06:00:01Z","output_fields":{"t":18446744073670260079}}',
      NOW,
    );
    assert.ok(!('fault' in event));
    await runtimeIntake(store).append('', [{ event, receivedAt: NOW }]);
    const { url } = await startApi(t, runtimeEventRoutes({ events: runtimeEvents(store), clock: Date }));
    const answer = await fetch(`${url}/api/v1/runtime/events`, {
      headers: { authorization: 'Bearer viewer-token' },
    });
    assert.match(await answer.text(), /"t":18446744073670260079/);
  });
});
