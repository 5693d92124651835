import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime } from '../../src/base/index.ts';
import { toImageFactsDocument } from '../../src/facts/index.ts';
import { SIGNALS } from '../../src/policy/index.ts';
import { parseTests, runCase } from '../../src/policy-test/index.ts';
import { readCases, subjectOf, type DecisionCase } from '../decision/cases.ts';

/** A case of the decision in the words of a policy test; the facts of an image whose digest only a registry knows go by its name. */
function asTest(c: DecisionCase): string {
  const { expect } = c;
  const { facts: known } = subjectOf(c);
  const facts = known.digest === null ? null : known;
  const signals = c.signals?.filter((signal) => (SIGNALS as readonly string[]).includes(signal));
  return JSON.stringify({
    apiVersion: 'ipo.dev/v1',
    kind: 'PolicyTest',
    policy: c.policyPath,
    cases: [
      {
        name: c.sentence,
        at: formatTime(c.atMs),
        given: {
          image: c.image,
          namespace: c.namespace,
          ...(signals !== undefined && { signals }),
          ...(c.exposed_by !== null && { exposedBy: c.exposed_by }),
          ...(c.quota !== null && { quota: c.quota }),
          ...(c.break_glass !== null && { breakGlass: c.break_glass }),
          coldImagePolicy: c.cold_image_policy,
          ...(facts !== null && { facts: { ...toImageFactsDocument(facts), names: [c.image] } }),
        },
        expect:
          expect.verdict === 'admit'
            ? 'allowed'
            : expect.verdict === 'unknown'
              ? { undecided: expect.fact }
              : { label: expect.label, sentence: expect.sentence },
      },
    ],
  });
}

test('every case of the decision is answered alike by a policy test, and no other answer passes', () => {
  let ran = 0;
  for (const c of readCases()) {
    // A pod without signals would be judged for its hardening too, which is no part of the case.
    const { policy } = c.policy;
    if (policy.spec.workloadHardening !== 'ignore') continue;
    const [one] = parseTests(asTest(c), 'case.test.json').cases;
    assert.ok(one, c.name);
    const sources = { policies: [policy], manifests: [], reports: [], ledger: null, kev: null, now: 0 };
    const { passed, why, answered } = runCase(one, sources);
    assert.ok(passed, `${c.name}: ${why} ${JSON.stringify(answered)}`);
    const other =
      c.expect.verdict === 'admit' ? { kind: 'denied', label: 'tag', sentence: null } : { kind: 'allowed' };
    assert.equal(runCase({ ...one, expected: other as typeof one.expected }, sources).passed, false, c.name);
    ran += 1;
  }
  assert.ok(ran > 300, `${ran} cases`);
});
