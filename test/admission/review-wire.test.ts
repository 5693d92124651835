import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { podSpec, signalsOf } from '../../src/pods/index.ts';
import { objectMeta, podImagesOf } from '../../src/pods/pod.ts';
import { ReviewError } from '../../src/admission/review-error.ts';
import { readReview, toReview } from '../../src/admission/review-request.ts';
import { skim, UNREAD, withoutUnread } from '../../src/admission/review-skim.ts';
import { podMetaAt, podSpecAt } from '../../src/admission/review-spec.ts';
import { runs } from '../runs.ts';
import { openReviewer, policyOf, reviewOf } from './reviews.ts';

/** Values in the place of a field: mostly of the right kind. */
const odd = fc.constantFrom<unknown>(null, true, 1, 1.5, 'x', [], {}, [null], [{}]);
const mostly = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 30, arbitrary: arbitrary as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: odd });
const flag = mostly(fc.boolean());
const whole = mostly(fc.integer({ min: 0, max: 3 }));
const partly = (model: Record<string, fc.Arbitrary<unknown>>) => fc.record(model, { requiredKeys: [] });
const windowsOptions = mostly(partly({ hostProcess: flag }));
const container = mostly(
  partly({
    name: mostly(fc.constantFrom('a', 'b', '')),
    image: mostly(fc.constantFrom('nginx', 'ghcr.io/acme/web:1', '')),
    ports: mostly(fc.array(mostly(partly({ hostPort: whole, containerPort: whole })), { maxLength: 2 })),
    securityContext: mostly(
      partly({
        ...{ privileged: flag, runAsNonRoot: flag, runAsUser: whole, windowsOptions },
        capabilities: mostly(
          partly({ add: mostly(fc.array(mostly(fc.constantFrom('CHOWN', 'SYS_ADMIN')), { maxLength: 2 })) }),
        ),
        seccompProfile: odd,
      }),
    ),
    resources: odd,
  }),
);
const containers = mostly(fc.array(container, { maxLength: 3 }));
const spec = mostly(
  partly({
    ...{ containers, initContainers: containers, ephemeralContainers: containers },
    ...{ hostNetwork: flag, hostPID: flag, hostIPC: flag, nodeName: odd },
    securityContext: mostly(partly({ runAsNonRoot: flag, runAsUser: whole, windowsOptions })),
    volumes: mostly(
      fc.array(
        mostly(
          partly({
            name: mostly(fc.constant('v')),
            hostPath: odd,
            image: mostly(partly({ reference: mostly(fc.constant('ghcr.io/acme/models:1')) })),
          }),
        ),
        { maxLength: 2 },
      ),
    ),
  }),
);

/** The value, or null where the check refuses. */
function held<T>(check: () => T): T | null {
  try {
    return check();
  } catch (error) {
    if (error instanceof ReviewError) return null;
    throw error;
  }
}

test('a spec is checked by hand as the schema checks it, and shows the same signals and images', () => {
  const seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(spec, (value) => {
      const schema = podSpec.safeParse(value);
      const hand = held(() => podSpecAt(value, 'spec'));
      assert.equal(hand !== null, schema.success, JSON.stringify(value));
      seen[schema.success ? 'taken' : 'refused'] += 1;
      if (hand === null || !schema.success) return;
      assert.deepEqual(signalsOf(hand, null), signalsOf(schema.data, null));
      assert.deepEqual(podImagesOf(hand), podImagesOf(schema.data));
    }),
    { numRuns: runs(3000) },
  );
  assert.ok(seen.taken > 100 && seen.refused > 100, JSON.stringify(seen));
});

test('metadata is checked by hand as the schema checks it', () => {
  const texts = mostly(
    fc.dictionary(fc.constantFrom('a', 'ipo.dev/break-glass'), mostly(fc.constantFrom('x', ''))),
  );
  const meta = mostly(
    partly({
      name: mostly(fc.constant('n')),
      generateName: mostly(fc.constant('g')),
      labels: texts,
      annotations: texts,
    }),
  );
  fc.assert(
    fc.property(meta, (value) => {
      const schema = z.object({ m: objectMeta }).safeParse({ m: value });
      const hand = held(() => podMetaAt(value, 'metadata'));
      assert.equal(hand !== null, schema.success, JSON.stringify(value));
      if (hand === null || !schema.success) return;
      const { m } = schema.data;
      assert.equal(hand.breakGlass, m?.annotations?.['ipo.dev/break-glass'] ?? null);
      assert.deepEqual({ ...hand.labels }, { ...m?.labels });
      assert.equal(hand.name, m?.name || (m?.generateName ?? ''));
    }),
    { numRuns: runs(1000) },
  );
});

