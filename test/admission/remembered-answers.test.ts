import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answerImage } from '../../src/admission/review-image.ts';
import { parseImageFacts } from '../../src/facts/index.ts';
import { parseReference } from '../../src/image/index.ts';
import { runs } from '../runs.ts';
import { AT, DIGEST, policyOf } from './reviews.ts';
import type { PodContext } from '../../src/admission/image-answer.ts';

const finding = (cve: string, triagedUntil: number | null): object => ({
  cve,
  severity: 'HIGH',
  package: 'openssl',
  installed: '3.0.1',
  fixed: '3.0.2',
  known_exploited: true,
  triaged_until: triagedUntil === null ? null : new Date(triagedUntil).toISOString(),
});
const scanOf = (...findings: object[]): object => ({ digest: DIGEST, scan: { os: null, findings } });
const FACTS = [
  { digest: DIGEST },
  scanOf(),
  scanOf(finding('CVE-2024-1', null)),
  scanOf(finding('CVE-2024-1', AT + 1000)),
  { ...scanOf(finding('CVE-2024-2', null)), signatures: null, vex: null },
];
const policies = [
  policyOf('{ enforcement: Enforce, severityThreshold: HIGH, admissionTiming: DenyUntilScanned }'),
  policyOf('{ severityThreshold: HIGH, breakGlass: { allowed: true, groups: [sre] } }'),
  policyOf('{ enforcement: Enforce, deploymentContext: { mode: Escalate } }'),
  policyOf(
    '{ enforcement: Enforce, knownExploited: block, signature: { required: true, identities: [{ identity: a }] } }',
  ),
];
const LISTS = [[], ...policies.map((one) => [one]), policies.slice(0, 2)];

test('an answer that is remembered is the one that would be made now, whatever comes again', () => {
  const kept = FACTS.map((facts) => parseImageFacts(facts));
  const asked = fc.record({
    facts: fc.nat(FACTS.length - 1),
    list: fc.nat(LISTS.length - 1),
    tag: fc.nat(20),
    signals: fc.constantFrom([], ['root'], ['privileged', 'root']),
    exposedBy: fc.constantFrom(null, 'Service shop/web'),
    coldImagePolicy: fc.constantFrom('AllowAndScan' as const, 'DenyUntilScanned' as const),
    breakGlass: fc.constantFrom(
      null,
      { reason: 'an outage', groups: ['sre'] },
      { reason: 'none', groups: [] },
    ),
    digest: fc.constantFrom(null, DIGEST),
    missing: fc.constantFrom(null, 'digest unknown: x'),
    quota: fc.constantFrom(null, 'node ceiling of 3 exceeded'),
    at: fc.constantFrom(AT, AT + 999, AT + 1000),
  });
  fc.assert(
    fc.property(fc.array(asked, { maxLength: 60 }), (all) => {
      for (const { facts, list, tag, digest, missing, quota, at, ...context } of all) {
        const answer = (given: ReturnType<typeof parseImageFacts>): unknown => {
          const image = `ghcr.io/acme/web:${tag}`;
          const of = { ...{ container: 'web', role: 'main' as const, image, digest, missing, quota } };
          const { of: about, ...rest } = answerImage(
            LISTS[list] ?? [],
            { ...of, reference: parseReference(image), facts: given },
            { ...context, platform: null } satisfies PodContext,
            at,
            'Ignore',
          );
          assert.equal(about.facts, given);
          return { ...rest, image: about.image };
        };
        assert.deepEqual(answer(kept[facts] as (typeof kept)[number]), answer(parseImageFacts(FACTS[facts])));
      }
    }),
    { numRuns: runs(60) },
  );
});
