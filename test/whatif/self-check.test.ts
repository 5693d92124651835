import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputsDigest, parseImageFacts } from '../../src/facts/index.ts';
import { check, DIGEST_A, finding, image, policyLine, row } from './ledger-text.ts';

const POLICY = policyLine('shop', 'rev-1', true, {});
const CRITICAL = image(DIGEST_A, [
  finding('CVE-2026-1', 'CRITICAL', { triaged_until: '2026-11-19T12:00:00Z' }),
]);

function inputs(quota: string | null = null): string {
  const subject = {
    digest: DIGEST_A,
    facts: parseImageFacts(CRITICAL),
    signals: [],
    exposedBy: null,
    quota,
    coldImagePolicy: 'AllowAndScan',
  } as const;
  return inputsDigest(subject, 'registry.example/app:1');
}

test('rows are told apart: reproduced, inputs changed, mismatch, unknown', async () => {
  const refused = {
    allowed: false,
    label: 'threshold',
    reason: 'vulnerabilities at or above CRITICAL: CVE-2026-1',
  };
  const result = await check({
    policies: [POLICY],
    images: [CRITICAL],
    rows: [
      row(7, { inputs: inputs(), time: '2026-11-19T12:00:00Z', ...refused }), // triage has just expired: refused, rightly
      row(6, { inputs: inputs() }), // still triaged then: admitted, rightly
      row(5, { inputs: inputs(), ...refused }), // triaged then, so this refusal was a defect
      row(4, { inputs: 'f'.repeat(64) }),
      row(3, { inputs: null }),
      row(2, { inputs: inputs(), policy_revision: 'gone' }),
      row(1, { inputs: inputs(), break_glass: true }),
    ],
  });
  const {
    checked,
    reproduced,
    inputs_changed: changed,
    mismatch,
    unknown,
    break_glass_skipped: skipped,
  } = result;
  assert.deepEqual(
    { checked, reproduced, changed, mismatch, unknown, skipped },
    { checked: 6, reproduced: 2, changed: 1, mismatch: 1, unknown: 2, skipped: 1 },
  );
  assert.deepEqual(
    result.mismatches.map(({ id, replayed }) => [id, replayed.allowed]),
    [[5, true]],
  );
});

test('a refusal by the meter is reproduced from its recorded sentence, audited or with suffixes', async () => {
  const sentence = 'node ceiling of 5 exceeded';
  const result = await check({
    policies: [POLICY],
    images: [CRITICAL],
    rows: [
      ...['', '; subresource ephemeralcontainers'].map((end, at) =>
        row(4 - at, {
          inputs: inputs(sentence),
          allowed: false,
          label: 'quota',
          reason: `${sentence}; break-glass did not count: policy shop does not allow it${end}`,
        }),
      ),
      row(2, { inputs: inputs(sentence), allowed: true, label: 'quota', reason: `audit mode: ${sentence}` }),
      row(1, {
        inputs: inputs(sentence),
        allowed: false,
        label: 'quota',
        reason: `${sentence}; subresource ephemeralcontainers`,
      }),
    ],
  });
  assert.deepEqual([result.reproduced, result.mismatch, result.inputs_changed], [4, 0, 0]);
});
