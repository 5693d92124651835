import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import {
  AUDIT_PREFIX,
  decide,
  DENIAL_LABELS,
  enforce,
  labelOfSentence,
  type Decision,
} from '../../src/decision/index.ts';
import { factsDigest, inputsDigest, parseImageFacts, type Subject } from '../../src/facts/index.ts';
import {
  arbitraryFactsDocument,
  arbitraryPolicySpec,
  arbitrarySubject,
  arbitraryVexStatements,
  NOW,
  policyOf,
  toSpec,
} from './arbitraries.ts';
import { TIGHTENINGS } from './tighten.ts';
import { runs as scaled } from '../runs.ts';

const spec = arbitraryPolicySpec();
const subject = arbitrarySubject();
const runs = { numRuns: scaled(400) };

/** The verdict without the order in which a sentence names CVEs. */
function verdictOf(decision: Decision): unknown {
  if (decision.kind !== 'refuse') return decision;
  const [beginning, cves = ''] = decision.sentence.split(/: (?=CVE-)/);
  return [decision.label, beginning, cves.split(', ').toSorted()];
}

function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === 'object' && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** A shuffle that depends on a seed alone. */
function shuffled<T>(list: readonly T[] | null, seed: number): readonly T[] | null {
  return (
    list &&
    list
      .map((entry, i) => [(seed * (i + 7) * 2_654_435_761) >>> 0, entry] as const)
      .toSorted((a, b) => a[0] - b[0])
      .map(([, entry]) => entry)
  );
}

suite('a tighter policy never admits more', () => {
  for (const { name, apply } of TIGHTENINGS) {
    test(name, () => {
      let asked = 0;
      fc.assert(
        fc.property(spec, subject, (loose, about) => {
          const tight = apply(loose);
          fc.pre(tight !== null);
          asked += 1;
          const before = decide(policyOf(loose), about, NOW);
          const after = decide(policyOf(toSpec(tight)), about, NOW);
          if (after.kind === 'admit') assert.equal(before.kind, 'admit');
        }),
        runs,
      );
      assert.ok(asked >= runs.numRuns);
    });
  }

  test('any number of ways at once', () => {
    fc.assert(
      fc.property(spec, subject, fc.subarray([...TIGHTENINGS], { minLength: 2 }), (loose, about, ways) => {
        const tight = ways.reduce((so, { apply }) => apply(so) ?? so, loose);
        if (decide(policyOf(toSpec(tight)), about, NOW).kind === 'admit') {
          assert.equal(decide(policyOf(loose), about, NOW).kind, 'admit');
        }
      }),
      runs,
    );
  });

  test('each way refuses something that was admitted before', () => {
    // Else the law above could hold of a way that changes nothing.
    const open = new Set(TIGHTENINGS.map(({ name }) => name));
    const samples = fc.sample(fc.tuple(spec, subject), { numRuns: scaled(20_000), seed: 20_261_121 });
    for (const [loose, about] of samples) {
      if (decide(policyOf(loose), about, NOW).kind !== 'admit') continue;
      for (const { name, apply } of TIGHTENINGS) {
        if (!open.has(name)) continue;
        const tight = apply(loose);
        if (tight !== null && decide(policyOf(toSpec(tight)), about, NOW).kind !== 'admit') open.delete(name);
      }
    }
    assert.deepEqual([...open], []);
  });
});

test('the decision is the same each time, and changes none of its arguments', () => {
  fc.assert(
    fc.property(spec, subject, (given, about) => {
      const policy = deepFreeze(policyOf(given));
      deepFreeze(about);
      const first = decide(policy, about, NOW);
      assert.deepEqual(decide(policy, about, NOW), first);
      // A copy has no prepared rules and no remembered proofs.
      assert.deepEqual(decide(structuredClone(policy), structuredClone(about), NOW), first);
    }),
    runs,
  );
});

test('the context only tightens: with signals nothing is admitted that is not admitted without', () => {
  fc.assert(
    fc.property(spec, subject, (given, about) => {
      const policy = policyOf(given);
      const plain = decide(policy, { ...about, signals: null, exposedBy: null }, NOW);
      const judged = decide(policy, about, NOW);
      if (plain.kind !== 'admit') assert.deepEqual(judged, plain);
      else if (judged.kind === 'refuse') assert.equal(judged.label, 'context');
    }),
    { numRuns: scaled(2000) },
  );
});

test('triage only loosens', () => {
  fc.assert(
    fc.property(spec, subject, fc.integer({ min: 0, max: 3 }), (given, about, which) => {
      const { scan } = about.facts;
      const findings = scan?.findings ?? null;
      fc.pre(scan !== null && findings !== null && findings.length > 0);
      const triaged =
        findings?.map((finding, i) =>
          i === which % findings.length ? { ...finding, triagedUntilMs: NOW + 1 } : finding,
        ) ?? null;
      const loosened: Subject = {
        ...about,
        facts: { ...about.facts, scan: scan && { ...scan, findings: triaged } },
      };
      const policy = policyOf(given);
      const before = decide(policy, about, NOW);
      const after = decide(policy, loosened, NOW);
      if (before.kind === 'admit') assert.deepEqual(after, before);
      if (after.kind === 'unknown') assert.notEqual(before.kind, 'admit');
    }),
    { numRuns: scaled(2000) },
  );
});

