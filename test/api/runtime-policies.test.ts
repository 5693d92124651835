import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { AuditEntry } from '../../src/accounts/index.ts';
import {
  storedRuntimePolicySchema,
  writtenRuntimePolicySchema,
} from '../../src/api/contract/runtime-policies.ts';
import { runtimePolicyRoutes } from '../../src/api/routes/runtime-policies.ts';
import { openKeptPolicies } from '../../src/policy/index.ts';
import { RUNTIME_POLICIES } from '../../src/runtime/index.ts';
import { runtimePolicyStore } from '../../src/store/index.ts';
import { forEachEngine, type TestEngine } from '../store/engines.ts';
import { startApi } from './service.ts';

const policy = (name: string, spec: unknown = {}) => ({
  ...{ apiVersion: 'ipo.dev/v1', kind: 'RuntimePolicy', metadata: { name }, spec },
});

async function start(t: TestContext, engine: TestEngine) {
  const store = await engine.open(t);
  const audited: AuditEntry[] = [];
  const refusing = { audit: false };
  const record = async (entry: AuditEntry): Promise<void> => {
    if (refusing.audit) throw new Error('the audit log is full');
    audited.push(entry);
  };
  const runtimePolicies = openKeptPolicies(RUNTIME_POLICIES, {
    store: runtimePolicyStore(store),
    clock: { now: () => Date.UTC(2026, 10, 26, 6) },
  });
  const together = <T>(act: () => Promise<T>): Promise<T> => store.write(act);
  const { url } = await startApi(t, runtimePolicyRoutes({ runtimePolicies, audit: { record }, together }));
  const call = async (
    method: string,
    path: string,
    { body, match, role = 'administrator' }: { body?: unknown; match?: string; role?: string } = {},
  ) => {
    const answer = await fetch(`${url}/api/v1/runtime/policies${path}`, {
      method,
      headers: {
        authorization: `Bearer ${role}-token`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(match !== undefined && { 'if-match': match }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const read = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { status: answer.status, etag: answer.headers.get('etag') ?? '', body: read };
  };
  return { call, audited, refusing };
}

forEachEngine('the routes of runtime policies', (engine) => {
  test('a runtime policy is created, read, updated and deleted, and each write is audited', async (t) => {
    const { call, audited, refusing } = await start(t, engine);
    const created = await call('POST', '', {
      body: policy('shells', { match: { tags: ['shell'] }, targetNamespaces: ['shop'] }),
    });
    assert.equal(created.status, 201);
    writtenRuntimePolicySchema.parse(created.body);
    assert.equal((await call('POST', '', { body: policy('shells') })).status, 409);
    const read = await call('GET', '/shells', { role: 'viewer' });
    storedRuntimePolicySchema.parse(read.body);
    const { name, enforcement, stop_mode, target_namespaces, invalid } = read.body;
    assert.deepEqual(
      [name, enforcement, stop_mode, target_namespaces, invalid],
      ['shells', 'Audit', 'immediate', ['shop'], null],
    );
    const enforced = policy('shells', { enforcement: 'Enforce', stopMode: 'graceful' });
    assert.equal((await call('PUT', '/shells', { body: enforced })).status, 428);
    assert.equal((await call('PUT', '/other', { body: enforced, match: '*' })).status, 400);
    const updated = await call('PUT', '/shells', { body: enforced, match: read.etag });
    assert.deepEqual(
      [updated.status, updated.body['changed'], updated.body['stop_mode']],
      [200, true, 'graceful'],
    );
    assert.equal((await call('PUT', '/shells', { body: enforced, match: read.etag })).status, 412);
    assert.equal((await call('PUT', '/shells', { body: enforced, match: '*' })).body['changed'], false);
    refusing.audit = true;
    assert.equal((await call('DELETE', '/shells', { match: '*' })).status, 500);
    refusing.audit = false;
    assert.equal((await call('GET', '/shells')).status, 200, 'nothing is deleted that is not audited');
    assert.equal((await call('DELETE', '/shells', { match: updated.etag })).status, 204);
    assert.equal((await call('GET', '/shells')).status, 404);
    assert.deepEqual(
      audited.map(({ action, target, detail }) => [action, target, detail?.['enforcement']]),
      [
        ['runtime_policy_create', 'shells', 'Audit'],
        ['runtime_policy_update', 'shells', 'Enforce'],
        ['runtime_policy_delete', 'shells', undefined],
      ],
    );
  });

  test('viewers and deployers write none, and hostile bodies are refused with the place of each fault', async (t) => {
    const { call, audited } = await start(t, engine);
    for (const role of ['viewer', 'deployer'])
      for (const [method, path] of [
        ['POST', ''],
        ['PUT', '/a'],
        ['DELETE', '/a'],
      ] as const)
        assert.equal(
          (await call(method, path, { role, match: '*', ...(method !== 'DELETE' && { body: policy('a') }) }))
            .status,
          403,
        );
    const deep: unknown = JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`);
    for (const [body, says] of [
      [policy('a', { action: 'kill' }), /spec\.action/],
      [policy('a', { stopmode: 'graceful' }), /unknown field "spec\.stopmode" \(did you mean stopMode\?\)/],
      [
        policy('a', { match: { fields: [{ name: 'x', matches: '(' }] } }),
        /spec\.match\.fields\[0\]\.matches/,
      ],
      [policy('a', { window: { count: 5, duration: '0s' } }), /spec\.window/],
      [policy('a', { match: { priority: 'Loud' } }), /spec\.match\.priority/],
      [policy('A B'), /metadata\.name/],
      [{ ...policy('a'), kind: 'ImagePolicy' }, /kind/],
      [policy('a', { match: deep }), /nested deeper/],
      [[], /./],
      [7, /./],
      [null, /./],
    ] as const) {
      const answer = await call('POST', '', { body });
      assert.ok([400, 422].includes(answer.status), `${answer.status} ${JSON.stringify(answer.body)}`);
      assert.match(JSON.stringify(answer.body).replaceAll('\\"', '"'), says);
    }
    assert.deepEqual(audited, []);
    assert.deepEqual((await call('GET', '')).body, { items: [], total: 0 });
  });
});
