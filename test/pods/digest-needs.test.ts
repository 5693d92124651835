import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { TagAnswer } from '../../src/admission/index.ts';
import { DIGEST, factsOf, openReviewer, policyOf, reviewOf } from '../admission/reviews.ts';

const IMAGE = 'evil.internal:8443/x/y:1';
const OURS = 'ghcr.io/acme/web:1';

/** A lookup that knows every tag, and what it was asked. */
function lookupOf(answer: TagAnswer = { digest: DIGEST }) {
  const asked: string[] = [];
  return { asked, digestOf: async (text: string) => (asked.push(text), answer) };
}

const only = 'allowedRegistries: [ghcr.io/acme]';
const bypass = 'breakGlass: { allowed: true, groups: [sre] }';

suite('whether a registry is asked what an image by tag stands for', () => {
  for (const [what, specs, image, isAsked, label] of [
    [
      'not where an enforcing policy denies its registry',
      [`enforcement: Enforce, ${only}`],
      IMAGE,
      false,
      'registry',
    ],
    ['not where the one policy only audits, and does not allow it', [only], IMAGE, false, 'registry'],
    [
      'not where no policy of several allows it',
      [only, 'allowedRegistries: [quay.io]'],
      IMAGE,
      false,
      'registry',
    ],
    [
      'where an auditing policy allows it and another does not',
      [only, 'severityThreshold: HIGH'],
      IMAGE,
      true,
      'registry',
    ],
    [
      'not where one enforcing policy denies it, whatever others allow',
      ['severityThreshold: HIGH', `enforcement: Enforce, ${only}`],
      IMAGE,
      false,
      'registry',
    ],
    [
      'not for :latest where that is denied',
      ['enforcement: Enforce, denyLatestTag: true'],
      'ghcr.io/acme/web',
      false,
      'tag',
    ],
    [
      'not where a digest as written is required',
      ['enforcement: Enforce, digestEnforcement: require'],
      OURS,
      false,
      'digest',
    ],
    ['where that is only audited, for the record', ['digestEnforcement: require'], OURS, true, 'digest'],
    ['where every policy allows it', [`enforcement: Enforce, ${only}`], OURS, true, null],
    ['in a namespace without a policy', [], IMAGE, true, null],
    [
      'a bypass opens the policy, not the registry',
      [`enforcement: Enforce, ${only}, ${bypass}`],
      IMAGE,
      false,
      null,
    ],
  ] as const) {
    test(what, async () => {
      const lookup = lookupOf();
      const policies = specs.map((spec, i) => policyOf(`{ ${spec} }`, `p${i}`));
      const { ask, rows, counts } = openReviewer(policies, { lookup });
      await ask(
        reviewOf({
          spec: { containers: [{ name: 'web', image }] },
          ...(what.startsWith('a bypass') && {
            metadata: { annotations: { 'ipo.dev/break-glass': 'INC-7' } },
            userInfo: { username: 'ann', groups: ['sre'] },
          }),
        }),
      );
      assert.deepEqual([lookup.asked.length, rows()[0]?.label], [isAsked ? 1 : 0, label]);
      assert.equal(rows()[0]?.digest, isAsked ? DIGEST : null);
      const outcome = isAsked ? 'found' : 'spared';
      assert.equal(counts().get(`svc_admission_tag_lookups_total ${outcome}`), 1);
    });
  }

  test('not where the meter or the node ceiling denies it', async () => {
    const lookup = lookupOf();
    const names = { refusal: () => 'node ceiling of 3 exceeded', admitted: () => {} };
    const { ask, rows } = openReviewer([policyOf('{ enforcement: Enforce }')], { lookup, names });
    await ask(reviewOf());
    assert.deepEqual([lookup.asked.length, rows()[0]?.label], [0, 'quota']);
  });

  test('an unknown digest is told with its reason where the answer hangs on it, and counted', async () => {
    const lookup = lookupOf({ digest: null, why: 'ghcr.io does not answer; it is asked again in 4 s' });
    const told = `container web: digest unknown: ${OURS}, ghcr.io does not answer; it is asked again in 4 s; decided without it`;
    for (const [spec, hangs, allowed] of [
      ['enforcement: Enforce', true, true],
      ['enforcement: Enforce, admissionTiming: DenyUntilScanned', true, false],
      ['enforcement: Enforce, severityThreshold: NONE', false, true],
    ] as const) {
      const { ask, rows, counts } = openReviewer([policyOf(`{ ${spec} }`)], { lookup });
      const { warnings = [], ...response } = await ask(reviewOf());
      assert.deepEqual([response.allowed, warnings.includes(told)], [allowed, hangs], spec);
      assert.equal(counts().get('svc_admission_undecided_total no_digest'), hangs ? 1 : undefined);
      assert.equal(rows()[0]?.digest, null);
    }
  });

  test('nobody has the operator scan an image at a registry that no policy allows, by naming its digest', async () => {
    const proofs: string[] = [];
    const { ask, wanted, facts } = openReviewer([policyOf(`{ enforcement: Enforce, ${only} }`)], {
      proofs: { want: (digest) => void proofs.push(digest) },
    });
    const pod = (image: string) => reviewOf({ spec: { containers: [{ name: 'web', image }] } });
    await ask(pod(`evil.internal:8443/x/y@${DIGEST}`));
    facts.set(DIGEST, factsOf('LOW', { signatures: null }));
    await ask(pod(`evil.internal:8443/x/y@${DIGEST}`));
    assert.deepEqual([wanted, proofs], [[], []]);
    await ask(pod(`ghcr.io/acme/web@${DIGEST}`));
    assert.deepEqual(proofs, [DIGEST]);
  });
});

