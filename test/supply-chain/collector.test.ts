import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Count, type Log } from '../../src/base/index.ts';
import { parseReference } from '../../src/image/index.ts';
import {
  dueAfter,
  FactsCollector,
  repositoriesOf,
  type ClaimedDigest,
  type Collected,
  type CollectionStore,
} from '../../src/supply-chain/index.ts';
import { bytesOf, MemoryRegistry, NEVER } from './memory-registry.ts';
import { memoryVerifier } from './memory-verifier.ts';

const AT = Date.UTC(2026, 10, 20, 6);
const MINUTE = 60_000;
const WEB = `sha256:${'a'.repeat(64)}`;
const API = `sha256:${'c'.repeat(64)}`;
const SIMPLE = 'application/vnd.dev.cosign.simplesigning.v1+json';
const ALICE = { identity: 'alice@example.com', issuer: 'https://issuer.example' };

const claimOf = (digest: string, more: Partial<ClaimedDigest> = {}): ClaimedDigest => ({
  digest,
  names: ['ghcr.io/acme/web:1'],
  attempts: 0,
  firstSeenAt: AT - 24 * 60 * MINUTE,
  claimedAt: AT,
  ...more,
});

/** The store over a list of claims, which notes what was done with each. */
function started(claims: readonly ClaimedDigest[], registry: MemoryRegistry) {
  const waiting = [...claims];
  const recorded: { claim: ClaimedDigest; collected: Collected; dueAt: number }[] = [];
  const released: { digest: string; dueAt: number }[] = [];
  const counted: string[] = [];
  const warned: string[] = [];
  const asked = { requests: 0, held: true };
  const lost: number[] = [];
  const failing = new Set<string>();
  const store: CollectionStore = {
    enrol: async () => 0,
    request: async (digests) => void (asked.requests += digests.length),
    async claim(_at, lostBefore, _since, limit, lane) {
      lost.push(lostBefore);
      const at = waiting.findIndex(({ attempts }) => lane !== 'new' || attempts === 0);
      return at === -1 ? [] : waiting.splice(at, limit);
    },
    async record(claim, collected, { dueAt }) {
      if (failing.has(claim.digest)) throw new Error('the database is away');
      recorded.push({ claim, collected, dueAt });
      return asked.held;
    },
    release: async ({ digest }, dueAt) => void released.push({ digest, dueAt }),
    state: async () => null,
    waiting: async () => waiting.length,
  };
  const count: Count = {
    add: (name, labels, by = 1) => void counted.push(`${name} ${Object.values(labels ?? {}).join()} ${by}`),
  };
  const log: Log = {
    debug() {},
    info() {},
    warn: (message) => void warned.push(message),
    error: (message) => void warned.push(message),
  };
  const clock = { now: () => AT };
  const verifier = memoryVerifier();
  const make = (keychainOf: ConstructorParameters<typeof FactsCollector>[0]['keychainOf'] = null) =>
    new FactsCollector({ store, registry, verifier, vexSources: null, keychainOf, clock, log, count });
  return { make, recorded, released, counted, warned, asked, lost, failing, waiting };
}

