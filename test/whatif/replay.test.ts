import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ask, DIGEST_A, DIGEST_B, finding, image, policyLine, row } from './ledger-text.ts';

const CRITICAL = image(DIGEST_A, [finding('CVE-2026-1', 'CRITICAL'), finding('CVE-2026-2', 'HIGH')]);
const refused = {
  allowed: false,
  review_allowed: false,
  label: 'threshold',
  reason: 'vulnerabilities at or above CRITICAL: CVE-2026-1',
};

describe('what changed', () => {
  test('recorded allowed and the draft refuses: would_deny, with the draft’s own sentence', async () => {
    const result = await ask({}, { images: [CRITICAL], rows: [row(1)] });
    assert.equal(result.would_deny, 1);
    assert.deepEqual(result.would_deny_by_reason, { threshold: 1 });
    assert.deepEqual(result.samples[0]?.draft, {
      allowed: false,
      label: 'threshold',
      reason: 'vulnerabilities at or above CRITICAL: CVE-2026-1',
    });
    assert.deepEqual(result.samples[0]?.recorded, { allowed: true, label: null, reason: '', policy: 'shop' });
  });

  test('recorded refused and the draft admits: would_allow under the recorded label', async () => {
    const result = await ask({ severityThreshold: 'NONE' }, { images: [CRITICAL], rows: [row(1, refused)] });
    assert.equal(result.would_allow, 1);
    assert.deepEqual(result.would_allow_by_reason, { threshold: 1 });
  });

  test('without a label the sentence gives it, and what cannot be recovered is other', async () => {
    const rows = [
      row(3, {
        ...refused,
        label: null,
        reason:
          'context exposed by Service shop/web: known exploited: CVE-1; subresource ephemeralcontainers',
      }),
      row(2, { ...refused, label: null, reason: 'something of old' }),
      row(1, { ...refused, label: null, reason: 'node ceiling of 5 exceeded' }),
    ];
    const { would_allow_by_reason: byReason } = await ask(
      { severityThreshold: 'NONE' },
      { images: [CRITICAL], rows },
    );
    assert.deepEqual(Object.entries(byReason), [
      ['quota', 1],
      ['context', 1],
      ['other', 1],
    ]);
  });

  test('an audit draft is replayed as if enforcing, and notes say so', async () => {
    const result = await ask({ enforcement: 'Audit' }, { images: [CRITICAL], rows: [row(1)] });
    assert.equal(result.would_deny, 1);
    assert.ok(result.notes.some((note) => note.includes('Audit')));
  });

  test('covered rows whose clock was suspect are decided as any, and the notes say how many there are', async () => {
    const rows = [row(3), row(2, { clock_suspect: true }), row(1, { clock_suspect: true })];
    const result = await ask({}, { images: [CRITICAL], rows });
    assert.equal(result.would_deny, 3);
    assert.ok(result.notes.some((note) => note.startsWith('2 covered rows are marked clock_suspect: ')));
    const plain = await ask({}, { images: [CRITICAL], rows: [row(1)] });
    assert.ok(!plain.notes.some((note) => note.includes('clock_suspect')));
  });

  test('a recorded audit row counts as allowed', async () => {
    const audited = {
      reason: 'audit mode: vulnerabilities at or above CRITICAL: CVE-2026-1',
      label: 'threshold',
    };
    const rows = [row(1, audited)];
    assert.equal((await ask({}, { images: [CRITICAL], rows })).would_deny, 1);
    assert.equal((await ask({ severityThreshold: 'NONE' }, { images: [CRITICAL], rows })).unchanged, 1);
  });

  test('a refused quota row shows as would_allow under quota', async () => {
    const rows = [
      row(1, { ...refused, label: 'quota', reason: 'monthly allowance of 100 image names exceeded' }),
    ];
    const result = await ask({ severityThreshold: 'NONE' }, { rows });
    assert.deepEqual(result.would_allow_by_reason, { quota: 1 });
    assert.deepEqual([result.baseline.input_drift, result.baseline.drift_unknown], [0, 0]);
  });
});