suite('before a body is parsed', () => {
  test('the depth is that of the JSON, whatever stands in its texts', () => {
    const keys = [...UNREAD.list, ...UNREAD.object];
    const has = (list: readonly string[], key: string): boolean => list.includes(key);
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'medium' },
        fc.string({ unit: fc.constantFrom('[', '{', ']', '}', '"', '\\', 'a', 'é', ':') }),
        fc.integer(),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', ...keys, '"]'), tie('tree'), { maxKeys: 3 }),
      ),
    }));
    const depthOf = (value: unknown): number =>
      value !== null && typeof value === 'object' ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    const blank = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(blank);
      if (value === null || typeof value !== 'object') return value;
      const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
        const isUnread =
          (isObject(inner) && has(UNREAD.object, key)) || (Array.isArray(inner) && has(UNREAD.list, key));
        return [key, isUnread ? null : blank(inner)];
      });
      return Object.fromEntries(entries);
    };
    fc.assert(
      fc.property(tree, (value) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const depth = depthOf(value);
        assert.equal(skim(bytes, depth).deep, false);
        if (depth > 0) assert.equal(skim(bytes, depth - 1).deep, true);
        assert.deepEqual(JSON.parse(withoutUnread(bytes, skim(bytes, 1000))), blank(value));
      }),
      { numRuns: runs(2000) },
    );
  });

  test('any bytes end in an answer or a ReviewError', () => {
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 4 })).map(([at, bytes]) => {
        const body = Buffer.from(reviewOf({ uid: 'u' }));
        body.set(bytes, at % (body.length - 4));
        return body;
      }),
    );
    fc.assert(
      fc.property(bodies, (bytes) => void held(() => readReview(bytes))),
      { numRuns: runs(3000) },
    );
  });
});

function isObject(value: unknown): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

