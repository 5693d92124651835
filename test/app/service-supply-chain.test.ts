import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSupplyChain } from '../../src/app/service/supply-chain.ts';
import { readFacts } from '../../src/store/facts/facts.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import { forEachEngine } from '../store/engines.ts';
import { AT, digestOf, finding, scanOf } from '../store/image-records.ts';
import { bytesOf, MemoryRegistry, NEVER } from '../supply-chain/memory-registry.ts';
import { memoryVerifier } from '../supply-chain/memory-verifier.ts';

const A = digestOf(1);
const ALICE = { identity: 'alice@example.com', issuer: 'https://issuer.example' };
const SIMPLE = 'application/vnd.dev.cosign.simplesigning.v1+json';
const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const log = { debug() {}, info() {}, warn() {}, error() {} };

forEachEngine('the collection over a database', (engine) => {
  test('the facts of an image that was scanned are collected by the job, and follow what becomes of it', async (t) => {
    const store = await engine.open(t);
    const scan = scanOf([finding('CVE-1', 'CRITICAL')]);
    await store.write((transaction) =>
      recordScan(transaction, { digest: A, names: ['ghcr.io/acme/web:1'], source: null, scan, at: AT }),
    );
    const registry = new MemoryRegistry();
    registry.image('ghcr.io/acme/web', A);
    registry.tag('ghcr.io/acme/web', A, 'sig', [{ mediaType: SIMPLE, bytes: bytesOf({ by: ALICE }) }]);
    const statement = {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'web', digest: { sha256: A.slice(7) } }],
      predicateType: 'https://openvex.dev/ns',
      predicate: {
        timestamp: '2026-01-01T00:00:00Z',
        statements: [
          {
            ...{ vulnerability: 'CVE-1', status: 'fixed' },
            products: [{ '@id': 'pkg:oci/web', subcomponents: [{ '@id': 'pkg:deb/debian/openssl' }] }],
          },
        ],
      },
    };
    registry.refer('ghcr.io/acme/web', A, BUNDLE, [
      { mediaType: BUNDLE, bytes: bytesOf({ by: ALICE, statement }) },
    ]);
    let now = AT;
    const counted: string[] = [];
    const chain = openSupplyChain({
      ...{ store, registry, verifier: memoryVerifier(), keychainOf: null, vex: { sources: [] }, log },
      clock: { now: () => now },
      monotonic: { now: () => now },
      count: { add: (name, labels) => void counted.push(`${name} ${Object.values(labels ?? {}).join()}`) },
    });
    const [job] = chain.jobs;
    assert.ok(job !== undefined && job.leaderOnly);
    assert.equal(await chain.state(A), null);
    await job.run(NEVER);
    const facts = await readFacts(store.read, A);
    assert.deepEqual(
      facts?.signatures?.map(({ identity }) => identity),
      [ALICE.identity],
    );
    assert.deepEqual(
      facts?.vex?.map(({ cve, status, packages }) => [cve, status, packages]),
      [['CVE-1', 'fixed', ['pkg:deb/debian/openssl']]],
    );
    assert.equal(facts?.scan?.findings?.length, 1);
    assert.deepEqual(counted, ['svc_vex_statements_total fixed', 'svc_facts_collections_total whole']);

    // Nothing is asked until it is due; then the registry is away, and what was known stays.
    registry.asked.length = 0;
    await job.run(NEVER);
    assert.deepEqual(registry.asked, []);
    registry.faults.set('manifest', 'unavailable');
    now += 6 * 60 * 60_000;
    await job.run(NEVER);
    assert.deepEqual((await readFacts(store.read, A))?.signatures?.length, 1);
    const state = await chain.state(A);
    assert.deepEqual([state?.triedAt, state?.collectedAt, state?.dueAt], [now, AT, now + 60_000]);
    assert.equal(state?.problems[0]?.reason, 'unavailable');

    // Asked for again, and the signature is gone: it was read whole, so there is none.
    registry.faults.clear();
    registry.tags.clear();
    now += 60_000;
    await chain.request([A]);
    await job.run(NEVER);
    assert.deepEqual((await readFacts(store.read, A))?.signatures, []);
  });
});