test('statements of producers only loosen', () => {
  fc.assert(
    fc.property(spec, subject, arbitraryVexStatements(), (given, about, statements) => {
      const { digest, vex } = about.facts;
      fc.pre(digest !== null && vex !== null);
      const more = parseImageFacts({ digest, vex: statements }).vex ?? [];
      const loosened: Subject = { ...about, facts: { ...about.facts, vex: [...(vex ?? []), ...more] } };
      const policy = policyOf(given);
      const before = decide(policy, about, NOW);
      if (before.kind === 'admit') assert.deepEqual(decide(policy, loosened, NOW), before);
    }),
    { numRuns: scaled(2000) },
  );
});

test('the order of findings, signatures, attestations, provenance and statements does not matter', () => {
  fc.assert(
    fc.property(spec, subject, fc.integer({ min: 1, max: 1_000_000 }), (given, about, seed) => {
      const { facts } = about;
      const other: Subject = {
        ...about,
        facts: {
          ...facts,
          scan: facts.scan && { ...facts.scan, findings: shuffled(facts.scan.findings, seed) },
          signatures: shuffled(facts.signatures, seed),
          attestations: shuffled(facts.attestations, seed),
          vex: shuffled(facts.vex, seed),
        },
      };
      const policy = policyOf(given);
      assert.deepEqual(verdictOf(decide(policy, other, NOW)), verdictOf(decide(policy, about, NOW)));
      const built: Subject = {
        ...other,
        facts: { ...other.facts, provenance: shuffled(facts.provenance, seed) },
      };
      const [a, b] = [decide(policy, about, NOW), decide(policy, built, NOW)];
      assert.deepEqual([b.kind, b.kind === 'refuse' && b.label], [a.kind, a.kind === 'refuse' && a.label]);
    }),
    { numRuns: scaled(2000) },
  );
});

test('the label belongs to the sentence, under audit and with a subresource too', () => {
  const met = new Set<string>();
  fc.assert(
    fc.property(spec, subject, (given, about) => {
      const decision = decide(policyOf(given), about, NOW);
      fc.pre(decision.kind === 'refuse');
      if (decision.kind !== 'refuse') return;
      met.add(decision.label);
      assert.ok(DENIAL_LABELS.includes(decision.label));
      assert.equal(labelOfSentence(decision.sentence), decision.label);
      assert.equal(labelOfSentence(AUDIT_PREFIX + decision.sentence), decision.label);
      assert.equal(labelOfSentence(`${decision.sentence}; subresource ephemeralcontainers`), decision.label);
    }),
    { numRuns: scaled(4000), seed: 20_261_121 },
  );
  assert.deepEqual([...met].toSorted(), [...DENIAL_LABELS].toSorted());
});

test('audit policies never refuse, and the order in which verdicts are given does not matter', () => {
  fc.assert(
    fc.property(
      fc.array(spec, { minLength: 1, maxLength: 4 }),
      subject,
      fc.integer({ min: 1, max: 1_000_000 }),
      (specs, about, seed) => {
        const verdicts = specs.map((given, i) => {
          const policy = policyOf(given, `policy-${i}`);
          return { policy, decision: decide(policy, about, NOW) };
        });
        const outcome = enforce(verdicts);
        assert.deepEqual(enforce(shuffled(verdicts, seed) ?? []), outcome);
        const refusing = verdicts.filter(
          ({ policy, decision }) => policy.spec.enforcement === 'Enforce' && decision.kind === 'refuse',
        );
        assert.equal(outcome.allowed, refusing.length === 0);
        assert.equal(outcome.reason.startsWith(AUDIT_PREFIX), outcome.allowed && outcome.label !== null);
        if (!outcome.allowed) assert.equal(outcome.policy, refusing[0]?.policy);
      },
    ),
    { numRuns: scaled(1000) },
  );
});

test('equal digests of the inputs give equal decisions', () => {
  fc.assert(
    fc.property(spec, subject, arbitraryFactsDocument(), (given, about, other) => {
      const facts = parseImageFacts(other);
      const again = parseImageFacts({
        ...other,
        names: ['another/name:1'],
        scan: other.scan && { ...other.scan, scanned_at: null },
      });
      assert.equal(factsDigest(again), factsDigest(facts));
      const [a, b] = [facts, again].map((of): Subject => ({
        ...about,
        digest: of.digest,
        facts: of,
        breakGlass: null,
      })) as [Subject, Subject];
      const { text } = about.reference;
      assert.equal(inputsDigest(a, text), inputsDigest(b, text));
      assert.deepEqual(decide(policyOf(given), a, NOW), decide(policyOf(given), b, NOW));
    }),
    runs,
  );
});
