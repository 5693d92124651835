import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RECIPES } from '../../fixtures/decisions/recipes.ts';
import { AUDIT_PREFIX, decide, DENIAL_LABELS, enforce, labelOfSentence } from '../../src/decision/index.ts';
import { readExport } from '../../src/ledger/index.ts';
import { runWhatIf, sourceOf } from '../../src/whatif/index.ts';
import { checked } from './check-door.ts';
import { CASES, proofNames, readCases, subjectOf, type DecisionCase, type Verdict } from './cases.ts';
import { bytesOf, exportOf } from './replay-door.ts';
import { throughWebhook } from './webhook-door.ts';

const cases = readCases();

/** The answer to a case in the words of `case.json`. */
function answerOf(c: DecisionCase): Verdict & { break_glass?: true } {
  const decision = decide(c.policy.policy, subjectOf(c), c.atMs);
  switch (decision.kind) {
    case 'admit':
      return { verdict: 'admit', ...(decision.breakGlass && { break_glass: true as const }) };
    case 'refuse':
      return { verdict: 'refuse', label: decision.label, sentence: decision.sentence };
    case 'unknown':
      return { verdict: 'unknown', fact: decision.fact };
  }
}

function withoutReplay({ replayed: _replayed, ...expected }: DecisionCase['expect']): object {
  return expected;
}

suite('each case through decide', () => {
  for (const c of cases) {
    test(`${c.name}: ${c.sentence}`, () => {
      assert.deepEqual(answerOf(c), withoutReplay(c.expect));
    });
  }
});

suite('each refusal as it is answered and recorded', () => {
  for (const c of cases) {
    if (c.expect.verdict !== 'refuse') continue;
    const { label, sentence } = c.expect;
    test(`${c.name}: ${c.sentence}`, () => {
      const decision = decide(c.policy.policy, subjectOf(c), c.atMs);
      const under = (enforcement: 'Audit' | 'Enforce') => ({
        ...c.policy.policy,
        spec: { ...c.policy.policy.spec, enforcement },
      });
      const enforced = enforce([{ policy: under('Enforce'), decision }]);
      assert.deepEqual([enforced.allowed, enforced.label, enforced.reason], [false, label, sentence]);
      const audited = enforce([{ policy: under('Audit'), decision }]);
      assert.deepEqual(
        [audited.allowed, audited.label, audited.reason],
        [true, label, `audit mode: ${sentence}`],
      );
      for (const recorded of [
        sentence,
        AUDIT_PREFIX + sentence,
        `${sentence}; subresource ephemeralcontainers`,
      ]) {
        assert.equal(labelOfSentence(recorded), label);
      }
    });
  }
});

suite('each case through ipo check', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'ipo-cases-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  for (const c of cases) {
    test(`${c.name}: ${c.sentence}`, async () => {
      const ledger = join(folder, `${c.name}.ndjson`);
      writeFileSync(ledger, await exportOf(c, null));
      assert.deepEqual(await checked(c, ledger, folder), withoutReplay(c.expect));
    });
  }
});

suite('each case through the webhook', () => {
  for (const c of cases) {
    test(`${c.name}: ${c.sentence}`, async () => {
      const { answer, allowed, rows } = await throughWebhook(c);
      assert.deepEqual(answer, withoutReplay(c.expect));
      if (c.expect.verdict !== 'unknown') assert.equal(allowed, c.expect.verdict === 'admit');
      assert.equal(rows[0]?.review_allowed, allowed);
    });
  }
});

suite('each case through the replay', () => {
  for (const c of cases) {
    test(`${c.name}: ${c.sentence}`, async () => {
      const expected = c.expect.replayed ?? c.expect;
      for (const allowed of c.expect.break_glass ? [true] : [true, false]) {
        const ledger = await readExport(bytesOf(await exportOf(c, allowed)), 'case.ndjson');
        const options = { draft: c.policy.policy, asOf: c.atMs, days: 30, limit: 5000, source: null };
        const result = await runWhatIf(options, sourceOf(ledger));
        assert.equal(result.unchanged + result.would_deny + result.would_allow, result.evaluated);
        if (c.expect.break_glass) {
          // "Break-glass rows are excluded and counted."
          assert.deepEqual([result.break_glass_skipped, result.evaluated], [1, 0]);
          continue;
        }
        assert.equal(result.break_glass_skipped, 0);
        if (expected.verdict === 'unknown') {
          assert.equal(result.evaluated, 0);
          assert.deepEqual(result.not_evaluated, {
            count: 1,
            by_reason: { [`${expected.fact}_unknown`]: 1 },
          });
          continue;
        }
        assert.deepEqual(result.not_evaluated, { count: 0, by_reason: {} });
        const denies = expected.verdict === 'refuse' && allowed;
        const allows = expected.verdict === 'admit' && !allowed;
        assert.deepEqual([result.would_deny, result.would_allow], [Number(denies), Number(allows)]);
        const label = expected.verdict === 'refuse' ? expected.label : '';
        assert.deepEqual(result.would_deny_by_reason, denies ? { [label]: 1 } : {});
        // "A row once refused for the monthly allowance shows as would-allow under quota."
        assert.deepEqual(
          result.would_allow_by_reason,
          allows ? { [c.quota === null ? 'other' : 'quota']: 1 } : {},
        );
        assert.equal(result.context.escalated_denials, label === 'context' ? 1 : 0);
        assert.equal(result.context.rows_without_context, c.signals === null ? 1 : 0);
        if (denies && expected.verdict === 'refuse') {
          assert.deepEqual(result.samples[0]?.draft, { allowed: false, label, reason: expected.sentence });
        }
      }
    });
  }
});

suite('the table of cases', () => {
  test('every label is refused by at least three cases, and no name or sentence stands twice', () => {
    const counts = new Map<string, number>();
    for (const { expect } of cases) {
      if (expect.verdict === 'refuse') counts.set(expect.label, (counts.get(expect.label) ?? 0) + 1);
    }
    assert.deepEqual([...counts.keys()].toSorted(), [...DENIAL_LABELS].toSorted());
    assert.ok(
      [...counts.values()].every((count) => count >= 3),
      JSON.stringify([...counts]),
    );
    assert.equal(new Set(cases.map(({ sentence }) => sentence)).size, cases.length);
    assert.ok(cases.length >= 140);
  });

  test('every proof is what its recipe says', () => {
    for (const { name, about, key, payload, shown, payloadType } of RECIPES) {
      const proof = JSON.parse(readFileSync(join(CASES, 'proofs', `${name}.json`), 'utf8')) as Record<
        string,
        string
      >;
      const found = Buffer.from(proof.payload ?? '', 'base64').toString('utf8');
      const said = shown ?? payload;
      assert.equal(found, typeof said === 'string' ? said : JSON.stringify(said), name);
      assert.deepEqual([proof.about, proof.key, proof.payload_type], [about, key, payloadType], name);
    }
  });

  test('every proof is used by a case', () => {
    const used = new Set(cases.flatMap(({ facts }) => proofNames(facts)));
    const made = readdirSync(join(CASES, 'proofs')).map((name) => name.replace(/\.json$/, ''));
    assert.deepEqual([...used].toSorted(), made.toSorted());
    assert.deepEqual(RECIPES.map(({ name }) => name).toSorted(), made.toSorted());
  });
});
