import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decide } from '../../src/decision/index.ts';
import { NO_FACTS, type ImageFacts } from '../../src/facts/index.ts';
import {
  answersAt,
  explainState,
  governingAt,
  IMAGE_STATES,
  judgeCompliance,
  openImages,
  stateOf,
  triageMs,
  TRIAGE_MS,
  type ImageStore,
  type ImageToJudge,
  type Judged,
  type Place,
  type PolicyAnswer,
} from '../../src/inventory/index.ts';
import { parseReference } from '../../src/image/index.ts';
import { readPolicies } from '../../src/inventory/index.ts';
import { attentionOf, severityWeight } from '../../src/inventory/state.ts';
import type { StoredPolicy } from '../../src/policy/index.ts';
import {
  arbitraryImageFacts,
  arbitraryPolicySpec,
  DIGESTS,
  IMAGES,
  NAMESPACES,
  NOW,
  policyOf,
  toSpec,
} from '../decision/arbitraries.ts';
import { runs } from '../runs.ts';
import { AT, digestOf, finding, scanOf } from '../store/image-records.ts';

const policies = fc
  .array(arbitraryPolicySpec(), { maxLength: 3 })
  .map((specs) => specs.map((spec, i) => ({ ...policyOf(spec), name: `p${i}` })));
const place: fc.Arbitrary<Place> = fc.record({
  namespace: fc.option(fc.constantFrom(...NAMESPACES)),
  image: fc.constantFrom(...IMAGES, 'NO reference', ''),
  signals: fc.option(fc.subarray(['root', 'exposed'])),
  exposedBy: fc.constant(null),
});

test('the first state that applies wins, so that every image is in exactly one', () => {
  for (const lastAllowed of [true, false, null])
    for (const scanned of [true, false])
      for (const compliant of [true, false]) {
        const state = stateOf({ lastAllowed, scanned, compliant });
        const expected =
          lastAllowed === false
            ? 'Blocked'
            : !scanned
              ? 'Unscanned'
              : compliant
                ? 'Compliant'
                : 'Not compliant';
        assert.equal(state, expected);
        assert.ok(IMAGE_STATES.includes(state));
      }
});

test('attention goes by the state first, then by the severities, however many findings there are', () => {
  const counts = fc.record({ critical: fc.nat(20_000), high: fc.nat(20_000), medium: fc.nat(20_000) });
  fc.assert(
    fc.property(counts, counts, (a, b) => {
      assert.ok(attentionOf('Blocked', severityWeight(a)) > attentionOf('Not compliant', severityWeight(b)));
      assert.ok(attentionOf('Unscanned', 0) > attentionOf('Compliant', severityWeight(b)));
      const cut = (count: number): number => Math.min(count, 9999);
      const [x, y] = [a, b].map(({ critical, high, medium }) => [cut(critical), cut(high), cut(medium)]);
      const by =
        [0, 1, 2].map((i) => (x?.[i] ?? 0) - (y?.[i] ?? 0)).find((difference) => difference !== 0) ?? 0;
      assert.equal(Math.sign(severityWeight(a) - severityWeight(b)), Math.sign(by));
      assert.ok(Number.isSafeInteger(attentionOf('Blocked', severityWeight(a))));
    }),
    { numRuns: runs(300) },
  );
});

test('an answer is that of the decision, and an image is compliant only when every policy admits it everywhere', () => {
  fc.assert(
    fc.property(
      fc.array(place, { minLength: 1, maxLength: 3 }),
      policies,
      arbitraryImageFacts(),
      (places, list, facts) => {
        let admitted = true;
        for (const one of places) {
          const answers = answersAt(one, list, facts, 'AllowAndScan', NOW);
          assert.deepEqual(
            answers.map(({ policy }) => policy),
            governingAt(list, one.namespace).map(({ name }) => name),
          );
          for (const answer of answers) {
            const reference = parseReference(one.image);
            const policy = list.find(({ name }) => name === answer.policy);
            assert.ok(policy);
            if ('fault' in reference) assert.equal(answer.verdict, 'unknown');
            else {
              const decision = decide(
                policy,
                {
                  reference,
                  digest: facts.digest,
                  facts,
                  signals: one.signals,
                  exposedBy: null,
                  quota: null,
                  coldImagePolicy: 'AllowAndScan',
                  breakGlass: null,
                },
                NOW,
              );
              assert.equal(answer.verdict, decision.kind);
              if (decision.kind === 'refuse')
                assert.deepEqual([answer.label, answer.reason], [decision.label, decision.sentence]);
            }
            admitted &&= answer.verdict === 'admit';
          }
        }
        const { compliant, next, until } = judgeCompliance(places, list, facts, 'AllowAndScan', NOW);
        assert.equal(compliant, admitted);
        assert.equal(next === null, compliant);
        assert.ok(until === null || until > NOW);
      },
    ),
    { numRuns: runs(300) },
  );
});

