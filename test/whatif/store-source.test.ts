import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readExport } from '../../src/ledger/index.ts';
import { FactsCache } from '../../src/store/ledger/recorded-facts.ts';
import { replaySource } from '../../src/store/replay/source.ts';
import { runSelfCheck, runWhatIf, sourceOf, type WhatIfRequest } from '../../src/whatif/index.ts';
import { arbitraryPolicySpec, NOW, policyOf } from '../decision/arbitraries.ts';
import { runs } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { arbitraryMade, bytesOf, empty, exported, fill, treeOf, type Made } from '../store/made-ledger.ts';

interface Asked {
  readonly made: Made;
  readonly request: WhatIfRequest;
}

const asked: fc.Arbitrary<Asked> = arbitraryMade.chain((made) =>
  fc.record({
    made: fc.constant(made),
    request: fc.record({
      draft: fc
        .tuple(arbitraryPolicySpec(), fc.constantFrom('first', 'second', 'draft'))
        .map(([spec, name]) => policyOf(spec, name)),
      asOf: fc.constantFrom(NOW, NOW - 86_400_000, NOW - 1.5),
      days: fc.constantFrom(1, 7, 30, 90),
      limit: fc.constantFrom(0, 1, 5, 5000),
      source: fc.constantFrom(null, ...made.current.map(({ name }) => name)),
    }),
  }),
);

/** Both engines are asked the same, so that their exports and answers can be held against each other. */
const ASKED = fc.sample(asked, { numRuns: runs(120), seed: 20_261_120 });
const answers = new Map<number, string>();

forEachEngine('what-if over a store', (engine) => {
  test('the same draft over the same ledger gives the same bytes from an export and from the store', async (t) => {
    const store = await engine.open(t);
    const cache = new FactsCache();
    let replayed = 0;
    for (const [i, { made, request }] of ASKED.entries()) {
      await empty(store);
      await fill(store, made);
      const { coldImagePolicy } = made;
      const tree = i % 4 === 0 ? await treeOf(store) : null;
      const text = await exported(store, { coldImagePolicy, tree });
      const ledger = (): ReturnType<typeof readExport> => readExport(bytesOf(text), 'ledger.ndjson');
      const source = await replaySource(store, { coldImagePolicy, facts: cache });
      const offline = await runWhatIf(request, sourceOf(await ledger()));
      const bytes = JSON.stringify(await runWhatIf(request, source));
      assert.equal(bytes, JSON.stringify(offline));
      const check = JSON.stringify(await runSelfCheck(request, source));
      assert.equal(check, JSON.stringify(await runSelfCheck(request, sourceOf(await ledger()))));
      replayed += offline.evaluated;
      const whole = `${tree === null ? text : ''}\n${bytes}\n${check}`;
      assert.equal(answers.get(i) ?? whole, whole, 'both engines give the same export and the same answer');
      answers.set(i, whole);
    }
    assert.ok(replayed > 2 * ASKED.length, `${replayed} rows were decided`);
  });

  test('facts that change between two replays are seen by the second', async (t) => {
    const store = await engine.open(t);
    const cache = new FactsCache();
    const [{ made, request }] = ASKED.filter(({ made }) => made.facts.some(({ scan }) => scan !== null)) as [
      Asked,
    ];
    await fill(store, made);
    const options = { coldImagePolicy: made.coldImagePolicy, facts: cache };
    const [facts] = made.facts as [Readonly<Record<string, unknown>>];
    const first = await replaySource(store, options);
    await runWhatIf(request, first);
    const scan = { scanned_at: null, scanner: null, os: null, findings: [] };
    await fill(store, { ...made, rows: [], current: [], facts: [{ ...facts, scan }] });
    const [second, fresh] = [
      await replaySource(store, options),
      await replaySource(store, { ...options, facts: new FactsCache() }),
    ];
    const all = { ...request, limit: 0, days: 90, asOf: NOW };
    assert.deepEqual(await runWhatIf(all, second), await runWhatIf(all, fresh));
    for (const { digest } of made.facts) {
      assert.deepEqual(second.facts(digest as string), fresh.facts(digest as string));
    }
  });

  test('a source that is unknown is told with the policies in effect', async (t) => {
    const store = await engine.open(t);
    const { made, request } = ASKED.find(({ made: { current } }) => current.length === 2) as Asked;
    await fill(store, made);
    const source = await replaySource(store, { coldImagePolicy: 'AllowAndScan' });
    await assert.rejects(runWhatIf({ ...request, source: 'firts' }, source), {
      code: 'unknown_source',
      hint: 'Did you mean "first"?',
    });
  });
});
