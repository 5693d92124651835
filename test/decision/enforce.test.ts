import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { enforce, type Decision, type Outcome, type PolicyVerdict } from '../../src/decision/index.ts';
import { policyOf, toSpec } from './arbitraries.ts';

const ADMIT: Decision = { kind: 'admit', breakGlass: false };
const BYPASS: Decision = { kind: 'admit', breakGlass: true };
const UNKNOWN: Decision = { kind: 'unknown', fact: 'signatures' };
const TAG: Decision = { kind: 'refuse', label: 'tag', sentence: 'tag latest not allowed: nginx' };
const KEV: Decision = {
  kind: 'refuse',
  label: 'known_exploited',
  sentence: 'known exploited: CVE-2021-44228',
};

const verdict = (name: string, enforcement: 'Audit' | 'Enforce', decision: Decision): PolicyVerdict => ({
  policy: policyOf(toSpec({ enforcement }), name),
  decision,
});

function recorded({ policy, ...outcome }: Outcome): object {
  return { ...outcome, policy: policy?.name ?? null };
}

const admitted = (policy: string | null): object => ({
  allowed: true,
  label: null,
  reason: '',
  policy,
  breakGlass: false,
});
const audited = (policy: string, label: string, sentence: string): object => ({
  allowed: true,
  label,
  reason: `audit mode: ${sentence}`,
  policy,
  breakGlass: false,
});
const refused = (policy: string, label: string, sentence: string): object => ({
  allowed: false,
  label,
  reason: sentence,
  policy,
  breakGlass: false,
});

const TABLE: readonly (readonly [name: string, verdicts: readonly PolicyVerdict[], outcome: object])[] = [
  ['no policy governs: admitted under none', [], admitted(null)],
  ['one policy admits: recorded under it', [verdict('a', 'Enforce', ADMIT)], admitted('a')],
  [
    'all admit: recorded under the first in name order',
    [verdict('b', 'Enforce', ADMIT), verdict('a', 'Audit', ADMIT)],
    admitted('a'),
  ],
  [
    'an enforcing refusal refuses',
    [verdict('a', 'Enforce', TAG)],
    refused('a', 'tag', 'tag latest not allowed: nginx'),
  ],
  [
    'an audit refusal is recorded and admits',
    [verdict('a', 'Audit', TAG)],
    audited('a', 'tag', 'tag latest not allowed: nginx'),
  ],
  [
    'the first enforcing refusal in name order speaks',
    [verdict('a', 'Enforce', ADMIT), verdict('c', 'Enforce', TAG), verdict('b', 'Enforce', KEV)],
    refused('b', 'known_exploited', 'known exploited: CVE-2021-44228'),
  ],
  [
    'an enforcing refusal goes before an audit refusal of an earlier name',
    [verdict('a', 'Audit', TAG), verdict('b', 'Enforce', KEV)],
    refused('b', 'known_exploited', 'known exploited: CVE-2021-44228'),
  ],
  [
    'the first audit refusal in name order is recorded',
    [verdict('c', 'Audit', KEV), verdict('b', 'Audit', TAG), verdict('a', 'Enforce', ADMIT)],
    audited('b', 'tag', 'tag latest not allowed: nginx'),
  ],
  [
    'names are ordered by code units, not by number',
    [verdict('p-10', 'Audit', KEV), verdict('p-9', 'Audit', TAG)],
    audited('p-10', 'known_exploited', 'known exploited: CVE-2021-44228'),
  ],
  [
    'a bypass of one policy does not bypass another',
    [verdict('a', 'Enforce', BYPASS), verdict('b', 'Enforce', KEV)],
    refused('b', 'known_exploited', 'known exploited: CVE-2021-44228'),
  ],
  [
    'a bypass is recorded under the policy that allows it',
    [verdict('a', 'Enforce', ADMIT), verdict('b', 'Enforce', BYPASS)],
    { ...admitted('b'), breakGlass: true },
  ],
  [
    'of two bypasses the first in name order is recorded',
    [verdict('b', 'Enforce', BYPASS), verdict('a', 'Audit', BYPASS)],
    { ...admitted('a'), breakGlass: true },
  ],
  [
    'a bypass is recorded before an audit refusal',
    [verdict('a', 'Audit', KEV), verdict('b', 'Enforce', BYPASS)],
    { ...admitted('b'), breakGlass: true },
  ],
  ['an open verdict neither refuses nor is recorded', [verdict('a', 'Enforce', UNKNOWN)], admitted('a')],
  [
    'an open verdict does not hide a refusal',
    [verdict('a', 'Enforce', UNKNOWN), verdict('b', 'Enforce', KEV)],
    refused('b', 'known_exploited', 'known exploited: CVE-2021-44228'),
  ],
  [
    'an open verdict does not hide an audit refusal',
    [verdict('a', 'Enforce', UNKNOWN), verdict('b', 'Audit', KEV)],
    audited('b', 'known_exploited', 'known exploited: CVE-2021-44228'),
  ],
];

suite('enforce', () => {
  for (const [name, verdicts, outcome] of TABLE) {
    test(name, () => {
      assert.deepEqual(recorded(enforce(verdicts)), outcome);
      assert.deepEqual(recorded(enforce(verdicts.toReversed())), outcome);
    });
  }
});