describe('which rows are covered', () => {
  test('only kind review, carrying an image, not of a pod as a whole', async () => {
    const rows = [
      row(5, { kind: 'unreviewed' }),
      row(4, { kind: 'reconcile' }),
      row(3, {
        image: null,
        digest: null,
        pod_level: true,
        allowed: false,
        label: 'workload_hardening',
        reason: 'workload hardening: root',
      }),
      row(2, { kind: undefined }),
      row(1),
    ];
    assert.equal((await ask({}, { rows })).evaluated, 2);
  });

  test('only in the namespaces that the draft governs', async () => {
    const rows = [row(2, { namespace: 'other' }), row(1)];
    assert.equal((await ask({ targetNamespaces: ['shop'] }, { rows })).evaluated, 1);
    assert.equal((await ask({}, { rows })).evaluated, 2);
  });

  test('the period is closed on both sides: as_of - days × 24h and as_of itself', async () => {
    const rows = [
      row(5, { time: '2026-11-20T06:00:00.001Z' }),
      row(4, { time: '2026-11-20T06:00:00Z' }),
      row(3, { time: '2026-11-19T06:00:00Z' }),
      row(2, { time: '2026-11-19T05:59:59.999Z' }),
      row(1, { time: '2026-11-19T08:00:00+02:00' }),
    ];
    const result = await ask({}, { rows }, { days: 1 });
    assert.equal(result.evaluated, 3);
    assert.equal((await ask({}, { rows }, { days: 1, asOf: '2026-11-20T06:00:00.001Z' })).evaluated, 2);
  });

  test('microseconds count at the edges', async () => {
    const rows = [
      row(4, { time: '2026-11-20T06:00:00.000001Z' }),
      row(3, { time: '2026-11-20T06:00:00.000000Z' }),
      row(2, { time: '2026-11-19T06:00:00.000000Z' }),
      row(1, { time: '2026-11-19T05:59:59.999999Z' }),
    ];
    assert.equal((await ask({}, { rows }, { days: 1 })).evaluated, 2);
    const later = await ask(
      {},
      { header: { exported_at: '2026-11-20T06:00:00.000001Z' }, rows },
      { days: 1 },
    );
    assert.deepEqual([later.evaluated, later.as_of], [2, '2026-11-20T06:00:00.000001Z']);
  });

  test('a row out of the order of time is found where it stands', async () => {
    const rows = [row(3), row(2, { time: '2026-01-01T00:00:00Z' }), row(1)];
    assert.equal((await ask({}, { rows })).evaluated, 2);
  });

  test('break-glass rows are counted, not decided, and their reference need not parse', async () => {
    const rows = [row(2, { break_glass: true, break_glass_reason: 'outage', image: 'NOT//valid' }), row(1)];
    const result = await ask({}, { images: [CRITICAL], rows });
    assert.deepEqual([result.break_glass_skipped, result.evaluated], [1, 1]);
    assert.equal(result.not_evaluated.count, 0);
  });
});

describe('the limit', () => {
  const rows = Array.from({ length: 10 }, (_, i) => row(10 - i));

  test('exactly the limit and no more is not truncated', async () => {
    const result = await ask({}, { rows }, { limit: 10 });
    assert.deepEqual([result.evaluated, result.truncated], [10, false]);
  });

  test('one covered row more is truncated', async () => {
    const result = await ask({}, { rows }, { limit: 9 });
    assert.deepEqual([result.evaluated, result.truncated], [9, true]);
    assert.ok(result.notes.some((note) => note.includes('newest 9')));
  });

  test('a break-glass row left out truncates, and is not counted', async () => {
    const more = [...rows.slice(0, 9), row(1, { break_glass: true })];
    const result = await ask({}, { rows: more }, { limit: 9 });
    assert.deepEqual([result.evaluated, result.truncated, result.break_glass_skipped], [9, true, 0]);
  });

  test('rows that are not covered do not truncate', async () => {
    const more = [...rows.slice(0, 9), row(1, { kind: 'reconcile' })];
    assert.equal((await ask({}, { rows: more }, { limit: 9 })).truncated, false);
  });

  test('0 replays all, and what cannot be decided does not count against the limit', async () => {
    assert.equal((await ask({}, { rows }, { limit: 0 })).evaluated, 10);
    const more = [row(11, { image: 'UPPER CASE' }), ...rows];
    const result = await ask({}, { rows: more }, { limit: 10 });
    assert.deepEqual([result.evaluated, result.not_evaluated.count, result.truncated], [10, 1, false]);
  });

  test('however the bytes come, damage behind enough rows is not met, and damage before is', async () => {
    const { toText } = await import('./ledger-text.ts');
    const good = toText({ header: { rows: null }, rows });
    for (const damage of ['{"damaged\n', '\n', '\ud800'.toWellFormed().repeat(3)]) {
      for (const chunk of [7, 100, 3000, 1_000_000]) {
        assert.equal((await ask({}, good + damage, { limit: 9, chunk })).truncated, true);
        await assert.rejects(ask({}, good + damage, { limit: 10, chunk }), { code: /damaged|truncated/ });
      }
    }
  });

  test('reading stops when there are enough: damage further down is not met', async () => {
    const { toText } = await import('./ledger-text.ts');
    const padding = 'x'.repeat(4000);
    const long = Array.from({ length: 500 }, (_, i) => row(500 - i, { requester: padding }));
    const text = `${toText({ header: { rows: 501 }, rows: long })}{"damaged\n`;
    assert.equal((await ask({}, text, { limit: 5, chunk: 10_000 })).truncated, true);
    await assert.rejects(ask({}, text, { limit: 0, chunk: 10_000 }), { code: 'damaged' });
  });
});

