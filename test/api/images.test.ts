import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type {
  DecidedFromBody,
  ImageDetailBody,
  ImageListBody,
  ScanRequestedBody,
} from '../../src/api/contract/images.ts';
import { decidedFromSchema, imageDetailSchema, imageListSchema } from '../../src/api/contract/images.ts';
import { parseImageFacts } from '../../src/facts/index.ts';
import { imageStore, recordProofs, recordScan } from '../../src/store/index.ts';
import type { Store } from '../../src/store/index.ts';
import { policyOf, toSpec } from '../decision/arbitraries.ts';
import { append, AT, digestOf, finding, scanOf } from '../store/image-records.ts';
import { openFile, startInventory } from './inventory.ts';

const POLICY = { ...policyOf(toSpec({ enforcement: 'Audit', severityThreshold: 'HIGH' })), name: 'base' };

async function fill(store: Store): Promise<void> {
  await append(store, [
    {
      digest: digestOf(1),
      allowed: false,
      reason: 'vulnerabilities at or above HIGH: CVE-1',
      label: 'threshold',
      policy: 'base',
    },
    { digest: digestOf(2), image: 'ghcr.io/acme/api:2' },
    { digest: digestOf(3), image: 'ghcr.io/acme/job:3', namespace: 'ci', signals: ['root'] },
    { digest: digestOf(4), image: 'quay.io/acme/tool:4' },
  ]);
  const os = { family: 'alpine', name: '3.10.9', eosl: true };
  const findings = [
    finding('CVE-2', 'LOW'),
    finding('CVE-1', 'CRITICAL', { fixed: '1.1', knownExploited: true }),
  ];
  for (const [n, found] of [
    [2, []],
    [3, findings],
  ] as const)
    await store.write((transaction) =>
      recordScan(transaction, {
        digest: digestOf(n),
        names: [],
        source: 'https://src.example/acme',
        scan: scanOf(found, { os }),
        at: AT,
      }),
    );
  await store.write((transaction) =>
    recordProofs(
      transaction,
      digestOf(3),
      { signatures: [], provenance: [{ builderId: 'b', signer: null, issuer: null }] },
      AT,
    ),
  );
}

suite('GET /images', () => {
  test('lists images by who needs looking at first, with the tiles, and answers as the schema says', async (t) => {
    const store = await openFile(t);
    await fill(store);
    const { as } = await startInventory(t, store, [POLICY]);
    const { body } = await as('viewer').json<ImageListBody>('GET /images');
    imageListSchema.parse(body);
    assert.deepEqual(body.states, { Blocked: 1, Unscanned: 1, Compliant: 1, 'Not compliant': 1 });
    assert.deepEqual(
      body.items.map(({ name, state }) => [name, state]),
      [
        ['ghcr.io/acme/web:1', 'Blocked'],
        ['ghcr.io/acme/job:3', 'Not compliant'],
        ['quay.io/acme/tool:4', 'Unscanned'],
        ['ghcr.io/acme/api:2', 'Compliant'],
      ],
    );
    const [blocked, outside, unscanned] = body.items;
    assert.deepEqual([blocked?.last_review?.label, blocked?.last_review?.allowed], ['threshold', false]);
    assert.deepEqual(outside?.scan, {
      scanned_at: '2026-11-19T02:00:00Z',
      os: { family: 'alpine', name: '3.10.9', eosl: true },
      findings: { critical: 1, high: 0, medium: 0, low: 1, unknown: 0 },
      fixable: 1,
      known_exploited: 1,
      triaged: 0,
    });
    assert.equal(outside?.next_admission?.label, 'threshold');
    assert.equal(unscanned?.scan, null);
  });

  test('filters, searches, orders and pages; the tiles count all images whatever is asked', async (t) => {
    const store = await openFile(t);
    await fill(store);
    const { as } = await startInventory(t, store, [POLICY]);
    const names = async (query: Record<string, string>): Promise<unknown[]> => {
      const { body } = await as('viewer').json<ImageListBody>('GET /images', { query });
      assert.equal(
        Object.values(body.states).reduce((sum, count) => sum + count, 0),
        4,
      );
      return [body.total, ...body.items.map(({ name }) => name)];
    };
    assert.deepEqual(await names({ filter: 'Not compliant' }), [1, 'ghcr.io/acme/job:3']);
    assert.deepEqual(await names({ q: 'ACME/W' }), [1, 'ghcr.io/acme/web:1']);
    assert.deepEqual(await names({ q: digestOf(4) }), [1, 'quay.io/acme/tool:4']);
    assert.deepEqual(await names({ sort: 'name', limit: '2', offset: '1' }), [
      4,
      'ghcr.io/acme/job:3',
      'ghcr.io/acme/web:1',
    ]);
    assert.deepEqual(await names({ sort: 'name', order: 'desc', limit: '1' }), [4, 'quay.io/acme/tool:4']);
  });

  test('an unknown filter is refused, naming the four states', async (t) => {
    const { as } = await startInventory(t, await openFile(t));
    for (const [query, message] of [
      [
        { filter: 'blocked' },
        'unknown filter "blocked"; the states are Blocked, Unscanned, Compliant, Not compliant',
      ],
      [{ sort: 'age' }, /^sort must be one of attention, /],
      [{ limit: '0' }, /limit must be between 1 and 10000/],
      [{ page: '2' }, /unknown parameter "page"/],
    ] as const) {
      await assert.rejects(
        as('viewer').json('GET /images', { query }),
        (error: Error & { code?: string }) => {
          assert.equal(error.code, 'invalid_request');
          if (typeof message === 'string') assert.equal(error.message, message);
          else assert.match(error.message, message);
          return true;
        },
      );
    }
  });
});

