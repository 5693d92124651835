import { decides, toInEffect } from '../../src/api/in-effect.ts';
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ACCESS, type AuditEntry, type RouteKey } from '../../src/accounts/index.ts';
import { storedPolicySchema, writtenPolicySchema } from '../../src/api/contract/policies.ts';
import { policyRoutes } from '../../src/api/routes/policies.ts';
import { openPolicies, parsePolicies } from '../../src/policy/index.ts';
import { policyStore } from '../../src/store/index.ts';
import { forEachEngine, type TestEngine } from '../store/engines.ts';
import { startApi } from './service.ts';

const NOW = Date.UTC(2026, 10, 20, 6);
const policy = (name: string, spec: unknown = {}): Record<string, unknown> => ({
  apiVersion: 'ipo.dev/v1',
  kind: 'ImagePolicy',
  metadata: { name },
  spec,
});

/** Answer is what came back of a call. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
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
  const policies = openPolicies({ store: policyStore(store), clock: { now: () => NOW } });
  const routes = policyRoutes({
    policies,
    audit,
    names: async (ids) => new Map(ids.map((id) => [id, `Name of ${id}`])),
    together: (act) => store.write(act),
  });
  const { url } = await startApi(t, routes);
  const call = async (
    method: string,
    path: string,
    options: { body?: unknown; match?: string; role?: string } = {},
  ): Promise<Answer> => {
    const { body, match, role = 'administrator' } = options;
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
    return { status: answer.status, headers: answer.headers, body: text === '' ? {} : JSON.parse(text) };
  };
  return { call, audited, refusing };
}

forEachEngine('the routes of policies', (engine) => {
  test('a policy is created, read, updated and deleted by those who read what they overwrite', async (t) => {
    const { call, audited } = await start(t, engine);
    const created = await call('POST', '/policies', {
      body: policy('shop', { enforcement: 'Enforce', targetNamespaces: ['a'] }),
    });
    assert.equal(created.status, 201);
    assert.equal(created.headers.get('location'), '/api/v1/policies/shop');
    const etag = created.headers.get('etag') ?? '';
    assert.match(etag, /^"[\x21\x23-\x7e]+"$/);
    writtenPolicySchema.parse(created.body);
    const { changed, ...body } = created.body;
    assert.equal(changed, true);
    const read = await call('GET', '/policies/shop', { role: 'viewer' });
    assert.deepEqual([read.status, read.headers.get('etag'), read.body], [200, etag, body]);
    assert.deepEqual(read.body, {
      name: 'shop',
      revision: parsePolicies(
        JSON.stringify(policy('shop', { enforcement: 'Enforce', targetNamespaces: ['a'] })),
        'x',
      ).policies[0]?.policy.revision,
      enforcement: 'Enforce',
      target_namespaces: ['a'],
      created_at: '2026-11-20T06:00:00Z',
      updated_at: '2026-11-20T06:00:00Z',
      updated_by: 'user:administratoraaa',
      document: policy('shop', { enforcement: 'Enforce', targetNamespaces: ['a'] }),
      invalid: null,
    });
    const updated = await call('PUT', '/policies/shop', { body: policy('shop'), match: etag });
    assert.equal(updated.status, 200);
    assert.notEqual(updated.headers.get('etag'), etag);
    assert.equal(
      (await call('PUT', '/policies/shop', { body: policy('shop', { denyLatestTag: true }), match: etag }))
        .status,
      412,
    );
    assert.equal((await call('DELETE', '/policies/shop', { match: etag })).status, 412);
    const named = await call('PUT', '/policies', {
      body: policy('shop', { denyLatestTag: true }),
      match: updated.headers.get('etag') ?? '',
    });
    assert.equal(named.status, 200);
    const gone = await call('DELETE', '/policies/shop', { match: '*' });
    assert.equal(gone.status, 204);
    assert.equal((await call('GET', '/policies/shop')).status, 404);
    const revisions = await call('GET', '/policies/shop/revisions');
    assert.equal(revisions.body.items.length, 3);
    assert.ok(revisions.body.items.every((item) => item['current'] === false));
    assert.deepEqual(
      audited.map(({ action, target, actor }) => [action, target, actor?.name]),
      ['policy_create', 'policy_update', 'policy_update', 'policy_delete'].map((action) => [
        action,
        'shop',
        'a administrator',
      ]),
    );
    assert.deepEqual(audited[1]?.detail, {
      revision: updated.body['revision'],
      revision_before: created.body['revision'],
    });
    assert.equal(audited[2]?.path, 'PUT /api/v1/policies');
  });

  test('an update needs If-Match, in a form that can be read', async (t) => {
    const { call } = await start(t, engine);
    const etag = (await call('POST', '/policies', { body: policy('a') })).headers.get('etag') ?? '';
    const put = (match?: string) =>
      call('PUT', '/policies/a', {
        body: policy('a', { denyLatestTag: true }),
        ...(match !== undefined && { match }),
      });
    const missing = await put();
    assert.deepEqual([missing.status, missing.body['code']], [428, 'precondition_required']);
    assert.equal((await call('DELETE', '/policies/a')).status, 428);
    assert.deepEqual([(await put(etag.slice(1, -1))).status, (await put('"a" "b"')).status], [400, 400]);
    assert.equal((await put(`W/${etag}`)).status, 412, 'a weak tag matches nothing');
    assert.equal((await put(`"0-0", ${etag}`)).status, 200);
    assert.equal((await call('PUT', '/policies/b', { body: policy('b'), match: '*' })).status, 404);
  });

  test('a write of what stands changes nothing, and says so', async (t) => {
    const { call, audited } = await start(t, engine);
    const created = await call('POST', '/policies', {
      body: policy('a', { sla: { high: '168h' }, enforcement: 'Audit' }),
    });
    const etag = created.headers.get('etag') ?? '';
    const again = await call('PUT', '/policies/a', {
      body: policy('a', { enforcement: 'Audit', sla: { high: '168h' } }),
      match: etag,
    });
    assert.deepEqual([again.status, again.headers.get('etag'), again.body['changed']], [200, etag, false]);
    assert.equal(audited.length, 1);
    assert.equal(
      (await call('PUT', '/policies/a', { body: policy('a', { sla: { high: '168h' } }), match: '"9-9"' }))
        .status,
      412,
    );
  });

  test('names must agree, and are taken once', async (t) => {
    const { call } = await start(t, engine);
    await call('POST', '/policies', { body: policy('a') });
    const twice = await call('POST', '/policies', { body: policy('a', { denyLatestTag: true }) });
    assert.deepEqual([twice.status, twice.body['code']], [409, 'conflict']);
    const other = await call('PUT', '/policies/a', { body: policy('b'), match: '*' });
    assert.deepEqual(
      [other.status, (other.body['errors'] as { path: string }[])[0]?.path],
      [400, 'metadata.name'],
    );
  });

  test('an invalid policy is refused with every problem as the command line prints it', async (t) => {
    const { call, audited } = await start(t, engine);
    const wrong = policy('Shop', {
      runtime: {},
      severityThreshold: 'CRITICL',
      sla: { high: '0s' },
      signature: { required: true },
    });
    const { problems } = parsePolicies(JSON.stringify(wrong), 'shop.json');
    const printed = problems
      .map(({ path, message }) => ({ path, message }))
      .toSorted((x, y) => (x.path < y.path ? -1 : 1));
    assert.ok(printed.length >= 5);
    for (const [method, path] of [
      ['POST', '/policies'],
      ['PUT', '/policies'],
      ['PUT', '/policies/Shop'],
    ] as const) {
      const { status, body } = await call(method, path, { body: wrong, match: '*' });
      assert.deepEqual([status, body['code']], [400, 'invalid_policy']);
      const told = (body['errors'] as { path: string; message: string }[]).toSorted((x, y) =>
        x.path < y.path ? -1 : 1,
      );
      assert.deepEqual(told, printed);
      assert.ok(printed.some(({ message }) => message === body['detail']));
    }
    assert.ok(printed.some(({ message }) => message === 'unknown field "spec.runtime"'));
    assert.equal(audited.length, 0);
  });

  test('another document of the same meaning is kept under its revision, with another ETag and an entry', async (t) => {
    const { call, audited } = await start(t, engine);
    const created = await call('POST', '/policies', { body: policy('a', { enforcement: 'Enforce' }) });
    const { revision } = created.body;
    const etag = created.headers.get('etag') ?? '';
    const body = {
      ...policy('a', { enforcement: 'Enforce' }),
      metadata: { name: 'a', labels: { team: 'x' } },
    };
    const labelled = await call('PUT', '/policies/a', { body, match: etag });
    assert.deepEqual(
      [labelled.status, labelled.body['changed'], labelled.body['revision'], labelled.body['document']],
      [200, true, revision, body],
    );
    const next = labelled.headers.get('etag') ?? '';
    assert.notEqual(next, etag);
    assert.equal((await call('PUT', '/policies/a', { body, match: etag })).status, 412);
    const again = await call('PUT', '/policies/a', { body, match: next });
    assert.deepEqual([again.body['changed'], again.headers.get('etag')], [false, next]);
    assert.deepEqual(
      audited.map(({ action, detail }) => [action, detail]),
      [
        ['policy_create', { revision, revision_before: null }],
        ['policy_update', { revision, revision_before: revision }],
      ],
    );
    assert.deepEqual((await call('GET', '/policies/a')).body['document'], body);
    const revisions = await call('GET', '/policies/a/revisions');
    assert.deepEqual(
      revisions.body.items.map((item) => [item['revision'], item['current']]),
      [[revision, true]],
    );
  });

  test('no policy is written whose audit entry is not', async (t) => {
    const { call, refusing } = await start(t, engine);
    await call('POST', '/policies', { body: policy('a') });
    refusing.audit = true;
    assert.equal((await call('POST', '/policies', { body: policy('b') })).status, 500);
    assert.equal(
      (await call('PUT', '/policies/a', { body: policy('a', { denyLatestTag: true }), match: '*' })).status,
      500,
    );
    assert.equal((await call('DELETE', '/policies/a', { match: '*' })).status, 500);
    const { body } = await call('GET', '/policies');
    assert.deepEqual(
      body.items.map((item) => item['document']),
      [policy('a')],
    );
    assert.equal((await call('GET', '/policies/a/revisions')).body.items.length, 1);
  });

  test('lists are whole or paged, and revisions are found by their hash', async (t) => {
    const { call } = await start(t, engine);
    for (const name of ['c', 'a', 'b', 'whatif']) await call('POST', '/policies', { body: policy(name) });
    const whole = await call('GET', '/policies', { role: 'viewer' });
    assert.deepEqual(
      whole.body.items.map((item) => item['name']),
      ['a', 'b', 'c', 'whatif'],
    );
    for (const item of whole.body.items) storedPolicySchema.parse(item);
    const page = await call('GET', '/policies?limit=1&offset=1');
    assert.deepEqual([page.body.items.map((item) => item['name']), page.body['total']], [['b'], 4]);
    assert.equal((await call('GET', '/policies?limit=0')).status, 400);
    const { revision } = (await call('GET', '/policies/whatif')).body;
    const one = await call('GET', `/policies/whatif/revisions/${revision as string}`, { role: 'viewer' });
    assert.deepEqual([one.body['document'], one.body['current']], [policy('whatif'), true]);
    assert.equal((await call('GET', `/policies/whatif/revisions/${'0'.repeat(64)}`)).status, 404);
    assert.equal((await call('GET', '/policies/whatif/revisions/xyz')).status, 400);
    assert.equal((await call('GET', '/policies/none/revisions')).status, 404);
  });

  test('bodies are bounded in size and depth', async (t) => {
    const { call } = await start(t, engine);
    const large = policy('a', {});
    large['metadata'] = { name: 'a', labels: { x: 'y'.repeat(270_000) } };
    assert.equal((await call('POST', '/policies', { body: large })).status, 400);
    large['metadata'] = { name: 'a', labels: { x: 'y'.repeat(600_000) } };
    assert.equal((await call('POST', '/policies', { body: large })).status, 413);
    let deep: unknown = 1;
    for (let i = 0; i < 70; i += 1) deep = [deep];
    const refused = await call('POST', '/policies', { body: policy('a', { targetNamespaces: deep }) });
    assert.deepEqual([refused.status, refused.body['code']], [400, 'invalid_policy']);
    for (const body of [null, [], 'text', 7])
      assert.equal((await call('POST', '/policies', { body })).status, 400);
  });
});

test('every call that writes says whether admissions are decided by it, and those that are say where', () => {
  const writes = Object.keys(ACCESS).filter((key) => !key.startsWith('GET ')) as RouteKey[];
  assert.deepEqual(
    writes.filter((key) => decides(key)),
    [
      'POST /policies',
      'PUT /policies',
      'PUT /policies/{name}',
      'DELETE /policies/{name}',
      'POST /scans',
      'POST /triage',
      'DELETE /triage/{id}',
      'POST /catalogues/refresh',
      'POST /config/import',
    ],
  );
  assert.deepEqual(
    [
      toInEffect({ here: true, others: null }),
      toInEffect({ here: true, others: 1 }),
      toInEffect({ here: false, others: 'watch' }),
    ],
    ['here=?1', 'here=?1, others=1', 'here=?0, others=watch'],
  );
});
