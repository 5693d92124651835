import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { serve } from '../accounts/api.ts';

const DAY = 86_400_000;

async function withEntries(t: TestContext) {
  const served = await serve(t);
  const id = await served.add('ada@example.com', 'viewer', 'Ada');
  const now = served.clock.at;
  const actor = { accountId: id, name: 'Ada' };
  for (const [days, target] of [
    [40, 'old'],
    [31, 'edge'],
    [2, '=cmd|calc'],
    [1, 'shop'],
  ] as const) {
    served.clock.at = now - days * DAY;
    await served.audit.record({
      actor,
      action: 'policy_update',
      target,
      path: 'PUT /api/v1/policies/shop',
      detail: { revision: 'r' },
    });
  }
  served.clock.at = now;
  const { secret } = await served.signIn('ada@example.com');
  const get = (path: string) => served.call('GET', path, { as: secret });
  return { ...served, get, id };
}

suite('The audit log over HTTP', () => {
  test('shows the last month, newest first', async (t) => {
    const { get, id } = await withEntries(t);
    const { status, body } = await get('/audit');
    assert.equal(status, 200);
    assert.deepEqual(
      body.items.map(({ action, target }: { action: string; target: string }) => [action, target]),
      [
        ['sign_in', null],
        ['account_create', 'ada@example.com'],
        ['policy_update', 'shop'],
        ['policy_update', '=cmd|calc'],
        ['policy_update', 'edge'],
      ],
    );
    assert.deepEqual(body.items[2], {
      id: body.items[2].id,
      time: '2026-09-30T12:00:00Z',
      actor_id: id,
      actor: 'Ada',
      action: 'policy_update',
      target: 'shop',
      path: 'PUT /api/v1/policies/shop',
      detail: { revision: 'r' },
    });
    assert.equal(body.total, 5);
  });

  test('is narrowed by period, action, actor and target, and paged', async (t) => {
    const { get, id } = await withEntries(t);
    const total = async (query: string) => (await get(`/audit?${query}`)).body.total;
    assert.equal(await total('from=2026-01-01T00:00:00Z'), 6);
    assert.equal(await total('from=2026-09-29T12:00:00Z&to=2026-09-30T12:00:00Z'), 2);
    assert.equal(await total('to=2026-08-31T12:00:00Z'), 2);
    assert.equal(await total('action=policy_update'), 3);
    assert.equal(await total(`actor=${id}`), 4);
    assert.equal(await total('actor=Ada'), 4);
    assert.equal(await total('target=shop'), 1);
    const { body } = await get('/audit?limit=1&offset=2');
    assert.deepEqual([body.items.length, body.items[0].target, body.total], [1, 'shop', 5]);
  });

  test('is exported over the same period, as a file that no spreadsheet runs', async (t) => {
    const { get } = await withEntries(t);
    const { headers, text } = await get('/audit.csv?from=2026-09-01T00:00:00Z&action=policy_update');
    assert.match(headers.get('content-type') ?? '', /^text\/csv; charset=utf-8$/);
    assert.equal(
      headers.get('content-disposition'),
      'attachment; filename="audit-2026-09-01-to-2026-10-01.csv"',
    );
    const lines = text.trimEnd().split('\r\n');
    assert.equal(lines[0], '"id","time","actor_id","actor","action","target","path","detail"');
    assert.equal(lines.length, 3);
    assert.match(lines[2] ?? '', /,"'=cmd\|calc","PUT \/api\/v1\/policies\/shop","{""revision"":""r""}"$/);
    assert.equal((await get('/audit.csv')).text.trimEnd().split('\r\n').length, 6);
  });

  for (const [query, path] of [
    ['from=yesterday', 'from'],
    ['from=2026-10-01T00:00:00Z&to=2026-09-01T00:00:00Z', 'from'],
    ['action=policy_updat', 'action'],
    ['limit=0', 'limit'],
    ['limit=10001', 'limit'],
    ['who=x', 'who'],
  ] as const)
    test(`?${query} is refused at ${path}`, async (t) => {
      const { get } = await withEntries(t);
      const { status, body } = await get(`/audit?${query}`);
      assert.deepEqual([status, body.errors[0].path], [400, path]);
    });

  test('a mistyped action is told what it may be', async (t) => {
    const { get } = await withEntries(t);
    assert.match((await get('/audit?action=policy_updat')).body.detail, /did you mean policy_update/);
    assert.match((await get('/audit?action=xyzzy')).body.detail, /must be one of setup, sign_in/);
  });
});