describe('facts', () => {
  test('the digest of the reference stands in for a null one', async () => {
    const rows = [row(1, { image: `registry.example/app@${DIGEST_A}`, digest: null })];
    const result = await ask({}, { images: [CRITICAL], rows });
    assert.deepEqual([result.would_deny, result.distinct_images], [1, 1]);
    assert.equal(result.samples[0]?.digest, DIGEST_A);
  });

  test('an image without a scan record is decided by the draft’s timing, else the installation’s', async () => {
    const rows = [row(1)];
    const cold = { header: { cold_image_policy: 'DenyUntilScanned' }, rows };
    assert.equal((await ask({}, { rows })).unchanged, 1);
    assert.deepEqual((await ask({}, cold)).would_deny_by_reason, { unscanned: 1 });
    assert.equal((await ask({ admissionTiming: 'AllowAndScan' }, cold)).unchanged, 1);
    assert.deepEqual((await ask({ admissionTiming: 'DenyUntilScanned' }, { rows })).would_deny_by_reason, {
      unscanned: 1,
    });
  });

  test('unscanned lists distinct digests, most rows first, ties by digest, the image of the newest row', async () => {
    const rows = [
      row(4, { digest: DIGEST_B, image: 'registry.example/b:2' }),
      row(3, { digest: DIGEST_B, image: 'registry.example/b:1' }),
      row(2, { image: 'registry.example/none:1', digest: null }),
      row(1),
    ];
    const result = await ask({}, { rows });
    assert.deepEqual(result.unscanned, [
      { digest: DIGEST_B, image: 'registry.example/b:2', rows: 2 },
      { digest: DIGEST_A, image: 'registry.example/app:1', rows: 1 },
    ]);
    assert.deepEqual([result.unscanned_total, result.distinct_images], [2, 2]);
  });

  test('what cannot be decided is counted by reason and in nothing else', async () => {
    const unknown = image(DIGEST_A, null);
    const rows = [row(2, { image: 'Bad Reference' }), row(1)];
    const result = await ask({}, { images: [unknown], rows });
    assert.deepEqual(result.not_evaluated, {
      count: 2,
      by_reason: { findings_unknown: 1, reference_invalid: 1 },
    });
    assert.deepEqual([result.evaluated, result.unchanged, result.distinct_images], [0, 0, 0]);
    assert.deepEqual([result.baseline.missing, result.baseline.drift_unknown], [0, 0]);
    assert.equal((await ask({ severityThreshold: 'NONE' }, { images: [unknown], rows })).evaluated, 1);
  });

  test('a recorded beginning of an image id is not evaluated, as a whole id is not', async () => {
    const ids = ['sha256:3f8a1245aaaa', `sha256:${'a'.repeat(63)}`, 'a'.repeat(64)];
    const { not_evaluated, evaluated } = await ask(
      {},
      { rows: ids.map((id, i) => row(ids.length - i, { image: id })) },
    );
    assert.deepEqual([evaluated, not_evaluated.by_reason], [0, { reference_invalid: 3 }]);
  });

  test('triage is judged at as_of', async () => {
    const triaged = image(DIGEST_A, [
      finding('CVE-2026-1', 'CRITICAL', { triaged_until: '2026-11-20T06:00:00Z' }),
    ]);
    const text = { images: [triaged], rows: [row(1)] };
    assert.equal((await ask({}, text)).would_deny, 1, 'one that ends exactly then has expired');
    assert.equal((await ask({}, text, { asOf: '2026-11-20T05:59:59.999Z' })).would_deny, 0);
  });
});