test('what the next admission would meet is the enforced refusal, else the audited one, else what is not known', () => {
  const facts: ImageFacts = {
    ...NO_FACTS,
    digest: digestOf(1),
    scan: scanOf([finding('CVE-1', 'CRITICAL')]),
    signatures: null,
  };
  const one = (name: string, spec: Record<string, unknown>) => ({ ...policyOf(toSpec(spec)), name });
  const unsure = one('a', {
    enforcement: 'Enforce',
    severityThreshold: 'NONE',
    signature: { required: true, identities: [{ identity: 'x' }] },
  });
  const audited = one('b', { enforcement: 'Audit' });
  const enforced = one('c', { enforcement: 'Enforce' });
  const here: Place = { namespace: 'shop', image: 'ghcr.io/acme/web:1', signals: null, exposedBy: null };
  const next = (...list: (typeof unsure)[]): PolicyAnswer | null =>
    judgeCompliance([here], list, facts, 'AllowAndScan', AT).next;
  assert.equal(next(unsure, audited, enforced)?.policy, 'c');
  assert.equal(next(unsure, audited)?.policy, 'b');
  assert.deepEqual(
    [next(unsure)?.verdict, next(unsure)?.reason],
    ['unknown', 'its signatures were never recorded'],
  );
  assert.equal(next(), null);
});

test('an image that was never seen is judged only by the policies of the whole cluster', () => {
  const list = [policyOf(toSpec({})), { ...policyOf(toSpec({ targetNamespaces: ['shop'] })), name: 'shop' }];
  assert.equal(governingAt(list, null).length, 1);
  assert.equal(governingAt(list, 'shop').length, 2);
});

test('the detail of a state says what the next admission would meet', () => {
  const next: PolicyAnswer = {
    namespace: 'shop',
    image: 'web:1',
    policy: 'base',
    enforcement: 'Enforce',
    verdict: 'refuse',
    label: 'threshold',
    reason: 'vulnerabilities at or above HIGH: CVE-1',
  };
  const denied = 'the next admission would be denied by policy base: vulnerabilities at or above HIGH: CVE-1';
  const audited =
    'the next admission would be denied if policy base enforced: vulnerabilities at or above HIGH: CVE-1';
  assert.equal(explainState('Not compliant', next, ''), denied);
  assert.equal(explainState('Not compliant', { ...next, enforcement: 'Audit' }, ''), audited);
  assert.equal(
    explainState('Blocked', next, 'not scanned yet: web:1'),
    `its last admission was denied: not scanned yet: web:1; ${denied}`,
  );
  assert.equal(
    explainState('Blocked', null, ''),
    'its last admission was denied; the next admission would be allowed',
  );
  assert.equal(
    explainState('Unscanned', null, ''),
    'it has no completed scan; the next admission would be allowed',
  );
  assert.equal(explainState('Compliant', null, ''), 'every policy that governs it admits it');
});

test('a triage decision lasts as long as the strictest policy over the image says', () => {
  const one = (spec: Record<string, unknown>) => policyOf(toSpec(spec));
  assert.equal(triageMs([], ['shop']), TRIAGE_MS);
  assert.equal(triageMs([one({ sla: { critical: '1h' } })], ['shop']), TRIAGE_MS);
  assert.equal(
    triageMs([one({ sla: { triage: '48h' } }), one({ sla: { triage: '24h', critical: '1h' } })], ['shop']),
    24 * 3_600_000,
  );
  assert.equal(triageMs([one({ sla: { triage: '24h' }, targetNamespaces: ['ci'] })], ['shop']), TRIAGE_MS);
  assert.equal(triageMs([one({ sla: { triage: '24h' }, targetNamespaces: ['ci'] })], []), TRIAGE_MS);
});