suite('the collection of images in use', () => {
  test('collects what is due by the names under which it was seen', async () => {
    const registry = new MemoryRegistry();
    registry.image('ghcr.io/acme/web', WEB);
    registry.tag('ghcr.io/acme/web', WEB, 'sig', [{ mediaType: SIMPLE, bytes: bytesOf({ by: ALICE }) }]);
    const { make, recorded, counted, warned } = started([claimOf(WEB)], registry);
    await make().run(NEVER);
    assert.deepEqual(
      recorded.map(({ collected }) => collected.signatures.entries[0]?.identity),
      [ALICE.identity],
    );
    assert.deepEqual(counted, ['svc_facts_collections_total whole 1']);
    assert.deepEqual(warned, []);
  });

  test('one that cannot be read whole is told once, and tried again later each time', async () => {
    const registry = new MemoryRegistry();
    registry.image('ghcr.io/acme/web', WEB);
    registry.faults.set('sig', 'unavailable');
    const claims = [0, 1, 5, 20].map((attempts) => claimOf(WEB, { attempts }));
    const { make, recorded, counted, warned } = started(claims, registry);
    await make().run(NEVER);
    assert.deepEqual(
      recorded.map(({ dueAt }) => (dueAt - AT) / MINUTE),
      [1, 2, 32, 60],
    );
    assert.equal(warned.length, 1);
    assert.deepEqual(new Set(counted), new Set(['svc_facts_collections_total partial 1']));
  });

  test('of many names others are asked each time, so that none hides where the proofs are', async () => {
    const registry = new MemoryRegistry();
    registry.image('ghcr.io/acme/web', WEB);
    registry.tag('ghcr.io/acme/web', WEB, 'sig', [{ mediaType: SIMPLE, bytes: bytesOf({ by: ALICE }) }]);
    const names = Array.from({ length: 20 }, (_, n) => `evil.example/x${n}:1`);
    const claims = [0, 1, 2].map((attempts) =>
      claimOf(WEB, { attempts, names: [...names, 'ghcr.io/acme/web:1'] }),
    );
    const { make, recorded } = started(claims, registry);
    await make().run(NEVER);
    const found = recorded.map(({ collected }) => collected.signatures.entries.length);
    assert.equal(found.filter((n) => n === 1).length, 1);
  });

  test('a fault in one leaves the others, and what is known of it', async () => {
    const registry = new MemoryRegistry();
    registry.image('ghcr.io/acme/web', WEB);
    const { make, recorded, released, counted } = started([claimOf(API), claimOf(WEB)], registry);
    const keychainOf = async (digest: string) => {
      if (digest === API) throw new Error('no credentials');
      return null;
    };
    await make(keychainOf).run(NEVER);
    assert.deepEqual(released, [{ digest: API, dueAt: AT + MINUTE }]);
    assert.deepEqual(
      recorded.map(({ claim }) => claim.digest),
      [WEB],
    );
    assert.ok(counted.includes('svc_facts_collections_total failed 1'));
  });

  test('a fault of the database ends a run only when nothing of it goes on', async () => {
    const registry = new MemoryRegistry();
    registry.image('ghcr.io/acme/web', WEB);
    const { make, recorded, failing } = started([claimOf(API), claimOf(WEB)], registry);
    const slow = Promise.withResolvers<null>();
    const keychainOf = async (digest: string) => (digest === WEB ? slow.promise : null);
    failing.add(API);
    let isOver = false;
    const run = make(keychainOf)
      .run(NEVER)
      .finally(() => (isOver = true));
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resume) => setImmediate(resume));
    assert.deepEqual([isOver, recorded.length], [false, 0]);
    slow.resolve(null);
    await assert.rejects(run, { message: 'the database is away' });
    assert.deepEqual(
      recorded.map(({ claim }) => claim.digest),
      [WEB],
    );
  });

  test('an image that is slow holds up those that are due beside it, and those that are new, not at all', async () => {
    const registry = new MemoryRegistry();
    registry.image('ghcr.io/acme/web', WEB);
    const never = Promise.withResolvers<null>();
    const dead = [claimOf(API, { attempts: 3 }), claimOf(API, { attempts: 3 })];
    const { make, recorded, waiting } = started([...dead], registry);
    const collector = make(async (digest) => (digest === API ? never.promise : null));
    const stuck = collector.run(NEVER);
    while (waiting.length > 0) await new Promise((resume) => setImmediate(resume));
    waiting.push(claimOf(API, { attempts: 9 }), claimOf(WEB));
    await collector.runNew(NEVER);
    assert.deepEqual(
      recorded.map(({ claim }) => claim.digest),
      [WEB],
    );
    never.resolve(null);
    await stuck;
  });

  test('what a leader before left claimed is taken over at once, what this one claimed is not', async () => {
    const registry = new MemoryRegistry();
    registry.image('ghcr.io/acme/web', WEB);
    const { make, lost } = started([claimOf(WEB), claimOf(API)], registry);
    await make().run(NEVER);
    assert.deepEqual(new Set(lost), new Set([AT - 1]));
  });

  test('what another took over is not counted as collected', async () => {
    const registry = new MemoryRegistry();
    registry.image('ghcr.io/acme/web', WEB);
    const { make, counted, asked } = started([claimOf(WEB)], registry);
    asked.held = false;
    await make().run(NEVER);
    assert.deepEqual(counted, ['svc_facts_collections_total lost 1']);
  });

  test('when the service ends, what is under way is given back and nothing new begins', async () => {
    const ends = new AbortController();
    const registry = new MemoryRegistry();
    registry.image('ghcr.io/acme/web', WEB);
    const { make, recorded, released } = started([claimOf(WEB), claimOf(WEB), claimOf(API)], registry);
    const keychainOf = async () => {
      ends.abort();
      return null;
    };
    await make(keychainOf).run(ends.signal);
    assert.deepEqual(recorded, []);
    assert.deepEqual(
      released.map(({ digest, dueAt }) => [digest, dueAt]),
      Array.from({ length: 2 }, () => [WEB, AT]),
    );
  });
});

test('an image without proofs is looked at more often while it is young', () => {
  const part = { entries: [], complete: true };
  const bare = { signatures: part, attestations: part, provenance: part, vex: part } as unknown as Collected;
  const young = claimOf(WEB, { firstSeenAt: AT - MINUTE });
  assert.equal(dueAfter(young, bare, AT), AT + 5 * MINUTE);
  assert.equal(dueAfter(claimOf(WEB), bare, AT), AT + 360 * MINUTE);
  const signed = { ...bare, signatures: { entries: [{}], complete: true } } as unknown as Collected;
  assert.equal(dueAfter(young, signed, AT), AT + 360 * MINUTE);
});

test('repositories come of the names, each once; invalid names are left out', () => {
  const names = ['nginx:1.27', 'docker.io/library/nginx', 'ghcr.io/acme/web@' + WEB, 'NOT A NAME', WEB];
  assert.deepEqual(repositoriesOf(names), [
    { host: 'docker.io', path: 'library/nginx' },
    { host: 'ghcr.io', path: 'acme/web' },
  ]);
  assert.ok('fault' in parseReference('NOT A NAME'));
});