describe('what was odd', () => {
  test('triage covers a CVE for the image, whichever of its findings says so', async () => {
    const twice = [
      finding('CVE-1', 'CRITICAL'),
      finding('CVE-1', 'CRITICAL', { package: 'q', triaged_until: '2027-01-01T00:00:00Z' }),
    ];
    assert.equal((await ask({}, { images: [image(DIGEST_A, twice)], rows: [row(1)] })).would_deny, 0);
  });

  test('a reference with a sha512 digest parses; facts are kept only by sha256', async () => {
    const rows = [row(1, { image: `registry.example/app@sha512:${'f'.repeat(128)}`, digest: null })];
    const result = await ask({ digestEnforcement: 'require' }, { rows });
    assert.deepEqual(
      [result.evaluated, result.unchanged, result.distinct_images, result.unscanned_total],
      [1, 1, 1, 1],
    );
  });

  test('an empty label counts as none, an empty exposure too, and times come out as UTC', async () => {
    const odd = row(1, {
      ...refused,
      label: '',
      reason: 'digest required: x',
      exposed_by: '',
      signals: ['exposed'],
      time: '2026-11-19T08:30:00.5+02:00',
    });
    const result = await ask({ severityThreshold: 'NONE' }, { rows: [odd] });
    assert.deepEqual(result.would_allow_by_reason, { digest: 1 });
    assert.equal(result.samples[0]?.time, '2026-11-19T06:30:00.500Z');
    const high = image(DIGEST_A, [finding('CVE-2', 'HIGH')]);
    const escalated = await ask(
      { deploymentContext: { mode: 'Escalate' } },
      { images: [high], rows: [{ ...odd, allowed: true, reason: '' }] },
    );
    assert.equal(
      escalated.samples[0]?.draft.reason,
      'context exposed: vulnerabilities at or above HIGH: CVE-2',
    );
  });

  test('pods that UTF-8 cannot hold have digests of their own', async () => {
    const digests = await Promise.all(
      ['p\ud800', 'p\udbff', 'p\ufffd', null].map(
        async (pod) => (await ask({}, { rows: [row(1, { pod })] })).inputs_digest,
      ),
    );
    assert.equal(new Set(digests).size, 4);
  });
});

describe('context', () => {
  const rows = [
    row(3, { signals: ['root', 'exposed', 'unheard'], exposed_by: 'Service shop/web' }),
    row(2, { signals: null }),
    row(1, { signals: [] }),
  ];
  const high = image(DIGEST_A, [finding('CVE-2026-2', 'HIGH')]);

  test('every signal is counted under either mode, unknown names are left out', async () => {
    const { context } = await ask({}, { images: [high], rows });
    assert.deepEqual(context.signals, {
      privileged: 0,
      root: 1,
      hostNamespace: 0,
      hostFilesystem: 0,
      capabilities: 0,
      exposed: 1,
    });
    assert.deepEqual([context.mode, context.rows_without_context], ['Ignore', 1]);
    assert.match(context.note ?? '', /0020/);
    assert.equal('note' in (await ask({}, { rows: [row(1)] })).context, false);
  });

  test('escalated denials are those with the label context', async () => {
    const result = await ask(
      { deploymentContext: { mode: 'Escalate', signals: ['exposed'] } },
      { images: [high], rows },
    );
    assert.equal(result.context.escalated_denials, 1);
    assert.equal(
      result.samples[0]?.draft.reason,
      'context exposed by Service shop/web: vulnerabilities at or above HIGH: CVE-2026-2',
    );
  });
});

