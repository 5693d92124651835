import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  openTriage,
  type NewTriage,
  type PoliciesInForce,
  type TriageQuery,
} from '../../src/inventory/index.ts';
import type { Policy } from '../../src/policy/index.ts';
import { parseImageFacts } from '../../src/facts/index.ts';
import { imageStore } from '../../src/store/images/images.ts';
import { importFacts } from '../../src/store/scans/import-facts.ts';
import { failuresToTell, keepFailure, shortFailures } from '../../src/store/scans/failures.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { triageStore } from '../../src/store/scans/triage.ts';
import { policyOf, toSpec } from '../decision/arbitraries.ts';
import { forEachEngine } from './engines.ts';
import { append, AT, digestOf, factsText, finding, scanOf } from './image-records.ts';

const HOUR = 3_600_000;
const ANN = { accountId: 'abcdefghijklmnop', name: 'Ann' };
const ALL: Omit<TriageQuery, 'at'> = { digest: null, cve: null, state: null, limit: null, offset: 0 };

async function open(store: Store, specs: readonly Record<string, unknown>[] = []) {
  const policies: Policy[] = specs.map((spec, i) => ({ ...policyOf(toSpec(spec)), name: `p${i}` }));
  const inForce = async (): Promise<PoliciesInForce> => ({ policies, key: 'k' });
  const settings = { at: AT };
  const triage = openTriage({
    store: triageStore(store),
    policies: inForce,
    clock: { now: () => settings.at },
  });
  await store.write((transaction) =>
    recordScan(transaction, {
      digest: digestOf(1),
      names: ['ghcr.io/acme/web:1'],
      source: null,
      scan: scanOf([
        finding('CVE-1', 'LOW'),
        finding('CVE-1', 'HIGH', { package: 'libssl' }),
        finding('CVE-2', 'MEDIUM'),
      ]),
      at: AT,
    }),
  );
  return { ...triage, settings };
}

const decision: NewTriage = { digest: digestOf(1), cve: 'CVE-1', reason: ' not reachable ', until: null };

