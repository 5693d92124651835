import fc from 'fast-check';
import { policySpec, revisionOf, SIGNALS, type Policy, type PolicySpec } from '../../src/policy/index.ts';
import {
  flag,
  GROUPS,
  IDENTITIES,
  IDENTITY_PATTERNS,
  ISSUER_PATTERNS,
  ISSUERS,
  KEYS,
  NAMESPACES,
  PREDICATES,
  REGISTRIES,
  some,
} from './pools.ts';

const issuer = fc.option(fc.constantFrom(...ISSUERS), { nil: undefined, freq: 1 });
const issuedBy = fc.oneof(
  { weight: 4, arbitrary: fc.record({ issuer }) },
  { weight: 1, arbitrary: fc.record({ issuerRegExp: fc.constantFrom(...ISSUER_PATTERNS) }) },
);
const identity = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ identity: fc.constantFrom(...IDENTITIES) }) },
      { weight: 1, arbitrary: fc.record({ identityRegExp: fc.constantFrom(...IDENTITY_PATTERNS) }) },
    ),
    issuedBy,
  )
  .map(([name, by]) => ({ ...name, ...by }));
const signers = fc
  .record({ keys: some(KEYS), identities: fc.array(identity, { maxLength: 2 }) })
  .filter(({ keys, identities }) => keys.length + identities.length > 0);

/** arbitraryPolicySpec gives valid specs, as often lenient as strict, with every default filled in. */
export function arbitraryPolicySpec(): fc.Arbitrary<PolicySpec> {
  return fc
    .record({
      targetNamespaces: fc.oneof(
        { weight: 3, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: some(NAMESPACES) },
      ),
      enforcement: fc.constantFrom('Audit', 'Enforce'),
      severityThreshold: fc.constantFrom('CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'NONE'),
      ignoreUnfixed: flag,
      admissionTiming: fc.constantFrom('AllowAndScan', 'DenyUntilScanned', ''),
      allowedRegistries: fc.oneof(fc.constant([]), some(REGISTRIES, 3)),
      denyLatestTag: flag,
      digestEnforcement: fc.constantFrom('ignore', 'ignore', 'warn', 'require'),
      signature: fc.oneof(
        { weight: 2, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: signers.map((by) => ({ required: true, ...by })) },
      ),
      attestations: fc.array(
        fc
          .tuple(fc.constantFrom(...PREDICATES), signers)
          .map(([predicateType, by]) => ({ predicateType, ...by })),
        { maxLength: 1 },
      ),
      provenance: fc.record({
        minLevel: fc.constantFrom(0, 0, 0, 1, 2, 3),
        trustedBuilders: fc.array(
          fc
            .tuple(
              fc.record({ id: fc.constantFrom(...IDENTITIES), level: fc.integer({ min: 0, max: 3 }) }),
              fc.oneof(
                fc.record({ signer: fc.option(fc.constantFrom(...IDENTITIES), { nil: undefined }) }),
                fc.record({ identityRegExp: fc.constantFrom(...IDENTITY_PATTERNS) }),
                fc.record({ key: fc.constantFrom(...KEYS) }),
              ),
              issuedBy,
            )
            .map(([builder, name, by]) => ({ ...builder, ...name, ...('key' in name ? {} : by) })),
          { maxLength: 3 },
        ),
      }),
      vex: fc.record({
        mode: fc.constantFrom('ignore', 'apply', 'apply'),
        trustedIssuers: fc.array(
          fc.oneof(
            identity,
            fc.constantFrom(...KEYS).map((key) => ({ key })),
          ),
          { maxLength: 3 },
        ),
      }),
      knownExploited: fc.constantFrom('block', 'warn', 'ignore'),
      endOfLifeOS: fc.constantFrom('block', 'warn', 'ignore'),
      deploymentContext: fc.record({
        mode: fc.constantFrom('Ignore', 'Escalate'),
        signals: some(SIGNALS, 3),
      }),
      breakGlass: fc.record({ allowed: flag, groups: some(GROUPS) }),
    })
    .map(toSpec);
}

/** toSpec gives the valid spec of plain JSON; a field that is undefined counts as not written. */
export function toSpec(json: unknown): PolicySpec {
  return policySpec.schema.parse(JSON.parse(JSON.stringify(json)));
}

/** policyOf makes a policy of a spec. */
export function policyOf(spec: PolicySpec, name = 'draft'): Policy {
  return { name, revision: revisionOf(spec), spec };
}