describe('the baseline', () => {
  const inForce = policyLine('shop', 'rev-1', true, { enforcement: 'Enforce' });

  test('policy_effect compares with the policy in effect on the same inputs', async () => {
    // Recorded as admitted, but a scan since then found a critical: drift, not an effect of the edit.
    const result = await ask({}, { policies: [inForce], images: [CRITICAL], rows: [row(1)] });
    assert.equal(result.would_deny, 1);
    assert.deepEqual(result.baseline, {
      policy_effect: { would_deny: 0, would_allow: 0 },
      missing: 0,
      input_drift: 1,
      drift_unknown: 0,
    });
  });

  test('a source is compared with whatever policy the rows name', async () => {
    const strict = policyLine('strict', 'rev-9', true, { severityThreshold: 'LOW' });
    const text = {
      policies: [inForce, strict],
      images: [image(DIGEST_A, [finding('CVE-1', 'LOW')])],
      rows: [row(1)],
    };
    const result = await ask({}, text, { source: 'strict' });
    assert.deepEqual(result.baseline.policy_effect, { would_deny: 0, would_allow: 1 });
    assert.deepEqual(result.policy_changes, [
      { path: 'spec.severityThreshold', before: 'LOW', after: 'CRITICAL' },
    ]);
  });

  test('an unknown source is refused with the nearest name', async () => {
    await assert.rejects(ask({}, { policies: [inForce], rows: [] }, { source: 'shoop' }), {
      code: 'unknown_source',
      hint: 'Did you mean "shop"?',
    });
  });

  test('a policy in effect that does not govern the namespace admits', async () => {
    const elsewhere = policyLine('shop', 'rev-1', true, {
      targetNamespaces: ['elsewhere'],
      severityThreshold: 'LOW',
    });
    const result = await ask({}, { policies: [elsewhere], images: [CRITICAL], rows: [row(1)] });
    assert.deepEqual(result.baseline.policy_effect, { would_deny: 1, would_allow: 0 });
  });

  test('no policy in effect: missing; one that cannot decide: missing too', async () => {
    const rows = [row(2), row(1, { policy: null })];
    const old = policyLine('shop', 'rev-1', false, {});
    assert.equal((await ask({}, { policies: [old], rows })).baseline.missing, 2);
    const asks = policyLine('shop', 'rev-1', true, {
      provenance: { minLevel: 1, trustedBuilders: [{ id: 'b', level: 1 }] },
    });
    const text = { policies: [asks], images: [image(DIGEST_A, [], { provenance: null })], rows };
    assert.deepEqual((await ask({}, text)).baseline, {
      policy_effect: { would_deny: 0, would_allow: 0 },
      missing: 2,
      input_drift: 0,
      drift_unknown: 2,
    });
  });

  test('a revision is looked up by itself, whatever name its line carries; its namespaces are not asked', async () => {
    const renamed = policyLine('other-name', 'rev-1', false, {
      targetNamespaces: ['elsewhere'],
      enforcement: 'Audit',
    });
    const result = await ask({}, { policies: [renamed], images: [CRITICAL], rows: [row(1)] });
    assert.deepEqual([result.baseline.input_drift, result.baseline.drift_unknown], [1, 0]);
  });

  test('drift: an audit row’s verdict is its refusal; no revision is unknown', async () => {
    const audited = {
      reason: 'audit mode: vulnerabilities at or above CRITICAL: CVE-2026-1',
      label: 'threshold',
    };
    const rows = [row(3, audited), row(2, { policy_revision: '' }), row(1, { policy_revision: 'gone' })];
    const { baseline } = await ask({}, { policies: [inForce], images: [CRITICAL], rows });
    assert.deepEqual([baseline.input_drift, baseline.drift_unknown], [0, 2]);
  });

  test('a recorded document of an earlier release, with fields that are gone, still compares', async () => {
    const old = policyLine('shop', 'rev-1', true, {
      runtime: { rules: [] },
      severityThreshold: 'LOW',
      sla: { critical: '24h', legacy: 1 },
    });
    const text = { policies: [old], images: [image(DIGEST_A, [finding('CVE-1', 'LOW')])], rows: [row(1)] };
    assert.deepEqual((await ask({}, text)).baseline.policy_effect, { would_deny: 0, would_allow: 1 });
  });
});

describe('lists', () => {
  test('at most 200 samples, most recent first; groups hold every changed row', async () => {
    const rows = Array.from({ length: 300 }, (_, i) => row(300 - i));
    const result = await ask({}, { images: [CRITICAL], rows });
    assert.equal(result.samples.length, 200);
    assert.deepEqual([result.samples[0]?.id, result.samples[199]?.id], [300, 101]);
    assert.deepEqual(
      result.groups.map(({ workload, rows: count, label }) => [workload, count, label]),
      [['web', 300, 'threshold']],
    );
    assert.deepEqual(result.by_day, [
      { date: '2026-11-19', evaluated: 300, would_deny: 300, would_allow: 0 },
    ]);
  });

  test('hostile names are kept as they are and set nothing else off', async () => {
    const rows = [
      row(2, { ...refused, label: '__proto__', pod: 'a\u0000b"\\\n', namespace: 'constructor' }),
      row(1, { ...refused, label: 'constructor', container: '💥' }),
    ];
    const result = await ask({ severityThreshold: 'NONE' }, { rows });
    assert.deepEqual(Object.keys(result.would_allow_by_reason), ['__proto__', 'constructor']);
    assert.equal(JSON.parse(JSON.stringify(result)).samples[0].pod, 'a\u0000b"\\\n');
  });
});