forEachEngine('triage', (engine) => {
  test('a decision takes the highest severity of the findings and lasts 2160 hours unless somebody says', async (t) => {
    const store = await engine.open(t);
    const triage = await open(store);
    const made = await triage.create(decision, ANN);
    assert.deepEqual(made, {
      id: made.id,
      digest: digestOf(1),
      image: 'ghcr.io/acme/web:1',
      cve: 'CVE-1',
      severity: 'HIGH',
      reason: 'not reachable',
      triagedBy: 'Ann',
      accountId: ANN.accountId,
      createdAt: AT,
      until: AT + 2160 * HOUR,
      endedAt: null,
    });
    const until = AT + 5;
    assert.equal((await triage.create({ ...decision, until }, ANN)).until, until);
  });

  test('nobody is told any more of an image without packages once a person decided that it holds none', async (t) => {
    const store = await engine.open(t);
    const triage = await open(store);
    const failed = async (at: number): Promise<readonly string[]> =>
      (await failuresToTell(store.read, [digestOf(2)], at)).map(({ reason }) => reason);
    await store.write((transaction) =>
      keepFailure(transaction, digestOf(2), {
        platform: null,
        reason: 'no_packages',
        message: 'none',
        at: AT,
      }),
    );
    await append(store, [{ digest: digestOf(2) }]);
    assert.deepEqual(await failed(AT), ['no_packages']);
    await triage.create({ digest: digestOf(2), cve: null, reason: 'a data image', until: AT + HOUR }, ANN);
    assert.deepEqual(await failed(AT), []);
    assert.equal((await shortFailures(store.read)).size, 1, 'who is denied is told all the same');
    assert.deepEqual(await failed(AT + HOUR), ['no_packages'], 'the decision is over');
  });

  test('the policies that govern the image say how long: the shortest that one declares', async (t) => {
    const store = await engine.open(t);
    const triage = await open(store, [
      { sla: { triage: '720h' } },
      { sla: { triage: '24h' }, targetNamespaces: ['shop'] },
      { sla: { triage: '1h' }, targetNamespaces: ['ci'] },
      { sla: { critical: '1h' } },
    ]);
    assert.equal((await triage.create(decision, ANN)).until, AT + 720 * HOUR);
    await append(store, [{ digest: digestOf(1), namespace: 'shop' }]);
    while (await imageStore(store).follow(100));
    assert.equal((await triage.create(decision, ANN)).until, AT + 24 * HOUR);
  });

  test('what cannot be triaged is refused with its reason', async (t) => {
    const triage = await open(await engine.open(t));
    const refused = (change: Partial<NewTriage>, code: string, message: RegExp) =>
      assert.rejects(triage.create({ ...decision, ...change }, ANN), (error: Error & { code?: string }) => {
        assert.equal(error.code, code);
        assert.match(error.message, message);
        return true;
      });
    await refused({ digest: digestOf(2) }, 'not_found', /^no image with the digest/);
    await refused({ digest: 'web:1' }, 'invalid_request', /is not sha256/);
    await refused({ cve: 'CVE-9' }, 'invalid_request', /^CVE-9 is not among the findings/);
    await refused({ until: AT }, 'invalid_request', /must lie in the future/);
    await refused({ until: 9e15 }, 'invalid_request', /before the year 10000/);
  });

  test('a decision ends once, and the facts follow in the same act', async (t) => {
    const store = await engine.open(t);
    const triage = await open(store);
    const { id } = await triage.create(decision, ANN);
    const version = (await factsText(store, digestOf(1)))?.facts_version ?? 0;
    triage.settings.at = AT + HOUR;
    assert.equal((await triage.end(id)).endedAt, AT + HOUR);
    assert.equal((await factsText(store, digestOf(1)))?.facts_version, version + 1);
    await assert.rejects(triage.end(id), { code: 'conflict' });
    await assert.rejects(triage.end(id + 1000), { code: 'not_found' });
    const short = await triage.create({ ...decision, until: AT + 2 * HOUR }, ANN);
    triage.settings.at = AT + 2 * HOUR;
    await assert.rejects(triage.end(short.id), { code: 'conflict' });
  });

  test('a decision on the image itself stands in its facts, with no scan and no proofs, until it is over', async (t) => {
    const store = await engine.open(t);
    const triage = await open(store, [{ sla: { triage: '24h' } }]);
    const bare = digestOf(7);
    const image = { ...decision, digest: bare, cve: null };
    await assert.rejects(triage.create(image, ANN), { code: 'not_found' });
    await append(store, [{ digest: bare, image: 'ghcr.io/acme/static:1' }]);
    while (await imageStore(store).follow(100));
    const factsOf = async () => {
      const facts = (await factsText(store, bare))?.facts ?? null;
      return facts === null ? null : parseImageFacts(JSON.parse(facts));
    };
    assert.equal(await factsOf(), null);
    const made = await triage.create(image, ANN);
    assert.deepEqual([made.cve, made.severity, made.until], [null, null, AT + 24 * HOUR]);
    const facts = await factsOf();
    assert.deepEqual([facts?.scan, facts?.signatures, facts?.noPackagesUntilMs], [null, null, made.until]);
    triage.settings.at = AT + HOUR;
    const ended = await triage.end(made.id);
    assert.deepEqual([ended.cve, (await factsOf())?.noPackagesUntilMs], [null, AT + HOUR]);
    assert.deepEqual((await triage.list({ ...ALL, digest: bare })).items, [ended]);
  });

  test('what was scanned is decided on CVE by CVE, and what was not only as a whole', async (t) => {
    const store = await engine.open(t);
    const triage = await open(store);
    await assert.rejects(triage.create({ ...decision, cve: null }, ANN), {
      code: 'invalid_request',
      message: /has a completed scan, so that packages were found in it/,
    });
    await append(store, [{ digest: digestOf(7) }]);
    while (await imageStore(store).follow(100));
    await assert.rejects(triage.create({ ...decision, digest: digestOf(7) }, ANN), {
      code: 'invalid_request',
      message: /has no completed scan/,
    });
  });

  test('facts with a decision on the image are recorded from an export as they were written', async (t) => {
    const store = await engine.open(t);
    const line = { digest: digestOf(9), names: ['a:1'], no_packages_until: '2027-01-01T00:00:00Z' };
    await store.write((transaction) => importFacts(transaction, parseImageFacts(line), AT));
    const text = (await factsText(store, digestOf(9)))?.facts ?? '{}';
    assert.equal((JSON.parse(text) as typeof line).no_packages_until, line.no_packages_until);
  });

  test('an act that fails beside a decision takes the decision and its facts back', async (t) => {
    const store = await engine.open(t);
    const triage = await open(store);
    const before = await factsText(store, digestOf(1));
    await assert.rejects(
      store.write(async () => {
        await triage.create(decision, ANN);
        throw new Error('the audit log is full');
      }),
    );
    assert.deepEqual(await factsText(store, digestOf(1)), before);
    assert.equal((await triage.list(ALL)).total, 0);
  });

  test('the list tells active decisions from those that are over, newest first, in pages', async (t) => {
    const store = await engine.open(t);
    const triage = await open(store);
    const a = await triage.create({ ...decision, until: AT + HOUR }, ANN);
    const b = await triage.create({ ...decision, cve: 'CVE-2' }, ANN);
    const c = await triage.create(decision, ANN);
    await triage.end(c.id);
    triage.settings.at = AT + HOUR;
    const ids = async (query: Partial<TriageQuery>): Promise<number[]> =>
      (await triage.list({ ...ALL, ...query })).items.map(({ id }) => id);
    assert.deepEqual(await ids({}), [c.id, b.id, a.id]);
    assert.deepEqual(await ids({ state: 'active' }), [b.id]);
    assert.deepEqual(await ids({ state: 'expired' }), [a.id]);
    assert.deepEqual(await ids({ state: 'ended' }), [c.id]);
    assert.deepEqual(await ids({ cve: 'CVE-1' }), [c.id, a.id]);
    assert.deepEqual(await ids({ digest: digestOf(2) }), []);
    const page = await triage.list({ ...ALL, limit: 1, offset: 1 });
    assert.deepEqual([page.items.map(({ id }) => id), page.total], [[b.id], 3]);
  });
});