suite('what cannot be read', () => {
  const enforcing = [policyOf('{ enforcement: Enforce }')];
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const deep = (levels: number) =>
    Buffer.from(
      reviewOf({ uid: `deep-${levels}` })
        .toString()
        .replace('"spec":{', `"spec":{"x":${nested(levels)},`),
    );

  test('levels up to the bound are read; deeper is refused under an enforcing policy, and recorded', async () => {
    const { ask, rows } = openReviewer(enforcing);
    assert.equal((await ask(deep(96))).allowed, true);
    const response = await ask(deep(97));
    assert.equal(response.allowed, false);
    assert.equal(response.uid, 'deep-97');
    assert.equal(response.status?.message, 'not readable: it is deeper than 100 levels');
    const refused = rows().at(-1);
    assert.deepEqual([refused?.pod_level, refused?.allowed, refused?.label ?? null], [true, false, null]);
  });

  test('nobody passes by being unreadable, and audit denies nothing', async () => {
    const many = { containers: Array.from({ length: 1001 }, (_, i) => ({ name: `c${i}`, image: 'a' })) };
    for (const spec of [
      [],
      'x',
      { containers: {} },
      { containers: [{ image: 1 }] },
      { containers: [null] },
      many,
    ]) {
      const { ask } = openReviewer(enforcing);
      assert.equal((await ask(reviewOf({ spec }))).allowed, false, JSON.stringify(spec).slice(0, 80));
      const audit = openReviewer([policyOf('{}')]);
      const response = await audit.ask(reviewOf({ spec }));
      assert.equal(response.allowed, true);
      assert.match(response.warnings?.[0] ?? '', /^not readable: /);
      assert.equal(audit.rows().length, 1);
    }
    const elsewhere = openReviewer([policyOf('{ enforcement: Enforce, targetNamespaces: [other] }')]);
    assert.equal((await elsewhere.ask(reviewOf({ spec: [] }))).allowed, true, 'no policy enforces there');
  });

  test('a body beyond the bound is answered by its beginning', async () => {
    const { reviewer } = openReviewer(enforcing);
    const body = reviewOf({ uid: 'large' });
    const text = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"large","x":"${'x'.repeat(99)}`;
    const reply = await reviewer.reviewOversized(Buffer.from(text));
    assert.match(reply.body, /"uid":"large","allowed":false.*longer than 8 MiB/);
    assert.equal((await reviewer.reviewOversized(body.subarray(0, 30))).status, 413);
  });

  for (const [name, body, status] of [
    ['no JSON', '{"kind":', 400],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400],
    ['another kind', '{"kind":"Pod","apiVersion":"v1"}', 400],
    [
      'another version',
      '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","request":{"uid":"a"}}',
      400,
    ],
    ['no request', '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}', 400],
    ['no uid', '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{}}', 400],
    ['brackets without end', '['.repeat(5000), 413],
  ] as const) {
    test(`${name}: ${status}, so that the cluster's failure policy answers`, async () => {
      const { reviewer, entries } = openReviewer(enforcing);
      const reply = await reviewer.review(Buffer.from(body));
      assert.equal(reply.status, status);
      assert.doesNotMatch(reply.body, /Error|at /);
      assert.deepEqual(entries, []);
    });
  }

  test('fields of the prototype are not read', async () => {
    const text = reviewOf({ uid: 'p' })
      .toString()
      .replace(
        '"metadata":{',
        '"metadata":{"__proto__":{"deletionTimestamp":"x"},"labels":{"__proto__":"x","constructor":"y"},',
      );
    const review = toReview(JSON.parse(text));
    assert.equal(review.kind === 'pod' && review.deleted, false);
    assert.equal((await openReviewer(enforcing).ask(Buffer.from(text))).allowed, true);
    assert.equal(({} as Record<string, unknown>).deletionTimestamp, undefined);
  });
});

suite('the answer', () => {
  test('texts from outside cannot break it, and warnings stay within what the API server shows', async () => {
    const { ask } = openReviewer([policyOf('{ enforcement: Enforce, digestEnforcement: warn }')]);
    const containers = Array.from({ length: 40 }, (_, i) => ({
      name: `c${i}\u202e\n`,
      image: `ghcr.io/a/b:${'t'.repeat(100)}${i}`,
    }));
    const bad = [...containers, { name: 'x', image: '"},{\u0000' }];
    const response = await ask(reviewOf({ spec: { containers: bad } }));
    assert.equal(response.allowed, false);
    const warnings = response.warnings ?? [];
    assert.ok(warnings.length > 5);
    assert.ok(Buffer.byteLength(warnings.join('')) <= 4096);
    for (const shown of [...warnings, response.status?.message ?? '']) {
      assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}]/u);
      if (shown !== response.status?.message) assert.ok(shown.length <= 256);
    }
  });

  test('what a person writes to bypass is kept to a bound', async () => {
    const policy = policyOf('{ enforcement: Enforce, breakGlass: { allowed: true, groups: [g] } }');
    const { ask, rows } = openReviewer([policy]);
    const annotations = { 'ipo.dev/break-glass': 'x'.repeat(200_000) };
    await ask(reviewOf({ metadata: { annotations }, userInfo: { username: 'a', groups: ['g'] } }));
    assert.equal(rows()[0]?.break_glass_reason?.length, 1000);
  });
});

test('what makes a pod is its controlling owner; an owner reference that is none keeps nothing from being read', () => {
  const controller = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web-5d',
    uid: 'u',
    controller: true,
  };
  const { controller: _, ...owner } = controller;
  const of = (ownerReferences: unknown) => podMetaAt({ name: 'web', ownerReferences }, 'metadata').owner;
  assert.deepEqual(of([{ ...controller, controller: false }, controller]), owner);
  for (const odd of [
    undefined,
    null,
    'x',
    [null],
    [{ ...controller, name: 7 }],
    [{ ...controller, kind: '' }],
  ])
    assert.equal(of(odd), null);
});
