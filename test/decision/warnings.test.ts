import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decide, warningsOf } from '../../src/decision/index.ts';
import { parseImageFacts, type Subject } from '../../src/facts/index.ts';
import { parseReference, type ImageReference } from '../../src/image/index.ts';
import { NOW, policyOf, toSpec } from './arbitraries.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const finding = { cve: 'CVE-2023-4911', severity: 'HIGH', known_exploited: true };
const OLD = { family: 'debian', name: '10.13', eosl: true };

function subject(findings: unknown, more: Partial<Subject> = {}): Subject {
  return {
    reference: parseReference('ghcr.io/acme/web:1') as ImageReference,
    digest: DIGEST,
    facts: parseImageFacts({ digest: DIGEST, scan: { os: OLD, findings } }),
    signals: [],
    exposedBy: null,
    quota: null,
    coldImagePolicy: 'AllowAndScan',
    breakGlass: null,
    ...more,
  };
}

const EVERY = { digestEnforcement: 'warn', knownExploited: 'warn', endOfLifeOS: 'warn' };

suite('warningsOf', () => {
  test('gives what a policy warns of, in the order of the gates, while it admits', () => {
    const policy = policyOf(toSpec(EVERY));
    assert.equal(decide(policy, subject([finding]), NOW).kind, 'admit');
    assert.deepEqual(warningsOf(policy, subject([finding]), NOW), [
      'digest required: ghcr.io/acme/web:1',
      'known exploited: CVE-2023-4911',
      'end of life OS: debian 10.13',
    ]);
  });

  test('gives nothing of what is ignored or refused', () => {
    for (const word of ['ignore', 'block']) {
      const policy = policyOf(
        toSpec({
          knownExploited: word,
          endOfLifeOS: word,
          digestEnforcement: word === 'block' ? 'require' : word,
        }),
      );
      assert.deepEqual(warningsOf(policy, subject([finding]), NOW), [], word);
    }
  });

  test('a triaged finding warns of nothing', () => {
    const triaged = { ...finding, triaged_until: '2026-12-01T00:00:00Z' };
    assert.deepEqual(warningsOf(policyOf(toSpec({ endOfLifeOS: 'ignore' })), subject([triaged]), NOW), []);
  });

  test('unknown facts and a clean image warn of nothing', () => {
    const policy = policyOf(toSpec({ ...EVERY, digestEnforcement: 'ignore', endOfLifeOS: 'ignore' }));
    assert.deepEqual(warningsOf(policy, subject(null), NOW), []);
    assert.deepEqual(warningsOf(policy, subject([]), NOW), []);
  });

  test('a digest as written warns of nothing', () => {
    const reference = parseReference(`ghcr.io/acme/web@${DIGEST}`) as ImageReference;
    assert.deepEqual(
      warningsOf(
        policyOf(toSpec({ digestEnforcement: 'warn', endOfLifeOS: 'ignore' })),
        subject([], { reference }),
        NOW,
      ),
      [],
    );
  });
});
