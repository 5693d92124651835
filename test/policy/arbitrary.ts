import fc from 'fast-check';
import { SIGNALS, THRESHOLDS } from '../../src/policy/index.ts';
import { KEY, OTHER_KEY } from './policy-text.ts';

/** A field that may be left out. */
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });
const few = <T>(arbitrary: fc.Arbitrary<T>, minLength = 0): fc.Arbitrary<T[]> =>
  fc.array(arbitrary, { minLength, maxLength: 3 });
const words = (...choice: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...choice);

const namespace = words('shop', 'cart', 'on', '123', 'null', 'kube-system');
const registry = words(
  'ghcr.io',
  'ghcr.io/acme',
  'GHCR.io/acme',
  'docker.io/library',
  'nginx',
  'localhost:5000',
  '[::1]:5000/x',
);
const name = fc.oneof(
  words(
    'ci@shop.example',
    'https://github.com/acme/*',
    'a: b',
    '# no comment',
    ' x ',
    'yes',
    '- x',
    "it's",
    'é\u200b',
  ),
  fc.string({ minLength: 1, maxLength: 12 }),
);
const duration = words('24h', '168h0m0s', '1.5h', '90m', '2160h');
const key = words(KEY, OTHER_KEY, KEY.trim());
const pattern = words('.*', 'https://github\\.com/acme/.*', "it's", '# [^/]+', 'a: b|- x', '(?i)é');
const identity = fc.oneof(
  fc.record({ identity: name, issuer: maybe(name) }),
  fc.record({ identityRegExp: pattern, issuerRegExp: maybe(pattern) }),
);
const level = fc.integer({ min: 0, max: 3 });

/** arbitrarySpec is a valid spec as somebody could write it: any field left out, or its default written out. */
export const arbitrarySpec: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc
  .record({
    targetNamespaces: maybe(few(namespace)),
    enforcement: maybe(words('Audit', 'Enforce')),
    severityThreshold: maybe(words(...THRESHOLDS)),
    ignoreUnfixed: maybe(fc.boolean()),
    admissionTiming: maybe(words('AllowAndScan', 'DenyUntilScanned', '')),
    allowedRegistries: maybe(few(registry)),
    denyLatestTag: maybe(fc.boolean()),
    digestEnforcement: maybe(words('ignore', 'warn', 'require')),
    signature: maybe(
      fc.oneof(
        fc.record({
          required: maybe(fc.constant(false)),
          keys: maybe(few(key)),
          identities: maybe(few(identity)),
        }),
        fc.record({ required: fc.constant(true), keys: few(key, 1), identities: maybe(few(identity)) }),
      ),
    ),
    attestations: maybe(
      few(fc.record({ predicateType: name, keys: few(key, 1), identities: maybe(few(identity)) })),
    ),
    provenance: maybe(
      fc.record({
        minLevel: maybe(level),
        trustedBuilders: maybe(few(fc.record({ id: name, level, signer: maybe(name), issuer: maybe(name) }))),
      }),
    ),
    vex: maybe(
      fc.record({
        mode: maybe(words('ignore', 'apply')),
        trustedIssuers: maybe(few(fc.oneof<fc.Arbitrary<object>[]>(identity, fc.record({ key })))),
      }),
    ),
    knownExploited: maybe(words('block', 'warn', 'ignore')),
    endOfLifeOS: maybe(words('warn', 'block', 'ignore')),
    deploymentContext: maybe(
      fc.record({ mode: maybe(words('Ignore', 'Escalate')), signals: maybe(few(words(...SIGNALS))) }),
    ),
    workloadHardening: maybe(words('ignore', 'warn', 'block')),
    runtimeReconciliation: maybe(words('off', 'audit', 'enforce')),
    sla: maybe(
      fc.record({
        critical: maybe(duration),
        high: maybe(duration),
        low: maybe(duration),
        triage: maybe(duration),
      }),
    ),
    breakGlass: maybe(
      fc.record({
        allowed: maybe(fc.boolean()),
        groups: maybe(few(words('oncall', 'system:masters', 'system:nodes'))),
      }),
    ),
  })
  .map((spec) => JSON.parse(JSON.stringify(spec)) as Readonly<Record<string, unknown>>);

/** shuffled gives a value with the keys of every mapping in an order that the seed picks; lists keep theirs. */
export function shuffled(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) return value.map((entry, i) => shuffled(entry, seed + i));
  if (value === null || typeof value !== 'object') return value;
  const keyed = Object.entries(value).map(([key, entry], i) => ({
    key,
    entry,
    rank: Math.imul(seed + i + key.length, 2_654_435_761) >>> 0,
  }));
  return Object.fromEntries(
    keyed.toSorted((a, b) => a.rank - b.rank).map(({ key, entry }) => [key, shuffled(entry, seed + 1)]),
  );
}
