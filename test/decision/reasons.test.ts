import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { AUDIT_PREFIX, DENIAL_LABELS, isDenialLabel, labelOfSentence } from '../../src/decision/index.ts';

/** Sentences as ledgers hold them. */
const SENTENCES: readonly (readonly [sentence: string, label: string | null])[] = [
  ['registry not allowed: docker.io/library/nginx', 'registry'],
  ['tag latest not allowed: nginx', 'tag'],
  ['digest required: nginx:1.27', 'digest'],
  ['monthly allowance of 100 image names exceeded', 'quota'],
  ['node ceiling of 12 exceeded', 'quota'],
  ['not scanned yet: nginx:1.27', 'unscanned'],
  ['signature not verified: nginx:1.27', 'signature'],
  ['attestation missing: https://spdx.dev/Document', 'attestation'],
  ['vulnerabilities at or above CRITICAL: CVE-2024-3094', 'threshold'],
  ['vulnerabilities at or above LOW: CVE-2024-3094, CVE-2022-0778', 'threshold'],
  ['known exploited: CVE-2021-44228', 'known_exploited'],
  ['end of life OS: debian 10.13', 'end_of_life'],
  ['provenance: none recorded, level 2 required', 'provenance'],
  ['context privileged: vulnerabilities at or above HIGH: CVE-2022-0778', 'context'],
  ['context exposed by Service shop/web: known exploited: CVE-2021-44228', 'context'],
  ['context exposed by Ingress shop/front: end of life OS: debian 10.13', 'context'],
  ['context exposed: end of life OS: debian 10.13', 'context'],
  ['workload hardening: privileged, root', 'workload_hardening'],
  ['', null],
  ['denied by runtime: shell in a container', null],
  ['Registry not allowed: nginx', null],
  [' registry not allowed: nginx', null],
  ['known exploited', null],
  ['the image has vulnerabilities at or above HIGH: CVE-2022-0778', null],
  ['a known exploited: CVE-2021-44228', null],
];

suite('labelOfSentence', () => {
  for (const [sentence, label] of SENTENCES) {
    test(`${sentence || 'no sentence'} is of ${label ?? 'no label'}`, () => {
      assert.equal(labelOfSentence(sentence), label);
      assert.equal(labelOfSentence(AUDIT_PREFIX + sentence), label);
      assert.equal(labelOfSentence(`${sentence}; subresource ephemeralcontainers`), label);
      assert.equal(labelOfSentence(`${AUDIT_PREFIX}${sentence}; subresource ephemeralcontainers`), label);
    });
  }

  test('the prefix of audit mode is taken off once, at the beginning', () => {
    assert.equal(labelOfSentence(`${AUDIT_PREFIX}${AUDIT_PREFIX}known exploited: CVE-2021-44228`), null);
    assert.equal(labelOfSentence(`x ${AUDIT_PREFIX}known exploited: CVE-2021-44228`), null);
  });

  test('no text makes it throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const label = labelOfSentence(text);
        assert.ok(label === null || isDenialLabel(label) || label === 'workload_hardening');
      }),
    );
  });
});

test('the twelve labels stand in the order of the gates', () => {
  assert.deepEqual(DENIAL_LABELS, [
    'registry',
    'tag',
    'digest',
    'quota',
    'unscanned',
    'signature',
    'attestation',
    'threshold',
    'known_exploited',
    'end_of_life',
    'provenance',
    'context',
  ]);
  for (const text of ['workload_hardening', 'denied_by_runtime', 'runtime', '', 'toString'])
    assert.ok(!isDenialLabel(text));
});
