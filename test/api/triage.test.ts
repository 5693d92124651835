import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ImageListBody } from '../../src/api/contract/images.ts';
import { triageSchema, type TriageBody } from '../../src/api/contract/triage.ts';
import { recordScan, type Store } from '../../src/store/index.ts';
import { policyOf, toSpec } from '../decision/arbitraries.ts';
import { append, AT, digestOf, finding, scanOf } from '../store/image-records.ts';
import { openFile, startInventory } from './inventory.ts';

const POLICY = { ...policyOf(toSpec({ severityThreshold: 'HIGH', sla: { triage: '24h' } })), name: 'base' };

async function fill(store: Store): Promise<void> {
  await append(store, [{ digest: digestOf(1) }]);
  await store.write((transaction) =>
    recordScan(transaction, {
      digest: digestOf(1),
      names: [],
      source: null,
      scan: scanOf([finding('CVE-1', 'HIGH')]),
      at: AT,
    }),
  );
}

suite('triage by HTTP', () => {
  test('a decision takes its CVE out until it is taken back, with an audit entry each', async (t) => {
    const store = await openFile(t);
    await fill(store);
    const { as, audited } = await startInventory(t, store, [POLICY]);
    const state = async (): Promise<string | undefined> =>
      (await as('viewer').json<ImageListBody>('GET /images')).body.items[0]?.state;
    assert.equal(await state(), 'Not compliant');
    const { body, status } = await as('deployer').json<TriageBody>('POST /triage', {
      body: { digest: digestOf(1), cve: 'CVE-1', reason: 'not reachable' },
    });
    triageSchema.parse(body);
    assert.equal(status, 201);
    assert.deepEqual(
      [body.severity, body.triaged_by, body.until, body.state, body.image],
      ['HIGH', 'a deployer', '2026-11-21T06:00:00Z', 'active', 'ghcr.io/acme/web:1'],
    );
    assert.equal(await state(), 'Compliant');
    const ended = await as('deployer').json<TriageBody>('DELETE /triage/{id}', { params: { id: body.id } });
    assert.deepEqual([ended.body.state, ended.body.ended_at], ['ended', '2026-11-20T06:00:00Z']);
    assert.equal(await state(), 'Not compliant');
    await assert.rejects(as('deployer').json('DELETE /triage/{id}', { params: { id: body.id } }), {
      code: 'conflict',
    });
    await assert.rejects(as('deployer').json('DELETE /triage/{id}', { params: { id: 99_999 } }), {
      code: 'not_found',
    });
    assert.deepEqual(await audited(), [
      ['triage_create', digestOf(1), 'a deployer'],
      ['triage_end', digestOf(1), 'a deployer'],
    ]);
    const list = await as('viewer').json<{ items: TriageBody[]; total: number }>('GET /triage', {
      query: { state: 'ended' },
    });
    assert.deepEqual(list.body, { items: [ended.body], total: 1 });
  });

  test('an image without packages is triaged as a whole, and complies until that ends', async (t) => {
    const store = await openFile(t);
    await append(store, [{ digest: digestOf(3) }]);
    const waits = { ...policyOf(toSpec({ admissionTiming: 'DenyUntilScanned' })), name: 'base' };
    const { as, audited, settings } = await startInventory(t, store, [waits]);
    const next = async (): Promise<string | null> =>
      (await as('viewer').json<ImageListBody>('GET /images')).body.items[0]?.next_admission?.label ?? null;
    assert.equal(await next(), 'unscanned');
    const { body } = await as('deployer').json<TriageBody>('POST /triage', {
      body: {
        digest: digestOf(3),
        no_packages: true,
        reason: 'built from scratch',
        until: '2026-11-20T07:00:00Z',
      },
    });
    triageSchema.parse(body);
    assert.deepEqual([body.cve, body.severity, body.state], [null, null, 'active']);
    assert.equal(await next(), null);
    settings.at = AT + 3_600_000;
    assert.equal(await next(), 'unscanned', 'one that ends exactly then has expired');
    assert.deepEqual(await audited(), [['triage_create', digestOf(3), 'a deployer']]);
    for (const change of [{}, { cve: 'CVE-1', no_packages: true }, { no_packages: false }])
      await assert.rejects(
        as('deployer').json('POST /triage', { body: { digest: digestOf(3), reason: 'r', ...change } }),
        { code: 'invalid_request' },
      );
    await assert.rejects(
      as('viewer').json('POST /triage', { body: { digest: digestOf(3), no_packages: true, reason: 'r' } }),
      { code: 'forbidden' },
    );
  });

  test('what cannot be triaged is refused with the field and its reason', async (t) => {
    const store = await openFile(t);
    await fill(store);
    const { as, audited } = await startInventory(t, store);
    const decision = { digest: digestOf(1), cve: 'CVE-1', reason: 'r' };
    for (const [change, code, message] of [
      [{ digest: digestOf(2) }, 'not_found', /^no image with the digest/],
      [{ cve: 'CVE-9' }, 'invalid_request', /^CVE-9 is not among the findings/],
      [{ reason: '  ' }, 'invalid_request', /^reason must not be empty$/],
      [{ until: 'tomorrow' }, 'invalid_request', /^until is not an RFC 3339 time$/],
      [{ until: '2026-11-20T06:00:00Z' }, 'invalid_request', /^until must lie in the future/],
      [{ severity: 'LOW' }, 'invalid_request', /unknown field "severity"/],
    ] as const)
      await assert.rejects(
        as('deployer').json('POST /triage', { body: { ...decision, ...change } }),
        (error: Error & { code?: string }) => {
          assert.equal(error.code, code);
          assert.match(error.message, message);
          return true;
        },
      );
    await assert.rejects(as('viewer').json('POST /triage', { body: decision }), { code: 'forbidden' });
    await assert.rejects(as('viewer').json('GET /triage', { query: { state: 'over' } }), {
      code: 'invalid_request',
    });
    assert.deepEqual(await audited(), []);
  });
});