suite('facts that cannot be read', () => {
  test('are told by what is missing: the database, or the time', async () => {
    const image = `ghcr.io/acme/web@${DIGEST}`;
    const spec = { containers: [{ name: 'web', image }] };
    const away = {
      known: () => undefined,
      read: () => Promise.reject(new Error('x')),
      last: () => undefined,
    };
    for (const [failurePolicy, allowed] of [
      ['Ignore', true],
      ['Fail', false],
    ] as const) {
      const { ask, rows, counts } = openReviewer(
        [policyOf('{ enforcement: Enforce }')],
        { facts: away },
        { failurePolicy },
      );
      const response = await ask(reviewOf({ spec }));
      const reason = `image facts not available: ${image}, the database does not answer`;
      assert.deepEqual([response.allowed, rows()[0]?.reason, rows()[0]?.label], [allowed, reason, null]);
      assert.equal(counts().get('svc_admission_undecided_total no_facts'), 1);
    }
  });

  test('no review is taken before facts were read once, so that other replicas answer', async () => {
    let why: string | null = 'the facts of images have not been read yet';
    const facts = { known: () => null, read: async () => null, last: () => undefined, unready: () => why };
    const { reviewer, counts } = openReviewer([policyOf('{ enforcement: Enforce }')], { facts });
    assert.equal(reviewer.unready(), why);
    const reply = await reviewer.review(reviewOf());
    assert.deepEqual([reply.status, reply.body, reply.retryAfter], [503, why, 1]);
    assert.equal(counts().get('svc_admission_reviews_total not_ready'), 1);
    why = null;
    assert.equal((await reviewer.review(reviewOf())).status, 200);
  });

  test('what was known last of a digest as nothing is nothing, not unknown', async () => {
    const away = { known: () => undefined, read: () => Promise.reject(new Error('x')), last: () => null };
    const { ask, counts } = openReviewer([policyOf('{ enforcement: Enforce }')], { facts: away });
    const spec = { containers: [{ name: 'web', image: `ghcr.io/acme/web@${DIGEST}` }] };
    assert.equal((await ask(reviewOf({ spec }))).allowed, true);
    assert.equal(counts().get('svc_admission_undecided_total no_facts'), undefined);
  });
});