suite('GET /images/{digest}', () => {
  test('shows all that is known, and why the image is in its state', async (t) => {
    const store = await openFile(t);
    await fill(store);
    const { as } = await startInventory(t, store, [POLICY]);
    const show = async (n: number): Promise<ImageDetailBody> =>
      (await as('viewer').json<ImageDetailBody>('GET /images/{digest}', { params: { digest: digestOf(n) } }))
        .body;
    const detail = await show(3);
    imageDetailSchema.parse(detail);
    assert.equal(
      detail.explanation,
      'the next admission would be denied if policy base enforced: vulnerabilities at or above HIGH: CVE-1',
    );
    assert.deepEqual(
      detail.findings?.map(({ cve }) => cve),
      ['CVE-1', 'CVE-2'],
    );
    assert.deepEqual(
      detail.places.map(({ namespace, signals, image }) => [namespace, signals, image]),
      [['ci', ['root'], 'ghcr.io/acme/job:3']],
    );
    assert.deepEqual(
      detail.answers.map(({ policy, verdict, label }) => [policy, verdict, label]),
      [['base', 'refuse', 'threshold']],
    );
    assert.deepEqual(
      [detail.signatures, detail.attestations, detail.provenance],
      [[], null, [{ builder_id: 'b', issuer: null, signer: null }]],
    );
    assert.equal(detail.source, 'https://src.example/acme');
    assert.deepEqual(detail.scan?.scanner, { name: 'trivy', version: '0.69.1', db_updated_at: null });
    const bare = await show(4);
    imageDetailSchema.parse(bare);
    assert.equal(bare.explanation, 'it has no completed scan; the next admission would be allowed');
    assert.equal(bare.findings, null);
    await assert.rejects(as('viewer').json('GET /images/{digest}', { params: { digest: digestOf(9) } }), {
      code: 'not_found',
    });
    await assert.rejects(as('viewer').json('GET /images/{digest}', { params: { digest: 'nginx' } }), {
      code: 'invalid_request',
    });
  });
});

suite('POST /images/scan', () => {
  test('queues scans with an audit entry, and says what is queued already and what nobody knows', async (t) => {
    const store = await openFile(t);
    await fill(store);
    const { as, audited } = await startInventory(t, store);
    const ask = async (digests: readonly string[]): Promise<ScanRequestedBody> =>
      (await as('deployer').json<ScanRequestedBody>('POST /images/scan', { body: { digests } })).body;
    assert.deepEqual(await ask([digestOf(1), digestOf(9)]), {
      queued: [digestOf(1)],
      already_queued: [],
      unknown: [digestOf(9)],
    });
    assert.deepEqual(await ask([digestOf(1)]), { queued: [], already_queued: [digestOf(1)], unknown: [] });
    assert.deepEqual(await audited(), [
      ['rescan', null, 'a deployer'],
      ['rescan', digestOf(1), 'a deployer'],
    ]);
    const { body } = await as('viewer').json<ImageDetailBody>('GET /images/{digest}', {
      params: { digest: digestOf(1) },
    });
    assert.equal(body.scan_requested_at, '2026-11-20T06:00:00Z');
  });

  test('more than 500 digests, none, and invalid digests are refused, and nothing is queued', async (t) => {
    const store = await openFile(t);
    const { as, audited } = await startInventory(t, store);
    const many = Array.from({ length: 501 }, (_, n) => digestOf(n));
    for (const [body, message] of [
      [{ digests: many }, /at most 500 digests/],
      [{ digests: [] }, /at least one/],
      [{ digests: [digestOf(1), 'nginx'] }, /^digests\[1\] is not sha256/],
      [{ digest: digestOf(1) }, /digests must be a list|unknown field/],
      [{ digests: [7] }, /digests\[0\]/],
    ] as const)
      await assert.rejects(
        as('deployer').json('POST /images/scan', { body }),
        (error: Error & { code?: string }) => {
          assert.equal(error.code, 'invalid_request');
          assert.match(error.message, message);
          return true;
        },
      );
    await assert.rejects(as('viewer').json('POST /images/scan', { body: { digests: [digestOf(1)] } }), {
      code: 'forbidden',
    });
    assert.deepEqual(await audited(), []);
  });
});

suite('GET /images/{digest}/facts', () => {
  test('gives what a decision reads, whole and in the order in which it was recorded', async (t) => {
    const store = await openFile(t);
    await fill(store);
    const { as } = await startInventory(t, store, [POLICY]);
    const at = async (n: number): Promise<DecidedFromBody> =>
      (
        await as('viewer').json<DecidedFromBody>('GET /images/{digest}/facts', {
          params: { digest: digestOf(n) },
        })
      ).body;
    const { image, cold_image_policy } = await at(3);
    decidedFromSchema.parse({ image, cold_image_policy });
    const facts = parseImageFacts(image);
    assert.deepEqual(facts, await imageStore(store).facts(digestOf(3)));
    assert.deepEqual(
      facts.scan?.findings?.map(({ cve }) => cve),
      ['CVE-2', 'CVE-1'],
    );
    assert.equal(cold_image_policy, 'AllowAndScan');
    // Seen in a review, and nothing recorded of it yet: unknown, never none.
    const { scan, signatures, attestations, provenance, vex } = parseImageFacts((await at(1)).image);
    assert.deepEqual([scan, signatures, attestations, provenance, vex], [null, null, null, null, null]);
    await assert.rejects(at(99), /no image with the digest sha256:.* is known/);
  });
});
