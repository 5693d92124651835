import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePolicies, type Policy } from '../../src/policy/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { AdmissionFacts } from '../../src/store/admission/facts.ts';
import { AdmissionPolicies } from '../../src/store/admission/policies.ts';
import { policyStore } from '../../src/store/policies/policies.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { keptLog } from '../api/service.ts';
import { forEachEngine } from './engines.ts';
import { listenTo } from './statements.ts';
import { AT, digestOf, finding, scanOf } from './image-records.ts';

/** Records a scan with one finding. */
async function scan(store: Store, digest: string, cve: string, at: number): Promise<void> {
  const made = scanOf([finding(cve)]);
  await store.write((transaction) =>
    recordScan(transaction, { digest, names: ['web'], source: null, scan: made, at }),
  );
}

const cvesOf = (facts: { scan: { findings: readonly { cve: string }[] | null } | null } | null | undefined) =>
  facts?.scan?.findings?.map(({ cve }) => cve) ?? facts;

forEachEngine('what admissions know', (engine) => {
  test('facts are read once, and follow the facts version', async (t) => {
    const store = await engine.open(t);
    let now = 0;
    const facts = new AdmissionFacts(store, { now: () => now, maxAge: 5000 });
    const [digest, other] = [digestOf(1), digestOf(2)];
    await scan(store, digest, 'CVE-1', AT);
    assert.equal(facts.known(digest), undefined, 'nothing is known before it is read');
    const [read, none] = await Promise.all([facts.read(digest), facts.read(other)]);
    assert.deepEqual([cvesOf(read), none], [['CVE-1'], null]);
    assert.equal(facts.known(digest), read);
    assert.equal(facts.known(other), null);

    await scan(store, digest, 'CVE-2', AT + 1);
    assert.equal(facts.known(digest), read, 'until it is compared');
    now = 1000;
    facts.known(digest);
    await facts.refresh();
    assert.deepEqual(cvesOf(facts.known(digest)), ['CVE-2']);
    const same = facts.known(digest);
    facts.known(digest);
    await facts.refresh();
    assert.equal(facts.known(digest), same, 'what did not change stays one object');
  });

  test('a replica says that it is not ready until it has read facts, and then has those to fall back on', async (t) => {
    const store = await engine.open(t);
    const digest = digestOf(1);
    await scan(store, digest, 'CVE-1', AT);
    let isAway = true;
    const facts = new AdmissionFacts({
      ...store,
      get read() {
        if (isAway) throw new Error('the database is down');
        return store.read;
      },
    });
    await assert.rejects(facts.warm());
    assert.equal(facts.unready(), 'the facts of images have not been read yet');
    isAway = false;
    await facts.warm();
    assert.equal(facts.unready(), null);
    isAway = true;
    await facts.warm();
    await assert.rejects(facts.read(digest));
    assert.deepEqual([cvesOf(facts.last(digest)), facts.unready()], [['CVE-1'], null]);
  });

  test('facts that were not compared for too long are read again; one that nobody uses is not compared', async (t) => {
    const store = await engine.open(t);
    let now = 0;
    const facts = new AdmissionFacts(store, { now: () => now, maxAge: 5000 });
    const digest = digestOf(1);
    await scan(store, digest, 'CVE-1', AT);
    await facts.read(digest);
    now = 1000;
    await facts.refresh();
    now = 5001;
    await facts.refresh();
    assert.equal(facts.known(digest), undefined);
    assert.deepEqual(cvesOf(facts.last(digest)), ['CVE-1']);
    assert.deepEqual(cvesOf(await facts.read(digest)), ['CVE-1']);
    assert.deepEqual(cvesOf(facts.known(digest)), ['CVE-1']);
  });

  test('memory is bounded, and what was used last stays', async (t) => {
    const store = await engine.open(t);
    let now = 0;
    const facts = new AdmissionFacts(store, { now: () => now, maxChars: 4000 });
    const digests = Array.from({ length: 20 }, (_, i) => digestOf(i));
    for (const digest of digests) {
      now += 1;
      assert.equal(await facts.read(digest), null);
      facts.known(digests[0] as string);
    }
    assert.equal(facts.last(digests[0] as string), null);
    assert.equal(facts.last(digests[1] as string), undefined);
    assert.equal(facts.last(digests[19] as string), null);
    // What is compared again is as new as what was read now; and where everything was used, the oldest goes all the same.
    const kept = digests.filter((digest) => facts.last(digest) !== undefined);
    now += 1;
    for (const digest of kept) facts.known(digest);
    await facts.refresh();
    for (let i = 20; i < 60; i += 1) {
      now += 1;
      await facts.read(digestOf(i));
      for (let used = 0; used <= i; used += 1) facts.known(digestOf(used));
    }
    const held = Array.from({ length: 60 }, (_, i) => digestOf(i)).filter(
      (digest) => facts.last(digest) !== undefined,
    );
    assert.ok(held.length > 5 && held.length <= 14, String(held.length));
  });

  test('large facts are read and parsed a few at a time, and the event loop turns in between', async (t) => {
    const store = await engine.open(t);
    const large = (n: number): string =>
      JSON.stringify({ digest: digestOf(n), names: ['n'.repeat(99_000)], scan: null });
    const write = (version: number): Promise<void> =>
      store.write(async (transaction) => {
        for (let n = 1; n <= 30; n += 1)
          await runText(
            transaction,
            `insert into images (digest, first_seen_at, facts, facts_version) values (?, 0, ?, ?)
             on conflict (digest) do update set facts_version = excluded.facts_version`,
            [digestOf(n), large(n), version],
          );
      });
    await write(1);
    const listened = listenTo(store);
    t.after(() => listened.stop());
    const facts = new AdmissionFacts(listened.store, { now: () => 0 });
    const few = (): void => {
      const turns = new Map<number, number>();
      for (const { text, rows, turn } of listened.take())
        if (/\bfacts from\b/.test(text)) turns.set(turn, (turns.get(turn) ?? 0) + rows);
      assert.equal(
        [...turns.values()].reduce((sum, rows) => sum + rows, 0),
        30,
      );
      const most = Math.max(...turns.values());
      assert.ok(most <= 2, `the facts of ${most} images, of 100 KB each, were read in one turn`);
    };
    await facts.warm();
    few();
    await write(2);
    facts.changed();
    const read = await Promise.all(Array.from({ length: 30 }, (_, i) => facts.read(digestOf(i + 1))));
    assert.ok(read.every((one) => one !== null));
    few();
  });

  test('policies are those of the database after each refresh, and a revision stays one object', async (t) => {
    const store = await engine.open(t);
    let now = AT;
    const policies = new AdmissionPolicies(store, { now: () => now }, keptLog());
    assert.deepEqual([policies.current(), policies.staleSince()], [null, null]);
    await policies.refresh();
    assert.deepEqual(policies.current(), []);
    const write = (name: string, spec: string) => {
      const text = `apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
      const [parsed] = parsePolicies(text, 'p.yaml').policies;
      const { policy, document } = parsed as { policy: Policy; document: object };
      return { name, revision: policy.revision, document: { ...document }, at: AT, by: null };
    };
    await policyStore(store).create(write('b', '{ denyLatestTag: true }'));
    await policyStore(store).create(write('a', '{}'));
    await policies.refresh();
    const first = policies.current();
    assert.deepEqual(
      first?.map(({ name, spec }) => [name, spec.denyLatestTag]),
      [
        ['a', false],
        ['b', true],
      ],
    );
    now += 1000;
    await policies.refresh();
    assert.equal(policies.current(), first, 'the same list as long as nothing changed');
    await policyStore(store).replace(write('a', '{ enforcement: Enforce }'), 'any');
    await policyStore(store).remove('b', 'any', 200);
    await policyStore(store).create(write('b', '{ denyLatestTag: true }'));
    await policies.refresh();
    assert.equal(policies.current()?.[0]?.spec.enforcement, 'Enforce');
    assert.equal(policies.current()?.[1], first?.[1]);
    assert.equal(policies.staleSince(), null);
    now += 20_000;
    assert.equal(policies.staleSince(), AT + 1000);
    now -= 3_600_000;
    assert.equal(policies.staleSince(), AT + 1000, 'also while the clock is behind');
  });

  test('a policy that cannot be read any more stays in effect as it was read last, and the others are not held up', async (t) => {
    const store = await engine.open(t);
    const log = keptLog();
    const policies = new AdmissionPolicies(store, { now: () => AT }, log);
    const text =
      'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: { name: a }\nspec: { enforcement: Enforce }\n';
    const [parsed] = parsePolicies(text, 'p.yaml').policies;
    const { policy, document } = parsed as { policy: Policy; document: object };
    const write = { name: 'a', revision: policy.revision, document: { ...document }, at: AT, by: null };
    await policyStore(store).create(write);
    await policies.refresh();
    for (const spec of [{ enforcement: 'Later' }, 7]) {
      const unreadable = { ...write, revision: JSON.stringify(spec), document: { ...document, spec } };
      await policyStore(store).replace(unreadable, 'any');
      await policies.refresh();
      assert.deepEqual(
        policies.current()?.map(({ name, revision }) => [name, revision]),
        [['a', policy.revision]],
      );
    }
    const fresh = new AdmissionPolicies(store, { now: () => AT }, log);
    await fresh.refresh();
    assert.deepEqual(fresh.current(), [], 'nothing of it was ever read');
    await policyStore(store).remove('a', 'any', 200);
    await policies.refresh();
    assert.deepEqual(policies.current(), []);
  });
});