test('policies in effect stay one object per revision, and their key tells when they change', async () => {
  const policy = (name: string, spec: Record<string, unknown>, revision: string) =>
    ({ name, revision, document: { metadata: { name }, spec } }) as unknown as StoredPolicy;
  let items = [policy('a', {}, 'r1'), policy('b', {}, 'r2')];
  const asked: string[] = [];
  const stored = {
    heads: async () => items,
    get: async (name: string) => {
      asked.push(name);
      return items.find((one) => one.name === name) ?? null;
    },
  };
  const read = readPolicies(stored, 'AllowAndScan');
  const first = await read();
  const second = await read();
  assert.equal(second.key, first.key);
  assert.equal(second.policies[0], first.policies[0]);
  items = [policy('b', {}, 'r2'), policy('a', { enforcement: 'Enforce' }, 'r3')];
  const third = await read();
  assert.notEqual(third.key, first.key);
  assert.deepEqual(asked, ['a', 'b', 'a'], 'a revision is read once');
  assert.equal(
    third.policies.find(({ name }) => name === 'b'),
    first.policies.find(({ name }) => name === 'b'),
  );
  const denying = readPolicies(stored, 'DenyUntilScanned');
  assert.notEqual((await denying()).key, third.key);
});

/** A store of one image that counts how often its facts are read. */
function counting(image: ImageToJudge) {
  const reads = { facts: 0, judged: [] as Judged[] };
  const kept = { image, stale: true };
  const store = {
    follow: async () => false,
    stale: async () => (kept.stale ? [kept.image] : []),
    facts: async () => {
      reads.facts += 1;
      return {
        ...NO_FACTS,
        digest: image.digest,
        scan: scanOf([finding('CVE-1', 'HIGH', { triagedUntil: 'x', triagedUntilMs: AT + 10 })]),
      };
    },
    judged: async (judgements: readonly Judged[]) => {
      reads.judged.push(...judgements);
      kept.stale = false;
    },
    list: async () => ({ items: [], total: 0, states: {} }),
  } as unknown as ImageStore;
  return { store, reads, kept };
}

test('facts are read again only when what a judgement was made from has changed or ended', async () => {
  const image: ImageToJudge = {
    digest: DIGESTS[0],
    touched: 1,
    factsVersion: 1,
    hasFacts: true,
    names: ['web:1'],
    namesInFacts: true,
    lastRowId: 1,
    lastAllowed: true,
    sightings: [],
    before: null,
  };
  const { store, reads, kept } = counting(image);
  const settings = { at: AT, key: 'k1', policies: [policyOf(toSpec({ severityThreshold: 'HIGH' }))] };
  const images = openImages({
    store,
    policies: async () => ({ key: settings.key, policies: settings.policies }),
    coldImagePolicy: 'AllowAndScan',
    clock: { now: () => settings.at },
  });
  const again = async (change: Partial<ImageToJudge>): Promise<Judged | undefined> => {
    kept.image = { ...image, before: reads.judged.at(-1) ?? null, ...change };
    kept.stale = true;
    await images.refresh();
    return reads.judged.at(-1);
  };
  assert.equal((await again({ before: null }))?.state, 'Compliant');
  assert.equal(reads.facts, 1);
  // Another row that says nothing new, another verdict, other policies over other namespaces: no facts are needed.
  assert.equal((await again({ lastRowId: 2 }))?.state, 'Compliant');
  assert.equal((await again({ lastRowId: 3, lastAllowed: false }))?.state, 'Blocked');
  settings.policies.push({ ...policyOf(toSpec({ targetNamespaces: ['elsewhere'] })), name: 'other' });
  settings.key = 'k2';
  assert.equal((await again({}))?.judgedFor, 'k2');
  assert.equal(reads.facts, 1);
  settings.at = AT + 10;
  assert.equal((await again({}))?.state, 'Not compliant');
  assert.equal(reads.facts, 2);
  await again({ factsVersion: 2 });
  assert.equal(reads.facts, 3);
});
