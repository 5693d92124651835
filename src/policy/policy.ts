import type { PolicyDocument, PolicySpec } from './schema.ts';
import { revisionOf } from './revision.ts';

/** Policy is a validated policy as decisions use it. */
export interface Policy {
  readonly name: string;
  /** Hex SHA-256 of the canonical spec with defaults; as recorded, for a policy out of an export. */
  readonly revision: string;
  readonly spec: PolicySpec;
}

/** toPolicy gives the policy of a validated document. Its revision is made when somebody asks for it. */
export function toPolicy({ metadata: { name }, spec }: PolicyDocument): Policy {
  let revision: string | null = null;
  return {
    name,
    get revision() {
      return (revision ??= revisionOf(spec));
    },
    spec,
  };
}

/** governs tells whether a policy is asked about a namespace; no target namespace means every one. */
export function governs(policy: Policy, namespace: string): boolean {
  const { targetNamespaces } = policy.spec;
  return targetNamespaces.length === 0 || targetNamespaces.includes(namespace);
}
